/* Moving horizon estimation: the least squares of a window of samples over states, process noise and parameters, by Gauss
   and Newton. The linearised problem is solved by a Kalman filter forwards and Bryson and Frazier's smoother backwards,
   which is the same (Bell 1994); what the window has left behind counts by the filter's estimate at its start. Large
   residuals count by their magnitude (Huber 1964), by weights from innovations. */

#define NZ (NX + NPAR)

typedef struct {
    double xs[W + 1][NX], K[W][ROWS], w[W][NW + 1], theta[NPAR + 1];
    double u[W][NKNOWN + 1], y[W + 1][NY], acted[W + 1][NKNOWN + 1];
    double prior[NZ], P[NZ * NZ], next_prior[NZ], next_P[NZ * NZ]; /* at the start of the window, and a sample later */
    double count, begun, outliers, deviations[NPAR + 1];
} memory;

static THREAD_LOCAL struct {
    double z[W + 1][NZ], P[W + 1][NZ * NZ];                        /* after the samples */
    double g[W + 1][NY][NZ], h[W + 1][NY][NZ], left[W + 1][NY];    /* gains, rows, innovations over their variances */
    double F[W][NZ * NZ], G[W][NX * (NW + 1)], JK[W][ROWS * COLUMNS];
    double T[NZ * NZ], lam[NZ], new_lam[NZ];
} es;

static void known(const double *u, double *p) {
    memcpy(p, u, sizeof(double) * NKNOWN);
    memcpy(p + NKNOWN, FIXED, sizeof(double) * NFIXED);
}

static void chosen(const memory *m, int k, double *v) {
    memcpy(v, m->w[k], sizeof(double) * NW);
    memcpy(v + NW, m->theta, sizeof(double) * NPAR);
}

/* Samples, one variable after the other; returns whether one of the newest sample was an outlier. */
static int corrected(memory *m, int k, double *z, double *P, int *outliers) {
    static THREAD_LOCAL double h[NY], Hx[NY * NX], Ht[NY * NPAR + 1];
    double p[NKNOWN + NFIXED + 1];
    known(m->acted[k], p);
    arguments[0] = m->xs[k], arguments[1] = m->theta, arguments[2] = p;
    results[0] = h, results[1] = Hx, results[2] = Ht;
    if (MEASURED(arguments, results, integers, reals, 0)) return 1;
    *outliers = 0;
    for (int i = 0; i < NY; i++) {
        double *row = es.h[k][i], *gain = es.g[k][i], s = 0.0, expected = h[i];
        es.left[k][i] = 0.0;
        if (!isfinite(m->y[k][i]) || !isfinite(h[i])) {
            memset(gain, 0, sizeof(double) * NZ);
            memset(row, 0, sizeof(double) * NZ);
            continue;
        }
        for (int c = 0; c < NX; c++) row[c] = Hx[c * NY + i];
        for (int c = 0; c < NPAR; c++) row[NX + c] = Ht[c * NY + i];
        for (int c = 0; c < NX; c++) expected += row[c] * (z[c] - m->xs[k][c]);
        for (int c = 0; c < NPAR; c++) expected += row[NX + c] * (z[NX + c] - m->theta[c]);
        for (int a = 0; a < NZ; a++) {
            gain[a] = 0.0;
            for (int c = 0; c < NZ; c++) gain[a] += P[a * NZ + c] * row[c];
        }
        for (int a = 0; a < NZ; a++) s += row[a] * gain[a];
        const double innovation = m->y[k][i] - expected, far = fabs(innovation) / (HUBER * sqrt(s + VARIANCE[i]));
        s += VARIANCE[i] * (far > 1.0 ? far * far : 1.0);
        *outliers += far > 1.0;
        es.left[k][i] = innovation / s;
        for (int a = 0; a < NZ; a++) z[a] += gain[a] * es.left[k][i];
        for (int a = 0; a < NZ; a++)
            for (int c = 0; c < NZ; c++) P[a * NZ + c] -= gain[a] * gain[c] / s;
        for (int a = 0; a < NZ; a++) gain[a] /= s;
    }
    return 0;
}

HOT static int predicted(memory *m, int k, double *z, double *P) {
    double v[NU + 1], p[NKNOWN + NFIXED + 1], next[NX], *JK = es.JK[k], *F = es.F[k], *G = es.G[k];
    static const double none[1] = {0.0};
    known(m->u[k], p);
    chosen(m, k, v);
    if (collocated(m->xs[k], v, m->K[k], PERIOD, p, none, 0, JK)) return 1;
    end_of(m->xs[k], m->K[k], PERIOD, next);
    memset(F, 0, sizeof(double) * NZ * NZ);
    for (int i = 0; i < NX; i++) {
        double row[COLUMNS];
        end_row(JK, COLUMNS, i, PERIOD, row);
        next[i] += row[NX + NU];
        memcpy(F + i * NZ, row, sizeof(double) * NX);
        memcpy(G + i * (NW + 1), row + NX, sizeof(double) * NW);
        memcpy(F + i * NZ + NX, row + NX + NW, sizeof(double) * NPAR);
        for (int c = 0; c < NX; c++) next[i] += F[i * NZ + c] * (z[c] - m->xs[k][c]);
        for (int c = 0; c < NPAR; c++) next[i] += F[i * NZ + NX + c] * (z[NX + c] - m->theta[c]);
        for (int c = 0; c < NW; c++) next[i] -= G[i * (NW + 1) + c] * m->w[k][c];
    }
    for (int i = NX; i < NZ; i++) F[i * NZ + i] = 1.0;
    memcpy(z, next, sizeof next);
    for (int a = 0; a < NZ; a++)
        for (int c = 0; c < NZ; c++) {
            double sum = 0.0;
            for (int i = 0; i < NZ; i++) sum += F[a * NZ + i] * P[i * NZ + c];
            es.T[a * NZ + c] = sum;
        }
    for (int a = 0; a < NZ; a++)
        for (int c = 0; c <= a; c++) {
            double sum = 0.0;
            for (int i = 0; i < NZ; i++) sum += es.T[a * NZ + i] * F[c * NZ + i];
            if (a < NX && c < NX)
                for (int i = 0; i < NW; i++) sum += G[a * (NW + 1) + i] * PROCESS[i] * G[c * (NW + 1) + i];
            P[a * NZ + c] = P[c * NZ + a] = sum;
        }
    return !all_finite(z, NZ) || !all_finite(P, NZ * NZ);
}

/* One step of Gauss and Newton over the window. */
static int smoothed(memory *m) {
    const int count = (int)(m->count + 0.5);
    double z[NZ], P[NZ * NZ];
    int outliers = 0;
    memcpy(z, m->prior, sizeof z);
    memcpy(P, m->P, sizeof P);
    for (int k = 0;; k++) {
        if (corrected(m, k, z, P, &outliers)) return 1;
        memcpy(es.z[k], z, sizeof z);
        memcpy(es.P[k], P, sizeof P);
        if (k == count) break;
        if (predicted(m, k, z, P)) return 1;
        if (k == 0) memcpy(m->next_prior, z, sizeof z), memcpy(m->next_P, P, sizeof P);
    }
    for (int i = 0; i < NPAR; i++) m->deviations[i] = sqrt(most(0.0, P[(NX + i) * NZ + NX + i]));
    m->outliers = outliers;
    /* Backwards; what changes is kept until all is known. */
    static THREAD_LOCAL double states[W + 1][NX], noises[W][NW + 1];
    memset(es.lam, 0, sizeof es.lam);
    for (int k = count; k >= 0; k--) {
        for (int i = 0; i < NX; i++) {
            states[k][i] = es.z[k][i];
            for (int c = 0; c < NZ; c++) states[k][i] -= es.P[k][i * NZ + c] * es.lam[c];
        }
        if (k == 0) break;
        for (int i = NY - 1; i >= 0; i--) {
            double sum = es.left[k][i];
            for (int c = 0; c < NZ; c++) sum += es.g[k][i][c] * es.lam[c];
            for (int c = 0; c < NZ; c++) es.lam[c] -= es.h[k][i][c] * sum;
        }
        for (int i = 0; i < NW; i++) {
            noises[k - 1][i] = 0.0;
            for (int c = 0; c < NX; c++) noises[k - 1][i] -= PROCESS[i] * es.G[k - 1][c * (NW + 1) + i] * es.lam[c];
        }
        for (int i = 0; i < NZ; i++) {
            es.new_lam[i] = 0.0;
            for (int c = 0; c < NZ; c++) es.new_lam[i] += es.F[k - 1][c * NZ + i] * es.lam[c];
        }
        memcpy(es.lam, es.new_lam, sizeof es.lam);
    }
    if (!all_finite(states[0], NX) || !all_finite(states[count], NX)) return 1;
    double dtheta[NPAR + 1];
    for (int i = 0; i < NPAR; i++) {
        const double wanted = clipped(es.z[count][NX + i], PARAMETER_LOW[i], PARAMETER_HIGH[i]);
        dtheta[i] = wanted - m->theta[i];
    }
    for (int k = 0; k < count; k++)
        for (int i = 0; i < ROWS; i++) {
            const double *row = es.JK[k] + i * COLUMNS;
            double change = row[NX + NU];
            for (int c = 0; c < NX; c++) change += row[c] * (states[k][c] - m->xs[k][c]);
            for (int c = 0; c < NW; c++) change += row[NX + c] * (noises[k][c] - m->w[k][c]);
            for (int c = 0; c < NPAR; c++) change += row[NX + NW + c] * dtheta[c];
            m->K[k][i] += change;
        }
    for (int k = 0; k <= count; k++) memcpy(m->xs[k], states[k], sizeof states[k]);
    for (int k = 0; k < count; k++) memcpy(m->w[k], noises[k], sizeof noises[k]);
    for (int i = 0; i < NPAR; i++) m->theta[i] += dtheta[i];
    return 0;
}

static void begin_at(memory *m, const double *x, const double *theta) {
    memset(m, 0, sizeof *m);
    memcpy(m->xs[0], x, sizeof m->xs[0]);
    memcpy(m->theta, theta, sizeof(double) * NPAR);
    memcpy(m->prior, x, sizeof(double) * NX);
    memcpy(m->prior + NX, theta, sizeof(double) * NPAR);
    for (int i = 0; i < NZ; i++) m->P[i * NZ + i] = UNCERTAINTY[i];
    m->begun = 1.0;
}

static int estimated(memory *m, const double *y, const double *acted) {
    int count = (int)(m->count + 0.5);
    const int first = m->begun < 1.5;
    if (!first) {
        if (count == W) {
            memcpy(m->prior, m->next_prior, sizeof m->prior);
            memcpy(m->P, m->next_P, sizeof m->P);
            memmove(m->xs[0], m->xs[1], sizeof m->xs[0] * W);
            memmove(m->K[0], m->K[1], sizeof m->K[0] * (W - 1));
            memmove(m->w[0], m->w[1], sizeof m->w[0] * (W - 1));
            memmove(m->u[0], m->u[1], sizeof m->u[0] * (W - 1));
            memmove(m->y[0], m->y[1], sizeof m->y[0] * W);
            memmove(m->acted[0], m->acted[1], sizeof m->acted[0] * W);
            count--;
        }
        double v[NU + 1], p[NKNOWN + NFIXED + 1];
        static const double none[1] = {0.0};
        memcpy(m->u[count], acted, sizeof(double) * NKNOWN);
        memset(m->w[count], 0, sizeof m->w[count]);
        if (count)
            memcpy(m->K[count], m->K[count - 1], sizeof m->K[0]);
        else
            memset(m->K[count], 0, sizeof m->K[0]);
        known(acted, p);
        chosen(m, count, v);
        memcpy(m->xs[count + 1], m->xs[count], sizeof m->xs[0]);
        if (advance(m->xs[count + 1], v, m->K[count], PERIOD, p, none)) return 1;
        count++;
    }
    m->begun = 2.0;
    m->count = count;
    memcpy(m->y[count], y, sizeof m->y[0]);
    memcpy(m->acted[count], acted, sizeof(double) * NKNOWN);
    for (int step = 0; step < GAUSS_NEWTON_STEPS; step++)
        if (smoothed(m)) return 1;
    return 0;
}
