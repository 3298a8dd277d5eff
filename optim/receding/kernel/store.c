/* The iteration in CasADi's interface, for loops that are simulated: (state, x, references, parameters) -> state, command.
   The state of the closed loop has counters, and a key to the memory. */

enum { KEY, CLOCK, FAILING, FIRST_COUNTER, FIRST_FORCE = FIRST_COUNTER + COUNTERS, STATE = FIRST_FORCE + NF };

EXPORTED int NAME(const double **arg, double **res, integer *iw, double *w, int mem) {
    static THREAD_LOCAL double none[NX + NREF + NP + 1];
    double u[NU], state[STATE];
    int is_there;
    (void)iw, (void)mem;
    const double begin = now_in_microseconds(), *x = arg[1], *now = arg[2] ? arg[2] : none, *p = arg[3] ? arg[3] : none;
    memcpy(state, arg[0], sizeof state);
    const double key = floor(state[KEY] + 0.5);
    memory *m = opened(key, w, &is_there);
    if (!is_there) {
        memset(m, 0, sizeof *m);
        m->time = state[CLOCK];
        memcpy(m->counters, state + FIRST_COUNTER, sizeof m->counters);
        memcpy(m->force, state + FIRST_FORCE, sizeof m->force);
        if (key > 0.0) m->counters[RESETS] += 1.0;
    }
    if (iterate(m, x, now, p, wall_clock, u)) return 1;
    state[KEY] = closed(m, begin);
    state[CLOCK] = m->time;
    state[FAILING] = m->failing;
    memcpy(state + FIRST_COUNTER, m->counters, sizeof m->counters);
    memcpy(state + FIRST_FORCE, m->force, sizeof m->force);
    if (res[0]) memcpy(res[0], state, sizeof state);
    if (res[1]) memcpy(res[1], u, sizeof u);
    return 0;
}
EXPORTED integer JOINED(NAME, _n_in)(void) { return 4; }
EXPORTED integer JOINED(NAME, _n_out)(void) { return 2; }
static const integer SHAPES[5][3] = {{STATE, 1, 1}, {NX, 1, 1}, {NREF, 1, 1}, {NP, 1, 1}, {NU, 1, 1}};
EXPORTED const integer *JOINED(NAME, _sparsity_in)(integer i) { return SHAPES[i]; }
EXPORTED const integer *JOINED(NAME, _sparsity_out)(integer i) { return SHAPES[i ? 4 : 0]; }
EXPORTED int JOINED(NAME, _work)(integer *sz_arg, integer *sz_res, integer *sz_iw, integer *sz_w) {
    *sz_arg = 4, *sz_res = 2, *sz_iw = 0, *sz_w = 0;
    return 0;
}
