/* One real-time iteration of nonlinear model predictive control, a pure function of the memory of a run.

   Intervals are two-stage Radau IIA collocation of the implicit equations of motion, condensed by one lifted Newton step
   (Quirynen, Gros, Houska & Diehl 2017) and a dense LU factorisation. What precedes this text are the functions of the
   arm, sizes, and constants; `solve_qp` stands in a file of its own. */

#define STAGES 2
#define ROWS (STAGES * RATES_)      /* unknowns of an interval: rates and multipliers of both stages */
#define COLUMNS (NX + NU + 1)       /* derivatives in state and input, and the Newton step */
#define NXA (NX + NPREV)            /* state of the quadratic programme: with the last input where its rate counts */

typedef long long int integer;

/* Radau IIA of order 3; SQUARED is A A, for coordinates whose second derivatives are unknowns. */
static const double NODE[2] = {1.0 / 3.0, 1.0};
static const double A1[2][2] = {{5.0 / 12.0, -1.0 / 12.0}, {3.0 / 4.0, 1.0 / 4.0}};
static const double A2[2][2] = {{1.0 / 9.0, -1.0 / 18.0}, {1.0 / 2.0, 0.0}};

/* The memory of a run, which is part of the state of the closed loop. */
typedef struct {
    double xs[N + 1][NX], us[N][NU], K[N][ROWS];
    double last[NU];           /* the last command */
    double pending[DELAY + 1][NU]; /* commands on their way; the last entry is not used */
    double predicted[NX];      /* the state that was expected at this sample */
    double force[NF];          /* estimated disturbance, a generalised force */
    double time, begun, failing;
    double counters[COUNTERS];
} memory;

enum { STEPS, SATURATED, QP_ITERATIONS, QP_MOST, SECOND, SHIFTED, STABILISED, RESETS, LIMITED, UNKNOWN };

typedef struct {
    double A[N][NXA * NXA], B[N][NXA * NU], b[N][NXA];      /* row major, scaled */
    double Q[N + 1][NXA * NXA], S[N][NU * NXA], R[N][NU * NU]; /* row major, scaled */
    double q[N + 1][NXA], r[N][NU];
    double C[N + 1][(NG + 1) * NXA], D[N + 1][(NG + 1) * NU], low[N + 1][NG + 1], high[N + 1][NG + 1];
    double ulow[N][NU], uhigh[N][NU];
    double dx[N + 1][NXA], du[N][NU]; /* its solution, scaled */
    int iterations;
} programme;

typedef struct {
    programme qp;
    double next[N][NX], T[N][NX * NX], U[N][NX * NU], JK[N][ROWS * COLUMNS];
    double reference[N + 1][NREF + 1], rate[NREF + 1];
    int limited, held_input;
} workspace;

static THREAD_LOCAL workspace ws;
static THREAD_LOCAL double reals[REALS + 1];
static THREAD_LOCAL integer integers[INTEGERS + 1];
static THREAD_LOCAL const double *arguments[ARGUMENTS + 1];
static THREAD_LOCAL double *results[RESULTS + 1];

static double least(double a, double b) { return a < b ? a : b; }
static double most(double a, double b) { return a > b ? a : b; }
static double clipped(double value, double low, double high) { return most(low, least(high, value)); }

static int all_finite(const double *values, int count) {
    for (int i = 0; i < count; i++)
        if (!isfinite(values[i])) return 0;
    return 1;
}
