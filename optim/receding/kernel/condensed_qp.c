/* The quadratic programme of an iteration without its states (condensing: Andersson 2013, algorithm by backward sweeps), by
   a primal-dual interior-point method with Mehrotra's predictor and corrector. Limits that are soft have slacks with linear
   and square prices, eliminated like those of the others. No memory is taken, no library is needed. */

#define NV (N * NU)
#define NROWS ((N - 1) * NG + NLIM) /* general constraints of all stages but the first */
#define NSIDES (2 * (NV + NROWS))

static THREAD_LOCAL struct {
    double G[N + 1][NXA * NV];   /* derivatives of the states, row major, NU columns for each stage before */
    double d[N + 1][NXA];        /* states without inputs */
    double H[NV * NV], g[NV], L[NV * NV], rows[(NROWS + 1) * NV];
    double low[NROWS + 1], high[NROWS + 1];
    double Y[NXA * NV], Z[NXA * NV];
    double u[NV], du[NV], rd[NV], right[NV];
    /* Sides: of each variable, then of each row, its low and its high; only those that are finite. */
    int of[NSIDES + 1], soft[NSIDES + 1];
    double sign[NSIDES + 1], bound[NSIDES + 1], s[NSIDES + 1], lam[NSIDES + 1], t[NSIDES + 1], nu[NSIDES + 1];
    double ds[NSIDES + 1], dlam[NSIDES + 1], dt[NSIDES + 1], dnu[NSIDES + 1];
    double r1[NSIDES + 1], r2[NSIDES + 1], w[NSIDES + 1], c[NSIDES + 1], e[NSIDES + 1], at[NSIDES + 1];
} dense;

/* C (m, c) = or += A (m, k) B (k, c), row major with these row lengths. */
HOT static void multiplied(double *restrict C, int lc, const double *restrict A, int la, int transposed,
                           const double *restrict B, int lb, int m, int k, int c, int adds) {
    for (int i = 0; i < m; i++) {
        double *restrict row = C + i * lc;
        if (!adds) memset(row, 0, sizeof(double) * c);
        for (int l = 0; l < k; l++) {
            const double a = transposed ? A[l * la + i] : A[i * la + l];
            if (a == 0.0) continue;
            const double *restrict b = B + l * lb;
            for (int j = 0; j < c; j++) row[j] += a * b[j];
        }
    }
}

HOT static void condense(const programme *p) {
    memcpy(dense.d[0], p->dx[0], sizeof dense.d[0]);
    for (int k = 0; k < N; k++) {
        multiplied(dense.G[k + 1], NV, p->A[k], NXA, 0, dense.G[k], NV, NXA, NXA, k * NU, 0);
        for (int i = 0; i < NXA; i++) {
            memcpy(dense.G[k + 1] + i * NV + k * NU, p->B[k] + i * NU, sizeof(double) * NU);
            dense.d[k + 1][i] = p->b[k][i];
        }
        multiplied(dense.d[k + 1], 1, p->A[k], NXA, 0, dense.d[k], 1, NXA, NXA, 1, 1);
    }
    double y[NXA], z[NXA];
    multiplied(dense.Y, NV, p->Q[N], NXA, 0, dense.G[N], NV, NXA, NXA, NV, 0);
    memcpy(y, p->q[N], sizeof y);
    multiplied(y, 1, p->Q[N], NXA, 0, dense.d[N], 1, NXA, NXA, 1, 1);
    for (int k = N - 1; k >= 0; k--) {
        const int columns = (k + 1) * NU;
        double *H = dense.H + k * NU * NV;
        multiplied(H, NV, p->B[k], NU, 1, dense.Y, NV, NU, NXA, columns, 0);
        multiplied(H, NV, p->S[k], NXA, 0, dense.G[k], NV, NU, NXA, k * NU, 1);
        for (int i = 0; i < NU; i++)
            for (int j = 0; j < NU; j++) H[i * NV + k * NU + j] += p->R[k][i * NU + j];
        double *g = dense.g + k * NU;
        memcpy(g, p->r[k], sizeof(double) * NU);
        multiplied(g, 1, p->B[k], NU, 1, y, 1, NU, NXA, 1, 1);
        multiplied(g, 1, p->S[k], NXA, 0, dense.d[k], 1, NU, NXA, 1, 1);
        if (!k) break;
        multiplied(dense.Z, NV, p->A[k], NXA, 1, dense.Y, NV, NXA, NXA, k * NU, 0);
        multiplied(dense.Z, NV, p->Q[k], NXA, 0, dense.G[k], NV, NXA, NXA, k * NU, 1);
        memcpy(dense.Y, dense.Z, sizeof dense.Y);
        memcpy(z, p->q[k], sizeof z);
        multiplied(z, 1, p->A[k], NXA, 1, y, 1, NXA, NXA, 1, 1);
        multiplied(z, 1, p->Q[k], NXA, 0, dense.d[k], 1, NXA, NXA, 1, 1);
        memcpy(y, z, sizeof y);
    }
    for (int i = 0; i < NV; i++)
        for (int j = 0; j < i; j++) dense.H[j * NV + i] = dense.H[i * NV + j];
    int row = 0;
    for (int k = 1; k <= N; k++) {
        const int count = k < N ? NG : NLIM;
        for (int i = 0; i < count; i++, row++) {
            double *a = dense.rows + row * NV, free = 0.0;
            memset(a, 0, sizeof(double) * NV);
            multiplied(a, NV, p->C[k] + i * NXA, NXA, 0, dense.G[k], NV, 1, NXA, k * NU, 0);
            if (k < N) memcpy(a + k * NU, p->D[k] + i * NU, sizeof(double) * NU);
            for (int l = 0; l < NXA; l++) free += p->C[k][i * NXA + l] * dense.d[k][l];
            dense.low[row] = p->low[k][i] - free;
            dense.high[row] = p->high[k][i] - free;
        }
    }
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
    for (int k = 1; k <= N; k++)
        for (int i = 0; i < (k < N ? NG : NLIM); i++, row++) {
            const double both[2] = {dense.low[row], dense.high[row]};
            for (int side = 0; side < 2; side++) {
                if (!isfinite(both[side])) continue;
                dense.of[count] = NV + row;
                dense.soft[count] = i < NLIM;
                dense.sign[count] = side ? -1.0 : 1.0;
                dense.bound[count++] = side ? -both[side] : both[side];
            }
        }
    return count;
}

/* The sides' values a'u in these variables. */
HOT static void values_of(const double *u, int count, double *out) {
    double rows[NROWS + 1];
    for (int i = 0; i < NROWS; i++) {
        double sum = 0.0;
        const double *a = dense.rows + i * NV;
        for (int j = 0; j < NV; j++) sum += a[j] * u[j];
        rows[i] = sum;
    }
    for (int i = 0; i < count; i++) out[i] = dense.sign[i] * (dense.of[i] < NV ? u[dense.of[i]] : rows[dense.of[i] - NV]);
}

/* Add the sides, weighted, to a vector of the variables. */
HOT static void spread(const double *weight, int count, double *out) {
    double rows[NROWS + 1];
    memset(rows, 0, sizeof rows);
    for (int i = 0; i < count; i++)
        if (dense.of[i] < NV)
            out[dense.of[i]] += dense.sign[i] * weight[i];
        else
            rows[dense.of[i] - NV] += dense.sign[i] * weight[i];
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
    for (int i = 0; i < count; i++)
        if (dense.of[i] < NV)
            dense.L[dense.of[i] * NV + dense.of[i]] += dense.w[i];
        else
            rows[dense.of[i] - NV] += dense.w[i];
    for (int i = 0; i < NROWS; i++) {
        const double *restrict a = dense.rows + i * NV;
        for (int j = 0; j < NV; j++) {
            const double f = rows[i] * a[j];
            if (f == 0.0) continue;
            double *restrict to = dense.L + j * NV;
            for (int l = 0; l <= j; l++) to[l] += f * a[l];
        }
    }
    /* By rows of the transpose, so that inner loops run over neighbours: U'U = L L'. */
    for (int i = 0; i < NV; i++)
        for (int j = 0; j < i; j++) dense.L[j * NV + i] = dense.L[i * NV + j];
    for (int i = 0; i < NV; i++) {
        double *restrict ui = dense.L + i * NV;
        if (!(ui[i] > 0.0)) return 1;
        const double inverse = 1.0 / sqrt(ui[i]);
        for (int j = i; j < NV; j++) ui[j] *= inverse;
        for (int l = i + 1; l < NV; l++) {
            const double f = ui[l];
            if (f == 0.0) continue;
            double *restrict ul = dense.L + l * NV;
            for (int j = l; j < NV; j++) ul[j] -= f * ui[j];
        }
    }
    return 0;
}

HOT static void solved(double *b) {
    for (int i = 0; i < NV; i++) {
        b[i] /= dense.L[i * NV + i];
        for (int j = i + 1; j < NV; j++) b[j] -= dense.L[i * NV + j] * b[i];
    }
    for (int i = NV - 1; i >= 0; i--) {
        double sum = b[i];
        for (int j = i + 1; j < NV; j++) sum -= dense.L[i * NV + j] * b[j];
        b[i] = sum / dense.L[i * NV + i];
    }
}

/* The direction for these products of slacks and multipliers, of which the second order is added where it is known. */
static void direction(int count, double target, int corrects) {
    for (int i = 0; i < count; i++) {
        const double rc1 = target - dense.s[i] * dense.lam[i] - (corrects ? dense.ds[i] * dense.dlam[i] : 0.0);
        const double w0 = dense.lam[i] / dense.s[i];
        if (dense.soft[i]) {
            const double rc2 = target - dense.t[i] * dense.nu[i] - (corrects ? dense.dt[i] * dense.dnu[i] : 0.0);
            const double D = SLACK_SQUARE + w0 + dense.nu[i] / dense.t[i];
            dense.e[i] = (rc1 / dense.s[i] + rc2 / dense.t[i] - dense.r2[i] - w0 * dense.r1[i]) / D;
            dense.c[i] = rc1 / dense.s[i] - w0 * (dense.r1[i] + dense.e[i]);
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

HOT static int solve_qp(programme *p) {
    condense(p);
    const int count = sides(p);
    memset(dense.u, 0, sizeof dense.u);
    memset(dense.ds, 0, sizeof dense.ds);
    memset(dense.dlam, 0, sizeof dense.dlam);
    memset(dense.dt, 0, sizeof dense.dt);
    memset(dense.dnu, 0, sizeof dense.dnu);
    for (int i = 0; i < count; i++) {
        dense.t[i] = dense.soft[i] ? FIRST_SLACK : 1.0;
        dense.s[i] = most(-dense.bound[i] + (dense.soft[i] ? dense.t[i] : 0.0), FIRST_SLACK);
        dense.lam[i] = FIRST_PRICE / dense.s[i];
        dense.nu[i] = dense.soft[i] ? FIRST_PRICE / dense.t[i] : 0.0;
    }
    double left = 0.0;
    for (p->iterations = 0;; p->iterations++) {
        if (is_late()) return 1;
        /* Residuals. */
        multiplied(dense.rd, 1, dense.H, NV, 0, dense.u, 1, NV, NV, 1, 0);
        for (int i = 0; i < NV; i++) dense.rd[i] += dense.g[i];
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
            const double D = dense.soft[i] ? SLACK_SQUARE + w0 + dense.nu[i] / dense.t[i] : HUGE_VAL;
            dense.w[i] = w0 * (1.0 - w0 / D);
        }
        const double mu = complementarity(count, 0.0);
        left = most(left, mu);
        if (!(left < HUGE_VAL)) return 1;
        if (left <= QP_TOLERANCE || p->iterations >= QP_LIMIT) break;
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
        memcpy(p->dx[k + 1], dense.d[k + 1], sizeof p->dx[k + 1]);
        multiplied(p->dx[k + 1], 1, dense.G[k + 1], NV, 0, dense.u, 1, NXA, (k + 1) * NU, 1, 1);
    }
    return 0;
}
