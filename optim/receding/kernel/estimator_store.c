/* The estimator in CasADi's interface: (state, measured, inputs that acted until now) -> state, of which the estimates are a
   part. */

enum { KEY, OUTLIERS, RESTARTS, FIRST_STATE, FIRST_PARAMETER = FIRST_STATE + NX, FIRST_DEVIATION = FIRST_PARAMETER + NPAR,
       STATE = FIRST_DEVIATION + NPAR };

EXPORTED int NAME(const double **arg, double **res, integer *iw, double *w, int mem) {
    static THREAD_LOCAL double none[NY + NKNOWN + 1];
    double state[STATE], y[NY];
    int is_there;
    (void)iw, (void)mem;
    const double begin = now_in_microseconds(), *acted = arg[2] ? arg[2] : none;
    memcpy(state, arg[0], sizeof state);
    memcpy(y, arg[1], sizeof y);
    const double key = floor(state[KEY] + 0.5);
    memory *m = opened(key, w, &is_there);
    if (!(key > 0.0)) {
        begin_at(m, FIRST_X, FIRST_THETA);
    } else if (!is_there) {
        begin_at(m, state + FIRST_STATE, state + FIRST_PARAMETER);
        state[RESTARTS] += 1.0;
    }
    const int failed = estimated(m, y, acted);
    const int at = (int)(m->count + 0.5);
    if (failed || !all_finite(m->xs[at], NX)) {
        /* What was estimated last, or the start, is where it begins anew. */
        begin_at(m, key > 0.0 ? state + FIRST_STATE : FIRST_X, key > 0.0 ? state + FIRST_PARAMETER : FIRST_THETA);
        m->begun = 2.0;
        memcpy(m->y[0], y, sizeof y);
        state[RESTARTS] += 1.0;
    }
    const int now = (int)(m->count + 0.5);
    state[KEY] = closed(m, begin);
    state[OUTLIERS] += m->outliers;
    memcpy(state + FIRST_STATE, m->xs[now], sizeof m->xs[now]);
    memcpy(state + FIRST_PARAMETER, m->theta, sizeof(double) * NPAR);
    memcpy(state + FIRST_DEVIATION, m->deviations, sizeof(double) * NPAR);
    if (res[0]) memcpy(res[0], state, sizeof state);
    return 0;
}
EXPORTED integer JOINED(NAME, _n_in)(void) { return 3; }
EXPORTED integer JOINED(NAME, _n_out)(void) { return 1; }
static const integer SHAPES[3][3] = {{STATE, 1, 1}, {NY, 1, 1}, {NKNOWN, 1, 1}};
EXPORTED const integer *JOINED(NAME, _sparsity_in)(integer i) { return SHAPES[i]; }
EXPORTED const integer *JOINED(NAME, _sparsity_out)(integer i) {
    (void)i;
    return SHAPES[0];
}
EXPORTED int JOINED(NAME, _work)(integer *sz_arg, integer *sz_res, integer *sz_iw, integer *sz_w) {
    *sz_arg = 3, *sz_res = 1, *sz_iw = 0, *sz_w = 0;
    return 0;
}
