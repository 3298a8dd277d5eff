/* The quadratic programme of an iteration by HPIPM (Frison & Diehl 2020), an interior-point method on the Riccati
   recursion, with BLASFEO. Memory is taken once for each thread. */
#define NXA (NX + NPREV) /* its state: with the last input where its rate is limited */

typedef struct {
    struct d_ocp_qp_dim dim;
    struct d_ocp_qp qp;
    struct d_ocp_qp_sol sol;
    struct d_ocp_qp_ipm_arg arg;
    struct d_ocp_qp_ipm_ws ipm;
    int ready;
} solver;

static THREAD_LOCAL solver hpipm;

static void *taken(long size) {
    /* BLASFEO writes whole panels. */
    void *memory = calloc(1, size + 64);
    return memory;
}

static int begin(void) {
    int nx[N + 1], nu[N + 1], nbx[N + 1], ng[N + 1], ns[N + 1], inputs[NU];
    for (int k = 0; k <= N; k++) {
        nx[k] = k ? NXA : 0;
        nu[k] = k < N ? NU : 0;
        nbx[k] = 0;
        ng[k] = limits_of(k);
        ns[k] = ng[k] < NLIM ? ng[k] : NLIM;
    }
    void *places[5];
    if (!(places[0] = taken(d_ocp_qp_dim_memsize(N)))) return 1;
    d_ocp_qp_dim_create(N, &hpipm.dim, places[0]);
    d_ocp_qp_dim_set_all(nx, nu, nbx, nu, ng, ns, &hpipm.dim);
    if (!(places[1] = taken(d_ocp_qp_memsize(&hpipm.dim)))) return 1;
    d_ocp_qp_create(&hpipm.dim, &hpipm.qp, places[1]);
    if (!(places[2] = taken(d_ocp_qp_sol_memsize(&hpipm.dim)))) return 1;
    d_ocp_qp_sol_create(&hpipm.dim, &hpipm.sol, places[2]);
    if (!(places[3] = taken(d_ocp_qp_ipm_arg_memsize(&hpipm.dim)))) return 1;
    d_ocp_qp_ipm_arg_create(&hpipm.dim, &hpipm.arg, places[3]);
    d_ocp_qp_ipm_arg_set_default(QP_MODE, &hpipm.arg);
    int most_of = QP_LIMIT;
    double tolerance = QP_TOLERANCE;
    d_ocp_qp_ipm_arg_set_iter_max(&most_of, &hpipm.arg);
    d_ocp_qp_ipm_arg_set_tol_stat(&tolerance, &hpipm.arg);
    d_ocp_qp_ipm_arg_set_tol_eq(&tolerance, &hpipm.arg);
    d_ocp_qp_ipm_arg_set_tol_ineq(&tolerance, &hpipm.arg);
    d_ocp_qp_ipm_arg_set_tol_comp(&tolerance, &hpipm.arg);
    if (!(places[4] = taken(d_ocp_qp_ipm_ws_memsize(&hpipm.dim, &hpipm.arg)))) return 1;
    d_ocp_qp_ipm_ws_create(&hpipm.dim, &hpipm.arg, &hpipm.ipm, places[4]);
    for (int i = 0; i < NU; i++) inputs[i] = i;
    for (int k = 0; k < N; k++) {
        d_ocp_qp_set_idxbu(k, inputs, &hpipm.qp);
        double mask[NU];
        for (int i = 0; i < NU; i++) mask[i] = isfinite(ULOW[i]) || (k == 0 && isfinite(RATE[i]));
        d_ocp_qp_set_lbu_mask(k, mask, &hpipm.qp);
        for (int i = 0; i < NU; i++) mask[i] = isfinite(UHIGH[i]) || (k == 0 && isfinite(RATE[i]));
        d_ocp_qp_set_ubu_mask(k, mask, &hpipm.qp);
    }
#if NG
    for (int k = 0; k <= N; k++) {
        if (!limits_of(k)) continue;
        double mask[NG + 1];
        for (int i = 0; i < NG; i++) mask[i] = i < NLIM ? isfinite(LIMIT_LOW[i]) : isfinite(RATE[i - NLIM]);
        d_ocp_qp_set_lg_mask(k, mask, &hpipm.qp);
        for (int i = 0; i < NG; i++) mask[i] = i < NLIM ? isfinite(LIMIT_HIGH[i]) : isfinite(RATE[i - NLIM]);
        d_ocp_qp_set_ug_mask(k, mask, &hpipm.qp);
#if NLIM
        int soft[NLIM];
        double linear[NLIM], square[NLIM];
        for (int i = 0; i < NLIM; i++) {
            soft[i] = (k < N ? NU : 0) + i;
            linear[i] = SLACK_LINEAR;
            square[i] = SLACK_SQUARE;
        }
        d_ocp_qp_set_idxs(k, soft, &hpipm.qp);
        d_ocp_qp_set_Zl(k, square, &hpipm.qp);
        d_ocp_qp_set_Zu(k, square, &hpipm.qp);
        d_ocp_qp_set_zl(k, linear, &hpipm.qp);
        d_ocp_qp_set_zu(k, linear, &hpipm.qp);
#endif
    }
#endif
    hpipm.ready = 1;
    return 0;
}

static double *columnwise(const double *A, int rows, int columns) {
    static THREAD_LOCAL double out[(NXA + NU + NG) * (NXA + NU)];
    for (int i = 0; i < rows; i++)
        for (int c = 0; c < columns; c++) out[c * rows + i] = A[i * columns + c];
    return out;
}

/* What has the states alone (rows, NX), among rows and columns of the last input, too. */
static double *with_last_input(const double *A, int rows, int all) {
    static THREAD_LOCAL double out[(NXA + NU + NG) * NXA];
    for (int i = 0; i < all; i++)
        for (int c = 0; c < NXA; c++) out[i * NXA + c] = i < rows && c < NX ? A[i * NX + c] : 0.0;
    return out;
}

static double *whole(const double *triangle) {
    static THREAD_LOCAL double out[NX * NX];
    from_triangle(triangle, NX, out);
    return with_last_input(out, NX, NXA);
}

static void finite_bounds(const double *from, double *to, int count) {
    for (int i = 0; i < count; i++) to[i] = isfinite(from[i]) ? from[i] : 0.0; /* masked */
}

static int solve_qp(programme *d) {
    if (is_late() || (!hpipm.ready && begin())) return 1;
    double column[NXA] = {0.0}, B[NXA * NU], bounds[NG + NU + 1];
    for (int k = 0; k < N; k++) {
        if (k) {
            d_ocp_qp_set_A(k, columnwise(with_last_input(d->A[k], NX, NXA), NXA, NXA), &hpipm.qp);
            d_ocp_qp_set_Q(k, whole(d->Q[k]), &hpipm.qp);
            d_ocp_qp_set_S(k, columnwise(with_last_input(d->S[k], NU, NU), NU, NXA), &hpipm.qp);
            memcpy(column, d->q[k], sizeof d->q[k]);
            d_ocp_qp_set_q(k, column, &hpipm.qp);
            memcpy(column, d->b[k], sizeof d->b[k]);
            d_ocp_qp_set_b(k, column, &hpipm.qp);
            d_ocp_qp_set_r(k, d->r[k], &hpipm.qp);
        } else {
            double slope[NU];
            for (int i = 0; i < NX; i++) column[i] = d->b[0][i] + dot(d->A[0] + i * NX, d->dx[0], NX);
            for (int i = 0; i < NU; i++) {
                slope[i] = d->r[0][i] + dot(d->S[0] + i * NX, d->dx[0], NX);
            }
            d_ocp_qp_set_b(0, column, &hpipm.qp);
            d_ocp_qp_set_r(0, slope, &hpipm.qp);
        }
        memset(B, 0, sizeof B);
        memcpy(B, d->B[k], sizeof d->B[k]);
        for (int i = 0; i < NPREV; i++) B[(NX + i) * NU + i] = 1.0;
        d_ocp_qp_set_B(k, columnwise(B, NXA, NU), &hpipm.qp);
        d_ocp_qp_set_R(k, d->R[k], &hpipm.qp);
        finite_bounds(d->ulow[k], bounds, NU);
        d_ocp_qp_set_lbu(k, bounds, &hpipm.qp);
        finite_bounds(d->uhigh[k], bounds, NU);
        d_ocp_qp_set_ubu(k, bounds, &hpipm.qp);
    }
    d_ocp_qp_set_Q(N, whole(d->Q[N]), &hpipm.qp);
    memcpy(column, d->q[N], sizeof d->q[N]);
    d_ocp_qp_set_q(N, column, &hpipm.qp);
#if NG
    for (int k = 0; k <= N; k++) {
        const int rows = limits_of(k);
        if (!rows) continue;
        double C[NG * NXA], D[NG * NU];
        memset(D, 0, sizeof D);
        memcpy(D, d->D[k], sizeof(double) * NLIM * NU);
        memcpy(C, with_last_input(d->C[k], NLIM, NG), sizeof C);
        for (int i = NLIM; i < rows; i++) C[i * NXA + NX + i - NLIM] = -1.0, D[i * NU + i - NLIM] = 1.0;
        if (k) d_ocp_qp_set_C(k, columnwise(C, rows, NXA), &hpipm.qp);
        if (k < N) d_ocp_qp_set_D(k, columnwise(D, rows, NU), &hpipm.qp);
        finite_bounds(d->low[k], bounds, rows);
        for (int i = 0; k == 0 && i < rows; i++) bounds[i] -= dot(d->C[0] + i * NX, d->dx[0], NX);
        d_ocp_qp_set_lg(k, bounds, &hpipm.qp);
        finite_bounds(d->high[k], bounds, rows);
        for (int i = 0; k == 0 && i < rows; i++) bounds[i] -= dot(d->C[0] + i * NX, d->dx[0], NX);
        d_ocp_qp_set_ug(k, bounds, &hpipm.qp);
    }
#endif
    d_ocp_qp_ipm_solve(&hpipm.qp, &hpipm.sol, &hpipm.arg, &hpipm.ipm);
    int status;
    d_ocp_qp_ipm_get_status(&hpipm.ipm, &status);
    d_ocp_qp_ipm_get_iter(&hpipm.ipm, &d->iterations);
    if (status) {
        /* Not to its tolerance, which may be near enough. */
        double left[4];
        d_ocp_qp_ipm_get_max_res_stat(&hpipm.ipm, &left[0]);
        d_ocp_qp_ipm_get_max_res_eq(&hpipm.ipm, &left[1]);
        d_ocp_qp_ipm_get_max_res_ineq(&hpipm.ipm, &left[2]);
        d_ocp_qp_ipm_get_max_res_comp(&hpipm.ipm, &left[3]);
        for (int i = 0; i < 4; i++)
            if (!(left[i] <= QP_ACCEPTED)) return status;
    }
    for (int k = 0; k < N; k++) {
        d_ocp_qp_sol_get_u(k, &hpipm.sol, d->du[k]);
        d_ocp_qp_sol_get_x(k + 1, &hpipm.sol, column);
        memcpy(d->dx[k + 1], column, sizeof d->dx[k + 1]);
    }
    return 0;
}
