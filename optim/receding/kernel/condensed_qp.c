/* The quadratic programme of an iteration without its states (condensing: Andersson 2013), by
   a primal-dual interior-point method with Mehrotra's predictor and corrector. Limits that are soft have slacks with linear
   and square prices, eliminated like those of the others. No memory is taken, no library is needed. */

#define NV (N * NU)
#define NROWS ((N + INPUTS_LIMITED) * NLIM) /* limits on states and outputs of all stages */
#define NCHANGES ((N - 1) * (NG - NLIM)) /* and on changes of inputs */
#define NSIDES (2 * (NV + NROWS + NCHANGES))

typedef struct {
    union {
        struct {
            double G[2][NX * NV]; /* derivatives of a state and the next, row major, NU columns for each stage before */
            double Q[NX * NX], Y[NX * NV];
        };
        double L[NV * NV];         /* needed later */
    };
    double d[NX];               /* a state without inputs */
    double H[NV * NV], g[NV], rows[(NROWS + 1) * NV];
    double low[NROWS + 1], high[NROWS + 1];
    double u[NV], du[NV], rd[NV], right[NV];
    /* Sides: of each variable, then of each row and change, its low and its high; only those that are finite. */
    int of[NSIDES + 1], soft[NSIDES + 1];
    double sign[NSIDES + 1], bound[NSIDES + 1], s[NSIDES + 1], lam[NSIDES + 1], t[NSIDES + 1], nu[NSIDES + 1];
    double ds[NSIDES + 1], dlam[NSIDES + 1], dt[NSIDES + 1], dnu[NSIDES + 1];
    double r1[NSIDES + 1], r2[NSIDES + 1], w[NSIDES + 1], c[NSIDES + 1], e[NSIDES + 1], at[NSIDES + 1];
} dense_programme;

/* The recursion of riccati_qp.c. */
typedef struct {
    double triangle[N + 1][TRIANGLE(NX)], p[N + 1][NX]; /* cost-to-go of each stage */
    double P[NX * NX];                                 /* and of the stage behind the one that is worked at, in full */
    double PA[NX * NX], PB[NX * NU];
    double G[N][NU * NX], M[N][NU * NU], g[N][NU];     /* derivatives of the cost from a stage on in its input */
    double L[N][NU * NU], W[N][NU * NX], w[N][NU];     /* of free inputs: Cholesky factor, and what it has divided */
    int at[N][NU], free[N][NU], count[N]; /* at its low (-1), high (1) limit or free (0); those that are free */
    double bound[N][NU];                  /* where those that are fixed are */
} recursion;

/* One begins where the other has given up. */
static THREAD_LOCAL union {
    dense_programme condensed;
    recursion riccati;
} either;
#define dense either.condensed
#define rc either.riccati

/* The state behind a stage. */
HOT static void next_state(programme *p, int k) {
    for (int i = 0; i < NX; i++)
        p->dx[k + 1][i] = p->b[k][i] + dot(p->A[k] + i * NX, p->dx[k], NX) + dot(p->B[k] + i * NU, p->du[k], NU);
}

/* From the first stage on: states as functions of the inputs before them, and what they cost. */
HOT static void condense(const programme *p) {
    memcpy(dense.d, p->dx[0], sizeof dense.d);
    memset(dense.H, 0, sizeof dense.H);
    memset(dense.g, 0, sizeof dense.g);
    int row = 0;
    for (int k = 0; k <= N; k++) {
        const double *G = dense.G[k % 2];
        const int before = k * NU;
        if (k) {
            from_triangle(p->Q[k], NX, dense.Q);
            multiplied(dense.Y, NV, dense.Q, NX, 0, G, NV, NX, NX, before, 0);
            added_symmetric(dense.H, NV, G, NV, dense.Y, NV, before, NX, 1.0);
            added_row(dense.g, dense.d, 1, dense.Y, NV, NX, before, 1.0);
            added_row(dense.g, p->q[k], 1, G, NV, NX, before, 1.0);
        }
        for (int i = 0; i < NLIM && i < limits_of(k); i++, row++) {
            double *a = dense.rows + row * NV;
            memset(a, 0, sizeof(double) * NV);
            added_row(a, p->C[k] + i * NX, 1, G, NV, NX, before, 1.0);
            if (k < N) memcpy(a + before, p->D[k] + i * NU, sizeof(double) * NU);
            const double free = dot(p->C[k] + i * NX, dense.d, NX);
            dense.low[row] = p->low[k][i] - free;
            dense.high[row] = p->high[k][i] - free;
        }
        if (k == N) break;
        double *H = dense.H + before * NV, *g = dense.g + before, *next = dense.G[(k + 1) % 2], d[NX];
        for (int i = 0; i < NU; i++) {
            added_row(H + i * NV, p->S[k] + i * NX, 1, G, NV, NX, before, 1.0);
            for (int j = 0; j <= i; j++) H[i * NV + before + j] += p->R[k][i * NU + j];
            g[i] += p->r[k][i] + dot(p->S[k] + i * NX, dense.d, NX);
        }
        multiplied(next, NV, p->A[k], NX, 0, G, NV, NX, NX, before, 0);
        for (int i = 0; i < NX; i++) memcpy(next + i * NV + before, p->B[k] + i * NU, sizeof(double) * NU);
        for (int i = 0; i < NX; i++) d[i] = p->b[k][i] + dot(p->A[k] + i * NX, dense.d, NX);
        memcpy(dense.d, d, sizeof d);
    }
    for (int i = 0; i < NV; i++)
        for (int j = 0; j < i; j++) dense.H[j * NV + i] = dense.H[i * NV + j];
}

static int sides(const programme *p) {
    int count = 0, row = 0;
    for (int k = 0; k < N; k++)
        for (int i = 0; i < NU; i++) {
            const double both[2] = {p->ulow[k][i], p->uhigh[k][i]};
            for (int side = 0; side < 2; side++) {
                if (!isfinite(both[side])) continue;
                dense.of[count] = k * NU + i;
                dense.soft[count] = 0;
                dense.sign[count] = side ? -1.0 : 1.0;
                dense.bound[count++] = side ? -both[side] : both[side];
            }
        }
    for (int k = 0; k <= N; k++)
        for (int i = 0; i < limits_of(k); i++) {
            const int soft = i < NLIM;
            const double both[2] = {soft ? dense.low[row] : p->low[k][i], soft ? dense.high[row] : p->high[k][i]};
            for (int side = 0; side < 2; side++) {
                if (!isfinite(both[side])) continue;
                dense.of[count] = soft ? NV + row : NV + NROWS + k * NU + i - NLIM;
                dense.soft[count] = soft;
                dense.sign[count] = side ? -1.0 : 1.0;
                dense.bound[count++] = side ? -both[side] : both[side];
            }
            row += soft;
        }
    return count;
}

/* The sides' values a'u in these variables. */
HOT static void values_of(const double *u, int count, double *out) {
    double rows[NROWS + 1];
    for (int i = 0; i < NROWS; i++) rows[i] = dot(dense.rows + i * NV, u, NV);
    for (int i = 0; i < count; i++) {
        const int j = dense.of[i], changed = j - NV - NROWS;
        out[i] = dense.sign[i] * (j < NV ? u[j] : changed < 0 ? rows[j - NV] : u[changed] - u[changed - NU]);
    }
}

/* Add the sides, weighted, to a vector of the variables. */
HOT static void spread(const double *weight, int count, double *out) {
    double rows[NROWS + 1];
    memset(rows, 0, sizeof rows);
    for (int i = 0; i < count; i++) {
        const int j = dense.of[i], changed = j - NV - NROWS;
        const double by = dense.sign[i] * weight[i];
        if (j < NV)
            out[j] += by;
        else if (changed < 0)
            rows[j - NV] += by;
        else
            out[changed] += by, out[changed - NU] -= by;
    }
    for (int i = 0; i < NROWS; i++) {
        if (rows[i] == 0.0) continue;
        const double *a = dense.rows + i * NV;
        for (int j = 0; j < NV; j++) out[j] += rows[i] * a[j];
    }
}

/* Cholesky factor of H and the sides' weights, lower triangle. */
HOT static int factorised(int count) {
    double rows[NROWS + 1];
    memset(rows, 0, sizeof rows);
    memcpy(dense.L, dense.H, sizeof dense.L);
    for (int i = 0; i < count; i++) {
        const int j = dense.of[i], changed = j - NV - NROWS;
        if (j >= NV && changed < 0) {
            rows[j - NV] += dense.w[i];
            continue;
        }
        double *row = dense.L + (j < NV ? j : changed) * NV;
        row[j < NV ? j : changed] += dense.w[i];
        if (j < NV) continue;
        row[changed - NU] -= dense.w[i];
        dense.L[(changed - NU) * NV + changed - NU] += dense.w[i];
    }
    for (int i = 0; i < NROWS; i++) {
        const double *restrict a = dense.rows + i * NV;
        for (int j = 0; j < NV; j++) {
            const double f = rows[i] * a[j];
            if (f == 0.0) continue;
            double *restrict to = dense.L + j * NV;
            for (int l = 0; l <= j; l++) to[l] += f * a[l];
        }
    }
    /* Rows of the transpose, from those above: U'U = L L'. */
    for (int i = 0; i < NV; i++)
        for (int j = 0; j < i; j++) dense.L[j * NV + i] = dense.L[i * NV + j];
    for (int i = 0; i < NV; i++) {
        double *ui = dense.L + i * NV;
        added_row(ui + i, dense.L + i, NV, dense.L + i, NV, i, NV - i, -1.0);
        if (!(ui[i] > 0.0)) return 1;
        const double inverse = 1.0 / sqrt(ui[i]);
        for (int j = i; j < NV; j++) ui[j] *= inverse;
    }
    return 0;
}

HOT static void solved(double *b) {
    for (int i = 0; i < NV; i++) {
        b[i] /= dense.L[i * NV + i];
        for (int j = i + 1; j < NV; j++) b[j] -= dense.L[i * NV + j] * b[i];
    }
    for (int i = NV - 1; i >= 0; i--)
        b[i] = (b[i] - dot(dense.L + i * NV + i + 1, b + i + 1, NV - 1 - i)) / dense.L[i * NV + i];
}

/* The direction for these products of slacks and multipliers, of which the second order is added where it is known. */
static void direction(int count, double target, int corrects) {
    for (int i = 0; i < count; i++) {
        const double rc1 = target - dense.s[i] * dense.lam[i] - (corrects ? dense.ds[i] * dense.dlam[i] : 0.0);
        const double w0 = dense.lam[i] / dense.s[i];
        if (dense.soft[i]) {
            const double rc2 = target - dense.t[i] * dense.nu[i] - (corrects ? dense.dt[i] * dense.dnu[i] : 0.0);
            const double kept = SLACK_SQUARE + dense.nu[i] / dense.t[i], D = kept + w0;
            const double of_side = rc1 / dense.s[i] - w0 * dense.r1[i], of_slack = rc2 / dense.t[i] - dense.r2[i];
            dense.e[i] = (of_side + of_slack) / D;
            dense.c[i] = (of_side * kept - w0 * of_slack) / D; /* without cancellation where w0 is large */
        } else {
            dense.e[i] = 0.0;
            dense.c[i] = rc1 / dense.s[i] - w0 * dense.r1[i];
        }
    }
    for (int i = 0; i < NV; i++) dense.du[i] = -dense.rd[i];
    spread(dense.c, count, dense.du);
    solved(dense.du);
    values_of(dense.du, count, dense.at);
    for (int i = 0; i < count; i++) {
        const double rc2 = target - dense.t[i] * dense.nu[i] - (corrects ? dense.dt[i] * dense.dnu[i] : 0.0);
        const double w0 = dense.lam[i] / dense.s[i];
        const double D = SLACK_SQUARE + w0 + (dense.soft[i] ? dense.nu[i] / dense.t[i] : 0.0);
        dense.dlam[i] = dense.c[i] - dense.w[i] * dense.at[i];
        dense.dt[i] = dense.soft[i] ? dense.e[i] - w0 / D * dense.at[i] : 0.0;
        dense.ds[i] = dense.at[i] + dense.dt[i] + dense.r1[i];
        dense.dnu[i] = dense.soft[i] ? (rc2 - dense.nu[i] * dense.dt[i]) / dense.t[i] : 0.0;
    }
}

static double longest(int count) {
    double share = 1.0;
    for (int i = 0; i < count; i++) {
        if (dense.ds[i] < 0.0) share = least(share, -dense.s[i] / dense.ds[i]);
        if (dense.dlam[i] < 0.0) share = least(share, -dense.lam[i] / dense.dlam[i]);
        if (!dense.soft[i]) continue;
        if (dense.dt[i] < 0.0) share = least(share, -dense.t[i] / dense.dt[i]);
        if (dense.dnu[i] < 0.0) share = least(share, -dense.nu[i] / dense.dnu[i]);
    }
    return share;
}

static double complementarity(int count, double share) {
    double sum = 0.0;
    int pairs = 0;
    for (int i = 0; i < count; i++) {
        sum += (dense.s[i] + share * dense.ds[i]) * (dense.lam[i] + share * dense.dlam[i]);
        pairs++;
        if (!dense.soft[i]) continue;
        sum += (dense.t[i] + share * dense.dt[i]) * (dense.nu[i] + share * dense.dnu[i]);
        pairs++;
    }
    return pairs ? sum / pairs : 0.0;
}

HOT static int interior_point(programme *p) {
    condense(p);
    const int count = sides(p);
    memset(dense.u, 0, sizeof dense.u);
    memset(dense.ds, 0, sizeof dense.ds);
    memset(dense.dlam, 0, sizeof dense.dlam);
    memset(dense.dt, 0, sizeof dense.dt);
    memset(dense.dnu, 0, sizeof dense.dnu);
    for (int i = 0; i < count; i++) {
        /* Soft sides begin kept by their slacks, whose price those that are violated share with them. */
        const double all = SLACK_LINEAR + SLACK_SQUARE * (dense.t[i] = FIRST_SLACK + most(dense.bound[i], 0.0));
        if (!dense.soft[i]) dense.t[i] = 1.0;
        dense.s[i] = most(-dense.bound[i] + (dense.soft[i] ? dense.t[i] : 0.0), FIRST_SLACK);
        dense.lam[i] = dense.soft[i] && dense.bound[i] > 0.0 ? all / 2.0 : FIRST_PRICE / dense.s[i];
        dense.nu[i] = dense.soft[i] ? all - dense.lam[i] : 0.0;
    }
    double left = 0.0;
    const int before = p->iterations;
    for (;; p->iterations++) {
        if (is_late()) return 1;
        /* Residuals. */
        for (int i = 0; i < NV; i++) dense.rd[i] = dense.g[i] + dot(dense.H + i * NV, dense.u, NV);
        for (int i = 0; i < count; i++) dense.c[i] = -dense.lam[i];
        spread(dense.c, count, dense.rd);
        values_of(dense.u, count, dense.at);
        left = 0.0;
        for (int i = 0; i < NV; i++) left = most(left, fabs(dense.rd[i]));
        for (int i = 0; i < count; i++) {
            dense.r1[i] = dense.at[i] - dense.bound[i] + (dense.soft[i] ? dense.t[i] : 0.0) - dense.s[i];
            dense.r2[i] =
                dense.soft[i] ? SLACK_LINEAR + SLACK_SQUARE * dense.t[i] - dense.lam[i] - dense.nu[i] : 0.0;
            left = most(left, most(fabs(dense.r1[i]), fabs(dense.r2[i])));
            const double w0 = dense.lam[i] / dense.s[i];
            const double kept = SLACK_SQUARE + dense.nu[i] / dense.t[i];
            dense.w[i] = dense.soft[i] ? w0 * kept / (kept + w0) : w0;
        }
        const double mu = complementarity(count, 0.0);
        left = most(left, mu);
        if (!(left < HUGE_VAL)) return 1;
        if (left <= QP_TOLERANCE || p->iterations - before >= QP_LIMIT) break;
        if (factorised(count)) break;
        /* Predictor, then corrector. */
        direction(count, 0.0, 0);
        if (count) {
            const double ratio = complementarity(count, longest(count)) / mu;
            direction(count, ratio * ratio * ratio * mu, 1);
        }
        const double share = least(1.0, 0.995 * longest(count));
        for (int i = 0; i < NV; i++) dense.u[i] += share * dense.du[i];
        for (int i = 0; i < count; i++) {
            dense.s[i] += share * dense.ds[i];
            dense.lam[i] += share * dense.dlam[i];
            dense.t[i] += share * dense.dt[i];
            dense.nu[i] += share * dense.dnu[i];
            dense.ds[i] = dense.dlam[i] = dense.dt[i] = dense.dnu[i] = 0.0;
        }
        if (share < 1e-10) break;
    }
    if (!(left <= QP_ACCEPTED)) return 1;
    for (int k = 0; k < N; k++) {
        memcpy(p->du[k], dense.u + k * NU, sizeof p->du[k]);
        next_state(p, k);
    }
    return 0;
}
