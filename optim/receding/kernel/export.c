/* The controller by itself: init, step. The state is all that it keeps of a run. */

EXPORTED int JOINED(NAME, _state_size)(void) { return (int)(sizeof(memory) / sizeof(double)); }

EXPORTED void JOINED(NAME, _init)(double *state) { memset(state, 0, sizeof(memory)); }

#if CLOCKED
double (*JOINED(NAME, _clock))(void) = 0;
#define CLOCK JOINED(NAME, _clock)
#else
#define CLOCK 0
#endif

/* One sample: what is measured (NX), references (NREF) where they are known only now, and the inputs (NU) that act from
   now on. Returns 0, or 1 where it could do nothing. */
EXPORTED int JOINED(NAME, _step)(const double *measured, const double *reference, double *state, double *inputs) {
    static const double parameters[NP + 1] = {PARAMETERS};
    memory *m = (memory *)state;
    double chosen[NU], now[NU];
    memcpy(now, m->pending[0], sizeof now); /* commands that take effect later are on their way */
    const int failed = iterate(m, measured, reference, parameters, CLOCK, chosen);
    memcpy(inputs, WAITING ? now : chosen, sizeof now);
    return failed;
}

#if RELEASED
/* The inputs (NU) that act from the time of the delay within a sample on. */
EXPORTED void JOINED(NAME, _release)(const double *state, double *inputs) {
    memcpy(inputs, ((const memory *)state)->pending[0], sizeof(double) * NU);
}
#endif
