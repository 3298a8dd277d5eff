/* The iteration itself, behind programme.h and a solver. */

/* The equations of an interval as the programme has them: scaled. */
HOT static int linearise(memory *m, int k, const double *p) {
    const double H = GRID[k];
    double *JK = ws.JK[k], *A = ws.qp.A[k], *B = ws.qp.B[k], *b = ws.qp.b[k], next[NX];
    if (collocated(m->xs[k], m->us[k], m->K[k], H, p, m->force, 0, JK)) return 1;
    end_of(m->xs[k], m->K[k], H, next);
    for (int i = 0; i < NX; i++) {
        double row[COLUMNS];
        end_row(JK, COLUMNS, i, H, row);
        const double scale = 1.0 / SIGMA[i];
        for (int c = 0; c < NX; c++) A[i * NX + c] = row[c] * SIGMA[c] * scale;
        for (int c = 0; c < NU; c++) B[i * NU + c] = row[NX + c] * SIZE[c] * scale;
        b[i] = (next[i] + row[NX + NU] - m->xs[k + 1][i]) * scale;
    }
    return !all_finite(b, NX);
}

/* The law to which nothing can happen: it holds the driven coordinates and brakes them. */
static void stabilising(const double *x, const double *p, const double *f, double *u) {
    arguments[0] = x, arguments[1] = p, arguments[2] = f;
    results[0] = u, results[1] = 0;
    const int failed = STABILISING(arguments, results, integers, reals, 0);
    for (int i = 0; i < NU; i++)
        u[i] = failed || !isfinite(u[i]) ? clipped(0.0, ULOW[i], UHIGH[i]) : clipped(u[i], ULOW[i], UHIGH[i]);
}

/* The motion from x under that law, with the inputs (between low and high) of its end: so it comes to rest however long the
   interval is, while inputs that follow what vibrates, sampled at its beginning, would drive it. */
static int settle(double *x, double *u, const double *low, const double *high, double *K, double H, const double *p,
                  const double *f) {
    static THREAD_LOCAL double JK[ROWS * COLUMNS], law[NU + 1], slope[NU * NX + 1], M[NU * NU + 1], du[NU + 1];
    double first = 0.0, size = 0.0, end[NX], moved[NX][COLUMNS];
    for (int i = 0; i < NU; i++) u[i] = clipped(0.0, low[i], high[i]);
    for (int step = 0; step < NEWTON_STEPS; step++) {
        if (collocated(x, u, K, H, p, f, 0, JK)) return 1;
        for (int i = 0; i < NX; i++) end_row(JK, COLUMNS, i, H, moved[i]);
        end_of(x, K, H, end);
        for (int i = 0; i < NX; i++) end[i] += moved[i][NX + NU];
        arguments[0] = end, arguments[1] = p, arguments[2] = f;
        results[0] = law, results[1] = slope;
        if (STABILISING(arguments, results, integers, reals, 0)) return 1;
        for (int a = 0; a < NU; a++) {
            du[a] = law[a] - u[a];
            for (int c = 0; c < NU; c++) {
                M[a * NU + c] = a == c;
                for (int i = 0; i < NX; i++) M[a * NU + c] -= slope[i * NU + a] * moved[i][NX + c];
            }
        }
        if (solve(M, du, NU, 1)) return 1;
        for (int i = 0; i < NU; i++) {
            const double wanted = clipped(u[i] + du[i], low[i], high[i]);
            du[i] = wanted - u[i], u[i] = wanted;
        }
        double all = 0.0;
        size = 0.0;
        for (int i = 0; i < ROWS; i++) {
            double change = JK[i * COLUMNS + NX + NU];
            for (int c = 0; c < NU; c++) change += JK[i * COLUMNS + NX + c] * du[c];
            K[i] += change;
            size += change * change;
            all += K[i] * K[i];
        }
        if (!isfinite(size)) return 1;
        if (step == 0) first = size;
        if (size <= 1e-12 * all || size <= 1e-16 * first) break;
    }
    if (size > first) return 1; /* it runs away */
    end_of(x, K, H, end);
    if (!all_finite(end, NX) || !all_finite(u, NU)) return 1;
    memcpy(x, end, sizeof end);
    return 0;
}

/* A plan from x on that the stabilising law makes; what of it the deadline leaves no time for stays where it is. */
static void reset(memory *m, const double *x, const double *p) {
    memcpy(m->xs[0], x, sizeof m->xs[0]);
    for (int k = 0; k < N; k++) {
        const double *before = k ? m->us[k - 1] : m->last;
        double low[NU + 1], high[NU + 1];
        for (int i = 0; i < NU; i++) {
            low[i] = clipped(before[i] - RATE[i] * GRID[k], ULOW[i], UHIGH[i]);
            high[i] = clipped(before[i] + RATE[i] * GRID[k], ULOW[i], UHIGH[i]);
        }
        memset(m->K[k], 0, sizeof m->K[k]);
        memcpy(m->xs[k + 1], m->xs[k], sizeof m->xs[k]);
        if (!is_late() && !settle(m->xs[k + 1], m->us[k], low, high, m->K[k], GRID[k], p, m->force)) continue;
        /* It stays where it is. */
        if (k && is_late())
            memcpy(m->us[k], before, sizeof m->us[k]);
        else
            stabilising(m->xs[k], p, m->force, m->us[k]);
        for (int i = 0; i < NU; i++) m->us[k][i] = clipped(m->us[k][i], low[i], high[i]);
        memset(m->K[k], 0, sizeof m->K[k]);
        memcpy(m->xs[k + 1], m->xs[k], sizeof m->xs[k]);
        for (int i = NQ; i < 2 * NQ; i++) m->xs[k + 1][i] = 0.0;
    }
}

static void shift(memory *m) {
    for (int k = 0; k < N; k++) {
        const double share = least(1.0, GRID[0] / GRID[k]);
        for (int i = 0; i < NX; i++) m->xs[k][i] += share * (m->xs[k + 1][i] - m->xs[k][i]);
        if (k + 1 == N) break;
        for (int i = 0; i < NU; i++) m->us[k][i] += share * (m->us[k + 1][i] - m->us[k][i]);
        for (int i = 0; i < ROWS; i++) m->K[k][i] += share * (m->K[k + 1][i] - m->K[k][i]);
    }
}

/* Estimate a constant generalised force from what the state differs by from its prediction: a regularised least-squares
   step in coordinates in which each force has an effect of one. */
HOT static void estimate(memory *m, const double *x, const double *p) {
    static THREAD_LOCAL double JK[ROWS * (COLUMNS + NF)], G[NX * NF], normal[NF * NF], step[NF];
    const int columns = COLUMNS + NF;
    /* Where coordinates change, or measurements jump, it says nothing. */
    for (int i = 0; i < NX; i++)
        if (!(fabs(x[i] - m->predicted[i]) < FARTHEST * SIGMA[i])) return;
    if (!(FILTER > 0.0) || collocated(m->xs[0], m->us[0], m->K[0], GRID[0], p, m->force, 1, JK)) return;
    for (int i = 0; i < NX; i++) {
        double row[COLUMNS + NF];
        end_row(JK, columns, i, GRID[0], row);
        for (int c = 0; c < NF; c++) G[i * NF + c] = row[COLUMNS + c] / SIGMA[i];
    }
    double size[NF];
    for (int c = 0; c < NF; c++) {
        size[c] = 0.0;
        for (int i = 0; i < NX; i++) size[c] += G[i * NF + c] * G[i * NF + c];
        size[c] = size[c] > 0.0 ? 1.0 / sqrt(size[c]) : 0.0;
    }
    for (int a = 0; a < NF; a++) {
        step[a] = 0.0;
        for (int i = 0; i < NX; i++) step[a] += size[a] * G[i * NF + a] * (x[i] - m->predicted[i]) / SIGMA[i];
        for (int c = 0; c < NF; c++) {
            double sum = a == c ? REGULARISED : 0.0;
            for (int i = 0; i < NX; i++) sum += size[a] * G[i * NF + a] * G[i * NF + c] * size[c];
            normal[a * NF + c] = sum;
        }
    }
    if (solve(normal, step, NF, 1) || !all_finite(step, NF)) return;
    for (int c = 0; c < NF; c++) m->force[c] += FILTER * size[c] * step[c];
}

/* Residuals, those beyond their caps drawn back to them, together in each group: a loss that grows linearly, so that no
   reference pulls farther than a linearisation reaches. Returns whether any was. */
static int capped(double *r, const double *cap, const int *group, int count) {
    int any = 0;
    for (int i = 0; i < count; i++) {
        if (group[i] != i || !isfinite(cap[i])) continue; /* the first of its group */
        double size = 0.0;
        for (int j = i; j < count; j++)
            if (group[j] == i) size += (r[j] / cap[j]) * (r[j] / cap[j]);
        if (size <= 1.0) continue;
        any = 1;
        size = 1.0 / sqrt(size);
        for (int j = i; j < count; j++)
            if (group[j] == i) r[j] *= size;
    }
    return any;
}

/* A bound on the curvature that Gauss and Newton leave out: residuals times second derivatives. A coordinate that moves by
   its scale turns by as much as SHARE what it moves. */
static double left_out(const double *r, const double *cap, const int *group, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        if (group[i] != i || !isfinite(cap[i])) continue;
        double size = 0.0;
        for (int j = i; j < count; j++)
            if (group[j] == i) size += r[j] * r[j];
        sum += SHARE * cap[i] * sqrt(size);
    }
    return sum;
}

HOT static int cost(const memory *m, int k, const double *p) {
    static THREAD_LOCAL double r[NR + 1], Jx[NR * NX + 1], Ju[NR * NU + 1];
    programme *qp = &ws.qp;
    arguments[0] = m->xs[k], arguments[1] = m->us[k], arguments[2] = ws.reference[k], arguments[3] = p;
    arguments[4] = m->force;
    results[0] = r, results[1] = Jx, results[2] = Ju;
    if (STAGE(arguments, results, integers, reals, 0)) return 1;
    ws.limited |= capped(r, CAP, GROUP, NR);
    const double w = GRID[k] * COST, curvature = left_out(r, CAP, GROUP, NR);
    for (int c = 0; c < NX; c++)
        for (int i = 0; i < NR; i++) Jx[c * NR + i] *= SIGMA[c];
    for (int c = 0; c < NU; c++)
        for (int i = 0; i < NR; i++) Ju[c * NR + i] *= SIZE[c];
    double *row = qp->Q[k];
    for (int a = 0; a < NX; a++, row += a) {
        const double *ja = Jx + a * NR;
        for (int c = 0; c <= a; c++) {
            const double *jc = Jx + c * NR;
            double sum = 0.0;
            for (int i = 0; i < NR; i++) sum += ja[i] * jc[i];
            row[c] = w * sum;
        }
        row[a] += REGULAR_X + w * (REST[a] + (a < NQ ? curvature : 0.0));
        qp->q[k][a] = w * REST[a] * m->xs[k][a] / SIGMA[a];
        for (int i = 0; i < NR; i++) qp->q[k][a] += w * ja[i] * r[i];
    }
    for (int a = 0; a < NU; a++) {
        const double *ja = Ju + a * NR;
        for (int c = 0; c < NX; c++) {
            double sum = 0.0;
            for (int i = 0; i < NR; i++) sum += ja[i] * Jx[c * NR + i];
            qp->S[k][a * NX + c] = w * sum;
        }
        for (int c = 0; c < NU; c++) {
            double sum = 0.0;
            for (int i = 0; i < NR; i++) sum += ja[i] * Ju[c * NR + i];
            qp->R[k][a * NU + c] = w * sum + (a == c ? REGULAR_U : 0.0);
        }
        qp->r[k][a] = 0.0;
        for (int i = 0; i < NR; i++) qp->r[k][a] += w * ja[i] * r[i];
    }
    return 0;
}

static int terminal_cost(const memory *m, const double *p) {
    static THREAD_LOCAL double r[NT + 1], J[NT * NX + 1], SJ[NT * NX + 1];
    programme *qp = &ws.qp;
    arguments[0] = m->xs[N], arguments[1] = ws.reference[N], arguments[2] = ws.rate, arguments[3] = p;
    arguments[4] = m->force;
    results[0] = r, results[1] = J;
    if (TERMINAL(arguments, results, integers, reals, 0)) return 1;
    ws.limited |= capped(r, TERMINAL_CAP, TERMINAL_GROUP, NT);
    /* Of the last interval's length, as all that is priced at its end. */
    const double curvature = GRID[N - 1] * COST * left_out(r, TERMINAL_CAP, TERMINAL_GROUP, NT);
    for (int c = 0; c < NX; c++)
        for (int i = 0; i < NT; i++) {
            double sum = 0.0;
            for (int j = 0; j < NT; j++) sum += COST_TO_GO[i * NT + j] * J[c * NT + j];
            SJ[c * NT + i] = COST * sum * SIGMA[c];
        }
    double *row = qp->Q[N];
    for (int a = 0; a < NX; a++, row += a) {
        for (int c = 0; c <= a; c++) {
            double sum = 0.0;
            for (int i = 0; i < NT; i++) sum += J[a * NT + i] * SJ[c * NT + i];
            row[c] = SIGMA[a] * sum + (a == c ? REGULAR_X + (a < NQ ? curvature : 0.0) : 0.0);
        }
        qp->q[N][a] = 0.0;
        for (int i = 0; i < NT; i++) qp->q[N][a] += SJ[a * NT + i] * r[i];
    }
    return 0;
}

/* Limits on states and outputs, linearised; those on changes of inputs behind them. */
static int limits(const memory *m, int k, const double *p) {
    programme *qp = &ws.qp;
#if NLIM
    static THREAD_LOCAL double g[NLIM], J[NLIM * NX], Ju[NLIM * NU];
    /* At the end the last input goes on. */
    arguments[0] = m->xs[k], arguments[1] = m->us[k < N ? k : N - 1], arguments[2] = p, arguments[3] = m->force;
    results[0] = g, results[1] = J, results[2] = Ju;
    if (LIMITS(arguments, results, integers, reals, 0)) return 1;
    for (int i = 0; i < NLIM; i++) {
        for (int c = 0; c < NX; c++) qp->C[k][i * NX + c] = J[c * NLIM + i] * SIGMA[c] / LIMIT_SIZE[i];
        for (int c = 0; c < NU; c++) qp->D[k][i * NU + c] = Ju[c * NLIM + i] * SIZE[c] / LIMIT_SIZE[i];
        qp->low[k][i] = (LIMIT_LOW[i] - g[i]) / LIMIT_SIZE[i];
        qp->high[k][i] = (LIMIT_HIGH[i] - g[i]) / LIMIT_SIZE[i];
    }
#endif
    for (int i = NLIM; i < NG && k < N; i++) {
        const int c = i - NLIM;
        const double change = k ? m->us[k][c] - m->us[k - 1][c] : 0.0, most_of = RATE[c] * GRID[k];
        qp->low[k][i] = (-most_of - change) / SIZE[c];
        qp->high[k][i] = (most_of - change) / SIZE[c];
    }
    (void)p;
    return 0;
}

static int prepare(memory *m, const double *x, const double *p) {
    programme *qp = &ws.qp;
    ws.limited = ws.qp.iterations = 0;
    double defect = 0.0;
    for (int k = 0; k < N; k++) {
        if (is_late() || linearise(m, k, p) || cost(m, k, p) || limits(m, k, p)) return 1;
        for (int i = 0; i < NX; i++) defect = most(defect, fabs(qp->b[k][i]));
        for (int i = 0; i < NU; i++) {
            qp->ulow[k][i] = (ULOW[i] - m->us[k][i]) / SIZE[i];
            qp->uhigh[k][i] = (UHIGH[i] - m->us[k][i]) / SIZE[i];
            if (k == 0) {
                qp->ulow[k][i] = most(qp->ulow[k][i], (m->last[i] - RATE[i] * GRID[0] - m->us[0][i]) / SIZE[i]);
                qp->uhigh[k][i] = least(qp->uhigh[k][i], (m->last[i] + RATE[i] * GRID[0] - m->us[0][i]) / SIZE[i]);
            }
        }
    }
    if (terminal_cost(m, p) || limits(m, N, p)) return 1;
    /* The first state is known. */
    for (int i = 0; i < NX; i++) qp->dx[0][i] = (x[i] - m->xs[0][i]) / SIGMA[i];
    for (int i = 0; i < NX; i++) defect = most(defect, fabs(qp->dx[0][i]));
    return !(defect < FARTHEST);
}

static int feedback(memory *m) {
    programme *qp = &ws.qp;
    if (solve_qp(qp)) return 1;
    double farthest = 0.0;
    for (int k = 1; k <= N; k++) {
        if (!all_finite(qp->dx[k], NX)) return 1;
        for (int i = 0; i < NX; i++) farthest = most(farthest, fabs(qp->dx[k][i]));
    }
    for (int k = 0; k < N; k++)
        if (!all_finite(qp->du[k], NU)) return 1;
    /* A step beyond the range of linearisations is taken in part. */
    const double share = farthest > FARTHEST ? FARTHEST / farthest : 1.0;
    for (int k = 0; k <= N; k++) {
        double dx[NX], du[NU];
        for (int i = 0; i < NX; i++) dx[i] = share * SIGMA[i] * qp->dx[k][i];
        if (k < N) {
            for (int i = 0; i < NU; i++) du[i] = share * SIZE[i] * qp->du[k][i];
            for (int i = 0; i < ROWS; i++) {
                const double *row = ws.JK[k] + i * COLUMNS;
                double change = share * row[NX + NU];
                for (int c = 0; c < NX; c++) change += row[c] * dx[c];
                for (int c = 0; c < NU; c++) change += row[NX + c] * du[c];
                m->K[k][i] += change;
            }
            for (int i = 0; i < NU; i++) m->us[k][i] += du[i];
        }
        for (int i = 0; i < NX; i++) m->xs[k][i] += dx[i];
    }
    return 0;
}

/* What the references are over the horizon: those known ahead as functions of time, the others as they are now. */
static int look_ahead(const memory *m, const double *now) {
#if NREF
    double t = m->time + DELAY;
    for (int k = 0; k <= N; k++) {
        const int last = k == N;
        arguments[0] = &t, arguments[1] = now;
        results[0] = ws.reference[k], results[1] = last ? ws.rate : 0;
        if (REFERENCE(arguments, results, integers, reals, 0) || !all_finite(ws.reference[k], NREF)) return 1;
        if (!last) t += GRID[k];
    }
    return !all_finite(ws.rate, NREF);
#else
    (void)m, (void)now;
    return 0;
#endif
}

/* What the next sample should find, from x on, where u begins to act within this one. */
static void expect(memory *m, const double *x, const double *u, const double *p) {
    double K[ROWS];
    memcpy(K, m->K[0], sizeof K);
    memcpy(m->predicted, x, sizeof m->predicted);
    if (advance(m->predicted, u, K, GRID[0] - RELEASE, p, m->force)) m->predicted[0] = NAN;
}

/* A sample is over: commands on their way move on. */
static void dispatch(memory *m, const double *u) {
    for (int j = 0; j + 1 < WAITING; j++) memcpy(m->pending[j], m->pending[j + 1], sizeof m->pending[j]);
    if (WAITING) memcpy(m->pending[WAITING - 1], u, sizeof m->pending[0]);
    m->time += GRID[0];
}

/* One sample, by its deadline where `clock` is not 0. */
static int iterate(memory *m, const double *measured, const double *now, const double *p, double (*clock)(void),
                   double *u) {
    double *count = m->counters, x[NX], planned[NU];
    deadline.clock = isfinite(DEADLINE) ? clock : 0;
    deadline.passed = 0;
    if (deadline.clock) deadline.until = deadline.clock() + DEADLINE;
    count[STEPS] += 1.0;
    if (!all_finite(measured, NX) || look_ahead(m, now)) {
        /* Nothing is known of this sample: the last command goes on. */
        memcpy(u, m->last, sizeof m->last);
        if (m->begun > 0.5) shift(m);
        dispatch(m, u);
        count[UNKNOWN] += 1.0;
        m->predicted[0] = NAN; /* so that the next one says nothing of forces */
        return 0;
    }
    if (m->begun > 0.5) {
        shift(m);
        estimate(m, measured, p);
    }
    /* The state at which the command takes effect, and that which the next sample should find. */
    memcpy(x, measured, sizeof x);
    for (int j = 0; j < WAITING; j++) {
        double K[ROWS];
        memcpy(K, m->K[0], sizeof K);
        if (m->begun < 0.5) memset(K, 0, sizeof K);
        if (advance(x, m->pending[j], K, j ? GRID[0] : RELEASE, p, m->force)) memcpy(x, measured, sizeof x);
        if (j) continue;
        if (RELEASE == GRID[0])
            memcpy(m->predicted, x, sizeof x);
        else if (WAITING > 1)
            expect(m, x, m->pending[1], p);
    }
    if (m->begun < 0.5) {
        reset(m, x, p);
        m->begun = 1.0;
    }
    memcpy(planned, m->us[0], sizeof planned);
    int failed = prepare(m, x, p);
    if (failed && !deadline.passed) count[RESETS] += 1.0;
    if (!failed) failed = feedback(m), count[QP_ITERATIONS] += ws.qp.iterations;
    if (failed && !deadline.passed) {
        /* A second iteration, from the plan of the stabilising law. */
        reset(m, x, p);
        count[SECOND] += 1.0;
        failed = prepare(m, x, p) || feedback(m);
        count[QP_ITERATIONS] += ws.qp.iterations;
    }
    count[QP_MOST] = most(count[QP_MOST], ws.qp.iterations);
    count[LIMITED] += ws.limited;
    if (failed) {
        m->failing += 1.0;
        const int shifts = m->failing <= SHIFTS;
        count[shifts ? SHIFTED : STABILISED] += 1.0;
        if (shifts)
            memcpy(u, planned, sizeof planned);
        else
            stabilising(x, p, m->force, u);
        if (deadline.passed)
            count[LATE] += 1.0; /* the plan stays, shifted */
        else
            reset(m, x, p);
    } else {
        m->failing = 0.0;
        memcpy(u, m->us[0], sizeof m->us[0]);
    }
    int saturated = 0;
    for (int i = 0; i < NU; i++) {
        const double low = most(ULOW[i], m->last[i] - RATE[i] * GRID[0]);
        const double high = least(UHIGH[i], m->last[i] + RATE[i] * GRID[0]);
        u[i] = clipped(u[i], low, high);
        saturated |= u[i] <= low + 1e-6 * SIZE[i] || u[i] >= high - 1e-6 * SIZE[i];
        m->last[i] = m->us[0][i] = u[i];
    }
    count[SATURATED] += saturated;
    if (WAITING == 0)
        memcpy(m->predicted, m->xs[1], sizeof m->predicted);
    else if (WAITING == 1 && RELEASE < GRID[0])
        expect(m, x, u, p);
    dispatch(m, u);
    return 0;
}
