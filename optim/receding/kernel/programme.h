/* One real-time iteration of nonlinear model predictive control, a pure function of the memory of a run: that memory, and
   the quadratic programme that a solver in a file of its own solves. */

/* The memory of a run, which is part of the state of the closed loop. */
typedef struct {
    double xs[N + 1][NX], us[N][NU], K[N][ROWS];
    double last[NU];           /* the last command */
    double pending[WAITING + 1][NU]; /* commands on their way; the last entry is not used */
    double predicted[NX];      /* the state that was expected at this sample */
    double force[NF];          /* estimated disturbance, a generalised force */
    double time, begun, failing;
    double counters[COUNTERS];
} memory;

enum { STEPS, SATURATED, QP_ITERATIONS, QP_MOST, SECOND, SHIFTED, STABILISED, RESETS, LIMITED, UNKNOWN, LATE };

typedef struct {
    /* Row major, scaled; of Q the lower triangle. */
    double A[N][NX * NX], B[N][NX * NU], b[N][NX];
    double Q[N + 1][TRIANGLE(NX)], S[N][NU * NX], R[N][NU * NU];
    double q[N + 1][NX], r[N][NU];
    double C[N + 1][NLIM * NX + 1], D[N + 1][NLIM * NU + 1], low[N + 1][NG + 1], high[N + 1][NG + 1]; /* of states and outputs, then of changes */
    double ulow[N][NU], uhigh[N][NU];
    double dx[N + 1][NX], du[N][NU]; /* its solution, scaled */
    int iterations;
} programme;

/* How many limits on states, outputs and changes a stage has; the first has those that depend on its input. */
static int limits_of(int k) { return k == 0 ? (INPUTS_LIMITED ? NLIM : 0) : k == N ? NLIM : NG; }

typedef struct {
    programme qp;
    double JK[N][ROWS * COLUMNS];
    double reference[N + 1][NREF + 1], rate[NREF + 1];
    int limited, held_input;
} workspace;

static THREAD_LOCAL workspace ws;

/* The deadline of a sample, by a clock [s] if there is one. */
static THREAD_LOCAL struct {
    double (*clock)(void);
    double until;
    int passed;
} deadline;

static int is_late(void) {
    if (deadline.clock && !deadline.passed) deadline.passed = deadline.clock() > deadline.until;
    return deadline.passed;
}
