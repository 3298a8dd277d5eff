/* Clocks of sampled controllers: times of their ticks, and updates of the discrete states. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "instance.h"

typedef struct {
    double period, offset;
} Clock;

static const Clock CLOCKS[] = {{1.0, 0.0} CLOCK_VALUES}; /* entry 0 is a placeholder: C has no empty arrays */

/* Importers stop at a tick only up to their own rounding error. */
static double slack(const Clock *clock, double time) {
    return fmin(1e-3 * clock->period, 1e-9 * clock->period + 1e-8 * fabs(time));
}

static double time_of(const State *state, int clock) {
    return CLOCKS[clock + 1].offset + CLOCKS[clock + 1].period * state->ticks[clock];
}

static int is_due(const State *state, int clock) {
    double time = state->values[TIME];
    return time_of(state, clock) <= time + slack(&CLOCKS[clock + 1], time);
}

void clocks_start(Instance *instance) {
    State *state = &instance->state;
    int clock;
    for (clock = 0; clock < N_CLOCKS; clock++) {
        const Clock *at = &CLOCKS[clock + 1];
        state->ticks[clock] = ceil((state->values[TIME] - at->offset) / at->period - 1e-9);
    }
}

double next_tick(const Instance *instance) {
    double next = INFINITY;
    int clock;
    for (clock = 0; clock < N_CLOCKS; clock++)
        next = fmin(next, time_of(&instance->state, clock));
    return next;
}

Result clocks_tick(Instance *instance, int *states_changed) {
    State *state = &instance->state;
    double changes[N_CLOCKS + 1][N_S + 1], *wanted[N_CLOCKS + 1];
    int clock, i, due = 0;
    *states_changed = 0;
    for (clock = 0; clock < N_CLOCKS; clock++) {
        wanted[clock] = is_due(state, clock) ? changes[clock] : NULL;
        due += wanted[clock] != NULL;
    }
    if (charts_change(instance, state->values + X)) {
        *states_changed = 1;
        state->old = OLD;
    }
    if (!due)
        return GOOD;
    if (instance_update(instance, OLD_Z) != GOOD)
        return FAILED;
    /* Clocks that tick simultaneously all see the values before the tick. */
    if (equations_changes(&instance->workspace, instance_point(instance), wanted))
        return FAILED;
    for (clock = 0; clock < N_CLOCKS; clock++) {
        if (!wanted[clock])
            continue;
        for (i = 0; i < N_S; i++) {
            if (!isfinite(changes[clock][i]))
                return report(instance, FAILED, "A discrete state is not finite at t = %.9g s.", state->values[TIME]);
            state->values[X + i] += changes[clock][i];
            if (i < N_X && changes[clock][i] != 0.0)
                *states_changed = 1;
        }
        do
            state->ticks[clock] += 1.0;
        while (is_due(state, clock));
    }
    state->old = OLD;
    return GOOD;
}
