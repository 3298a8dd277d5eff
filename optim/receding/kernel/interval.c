/* Intervals of a motion: two-stage Radau IIA collocation of the implicit equations of motion, condensed by one lifted
   Newton step (Quirynen, Gros, Houska & Diehl 2017) and a dense LU factorisation. What precedes this text are the
   functions of the arm, sizes, and constants. */

#define STAGES 2
#define ROWS (STAGES * RATES_)      /* unknowns of an interval: rates and multipliers of both stages */
#define COLUMNS (NX + NU + 1)       /* derivatives in state and input, and the Newton step */

typedef long long int integer;

/* Radau IIA of order 3; SQUARED is A A, for coordinates whose second derivatives are unknowns. */
static const double NODE[2] = {1.0 / 3.0, 1.0};
static const double A1[2][2] = {{5.0 / 12.0, -1.0 / 12.0}, {3.0 / 4.0, 1.0 / 4.0}};
static const double A2[2][2] = {{1.0 / 9.0, -1.0 / 18.0}, {1.0 / 2.0, 0.0}};

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

/* Linearise the equations of an interval of length H at x, u and its rates K: what they are solved by, as derivatives
   in x and u and Newton step, in out (ROWS, columns), and behind these in the disturbance if that is wanted. */
HOT static int collocated(const double *x, const double *u, const double *K, double H, const double *p, const double *f,
                          int disturbed, double *restrict out) {
    static THREAD_LOCAL double J[ROWS * ROWS], R[RATES_], Rx[RATES_ * NX], Ry[RATES_ * RATES_], Ru[RATES_ * NU + 1];
    const int columns = COLUMNS + (disturbed ? NF : 0);
    memset(out, 0, sizeof(double) * ROWS * columns);
    for (int j = 0; j < STAGES; j++) {
        double at[NX];
        for (int i = 0; i < NQ; i++) {
            double q = x[i] + H * NODE[j] * x[NQ + i];
            for (int l = 0; l < STAGES; l++) q += H * H * A2[j][l] * K[l * RATES_ + i];
            at[i] = q;
        }
        for (int i = NQ; i < NX; i++) {
            double v = x[i];
            for (int l = 0; l < STAGES; l++) v += H * A1[j][l] * K[l * RATES_ + i - NQ];
            at[i] = v;
        }
        arguments[0] = at, arguments[1] = K + j * RATES_, arguments[2] = u, arguments[3] = p, arguments[4] = f;
        results[0] = R, results[1] = Rx, results[2] = Ry, results[3] = Ru;
        if (RESIDUAL(arguments, results, integers, reals, 0)) return 1;
        for (int i = 0; i < RATES_; i++) {
            double *restrict row = out + (j * RATES_ + i) * columns;
            double *restrict equation = J + (j * RATES_ + i) * ROWS;
            for (int m = 0; m < NQ; m++) {
                row[m] = -Rx[m * RATES_ + i];
                row[NQ + m] = -(H * NODE[j] * Rx[m * RATES_ + i] + Rx[(NQ + m) * RATES_ + i]);
            }
            for (int m = 2 * NQ; m < NX; m++) row[m] = -Rx[m * RATES_ + i];
            for (int m = 0; m < NU; m++) row[NX + m] = -Ru[m * RATES_ + i];
            row[NX + NU] = -R[i];
            if (disturbed && i < NF) row[COLUMNS + i] = 1.0;
            for (int l = 0; l < STAGES; l++) {
                double *restrict block = equation + l * RATES_;
                for (int m = 0; m < RATES_; m++) block[m] = l == j ? Ry[m * RATES_ + i] : 0.0;
                for (int m = 0; m < NX - NQ; m++) block[m] += H * A1[j][l] * Rx[(NQ + m) * RATES_ + i];
                for (int m = 0; m < NQ; m++) block[m] += H * H * A2[j][l] * Rx[m * RATES_ + i];
            }
        }
    }
    return solve(J, out, ROWS, columns);
}

/* The end of an interval that begins at x with rates K. */
static void end_of(const double *x, const double *K, double H, double *out) {
    for (int i = 0; i < NQ; i++) {
        double q = x[i] + H * x[NQ + i];
        for (int l = 0; l < STAGES; l++) q += H * H * A2[STAGES - 1][l] * K[l * RATES_ + i];
        out[i] = q;
    }
    for (int i = NQ; i < NX; i++) {
        double v = x[i];
        for (int l = 0; l < STAGES; l++) v += H * A1[STAGES - 1][l] * K[l * RATES_ + i - NQ];
        out[i] = v;
    }
}

/* A row of its derivatives in x and u, what the Newton step adds to it, and behind these what follows in the row of
   `collocated`. */
INLINED void end_row(const double *JK, int columns, int i, double H, double *restrict row) {
    memset(row, 0, sizeof(double) * columns);
    row[i] = 1.0;
    if (i < NQ) row[NQ + i] = H;
    for (int l = 0; l < STAGES; l++) {
        const double weight = i < NQ ? H * H * A2[STAGES - 1][l] : H * A1[STAGES - 1][l];
        if (weight == 0.0) continue;
        const double *restrict from = JK + (l * RATES_ + (i < NQ ? i : i - NQ)) * columns;
        for (int c = 0; c < columns; c++) row[c] += weight * from[c];
    }
}

/* Steps of the implicit equations to convergence, or as far as it gets: the motion from x under u. */
static int advance(double *x, const double *u, double *K, double H, const double *p, const double *f) {
    static THREAD_LOCAL double JK[ROWS * COLUMNS];
    double first = 0.0;
    for (int step = 0; step < NEWTON_STEPS; step++) {
        double size = 0.0, all = 0.0;
        if (collocated(x, u, K, H, p, f, 0, JK)) return 1;
        for (int i = 0; i < ROWS; i++) {
            const double change = JK[i * COLUMNS + NX + NU];
            K[i] += change;
            size += change * change;
            all += K[i] * K[i];
        }
        if (!isfinite(size)) return 1;
        if (step == 0) first = size;
        if (size <= 1e-12 * all || size <= 1e-16 * first) break;
    }
    double end[NX];
    end_of(x, K, H, end);
    if (!all_finite(end, NX)) return 1;
    memcpy(x, end, sizeof end);
    return 0;
}
