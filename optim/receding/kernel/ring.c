/* Where the memory of a run is kept between samples. */

static double wall_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#if OWN_MEMORY
/* By the caller, behind w. All that a key says is whether there is one. */
static memory *opened(double key, double *w, int *is_there) {
    *is_there = key > 0.0;
    return (memory *)w;
}

static double closed(const memory *m, double begin) {
    (void)m, (void)begin;
    return 1.0;
}

static double now_in_microseconds(void) { return 0.0; }
#else
/* Memories of runs, by keys that follow from their content: runs, copies and branches of runs never share a memory unless
   theirs are equal, and a step that is taken twice is the same step. They are kept in a ring; where that of a key is gone,
   as in another process, what needs it begins anew. */

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

/* A copy of the memory of a key, one for each thread. */
static memory *opened(double key, double *w, int *is_there) {
    static THREAD_LOCAL memory m;
    (void)w;
    *is_there = key > 0.0 && found(key, &m);
    return &m;
}

/* Keep it; return its new key. */
static double closed(const memory *m, double begin) {
    const double key = key_of(m);
    keep(key, m, now_in_microseconds() - begin);
    return key;
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

/* How many numbers a memory is. */
EXPORTED int receding_memory(void) { return (int)(sizeof(memory) / sizeof(double)); }
#endif
