/* The iteration in CasADi's interface, for loops that are simulated: (state, x, references, parameters) -> state, command.

   The state of the closed loop has counters, and a key to the memory: a number that follows from its content. So runs,
   copies and branches of runs never share a memory unless theirs are equal, and a step that is taken twice is the same
   step. Memories are kept in a ring; where that of a key is gone, as in another process, a plan begins anew. */

enum { KEY, CLOCK, FAILING, FIRST_COUNTER, FIRST_FORCE = FIRST_COUNTER + COUNTERS, STATE = FIRST_FORCE + NF };

static memory kept[KEPT];
static double keys[KEPT], taken_by[TIMED], taken_times[TIMED];
static int next_kept, next_timed;
static volatile int locked;

static void lock(void) {
    while (__sync_lock_test_and_set(&locked, 1)) {}
}
static void unlock(void) { __sync_lock_release(&locked); }

/* FNV-1a, 40 bits: they survive rounding in a law that another one contains. */
static double key_of(const memory *m) {
    const unsigned char *bytes = (const unsigned char *)m;
    unsigned long long hash = 14695981039346656037ULL;
    for (unsigned long i = 0; i < sizeof *m; i++) hash = (hash ^ bytes[i]) * 1099511628211ULL;
    return (double)((hash ^ (hash >> 40)) & 0xffffffffffULL) + 1.0;
}

static int found(double key, memory *m) {
    int is_there = 0;
    lock();
    for (int back = 1; back <= KEPT && !is_there; back++) {
        const int i = (next_kept + KEPT - back) % KEPT;
        if (keys[i] == key) memcpy(m, &kept[i], sizeof *m), is_there = 1;
    }
    unlock();
    return is_there;
}

static void keep(double key, const memory *m, double microseconds) {
    lock();
    keys[next_kept] = key;
    memcpy(&kept[next_kept], m, sizeof *m);
    next_kept = (next_kept + 1) % KEPT;
    taken_by[next_timed] = key;
    taken_times[next_timed] = microseconds;
    next_timed = (next_timed + 1) % TIMED;
    unlock();
}

static double now_in_microseconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

EXPORTED int NAME(const double **arg, double **res, integer *iw, double *w, int mem) {
    static THREAD_LOCAL memory m;
    static THREAD_LOCAL double none[NX + NREF + NP + 1];
    double u[NU], state[STATE];
    (void)iw, (void)w, (void)mem;
    const double begin = now_in_microseconds(), *x = arg[1], *now = arg[2] ? arg[2] : none, *p = arg[3] ? arg[3] : none;
    memcpy(state, arg[0], sizeof state);
    const double key = floor(state[KEY] + 0.5);
    if (!(key > 0.0) || !found(key, &m)) {
        memset(&m, 0, sizeof m);
        m.time = state[CLOCK];
        memcpy(m.counters, state + FIRST_COUNTER, sizeof m.counters);
        memcpy(m.force, state + FIRST_FORCE, sizeof m.force);
        if (key > 0.0) m.counters[RESETS] += 1.0;
    }
    if (iterate(&m, x, now, p, u)) return 1;
    state[KEY] = key_of(&m);
    state[CLOCK] = m.time;
    state[FAILING] = m.failing;
    memcpy(state + FIRST_COUNTER, m.counters, sizeof m.counters);
    memcpy(state + FIRST_FORCE, m.force, sizeof m.force);
    keep(state[KEY], &m, now_in_microseconds() - begin);
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

/* The time that the iteration took which made this key [us], in any thread; -1 where that is gone. */
EXPORTED double receding_time(double key) {
    double time = -1.0;
    lock();
    for (int i = 0; i < TIMED && time < 0.0; i++)
        if (taken_by[i] == key) time = taken_times[i];
    unlock();
    return time;
}

/* The memory of a key, of `size` numbers; returns how many there are, 0 where it is gone. */
EXPORTED int receding_memory(double key, double *out, int size) {
    static THREAD_LOCAL memory m;
    const int count = (int)(sizeof m / sizeof(double));
    if (!found(key, &m)) return 0;
    memcpy(out, &m, sizeof(double) * (size < count ? size : count));
    return count;
}
