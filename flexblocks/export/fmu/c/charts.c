/* Charts of coordinates that become singular somewhere: before they do, the state is expressed in the next chart. */
/* SPDX-License-Identifier: MIT */
#include "instance.h"

int charts_are_left(Instance *instance, const double *x) {
    const State *state = &instance->state;
    Point at = {x, state->values + Z, state->values + U, state->values + P};
    double distances[N_CHARTS + 1];
    int chart;
    if (N_CHARTS == 0 || equations_charts(&instance->workspace, at, distances, -1, NULL))
        return 0;
    for (chart = 0; chart < N_CHARTS; chart++)
        if (distances[chart] < 0.0)
            return 1;
    return 0;
}

int charts_change(Instance *instance, double *x) {
    const State *state = &instance->state;
    Point at = {x, state->values + Z, state->values + U, state->values + P};
    double distances[N_CHARTS + 1], change[N_S + 1];
    int chart, i, changed = 0;
    for (chart = 0; chart < N_CHARTS; chart++) {
        if (equations_charts(&instance->workspace, at, distances, chart, change) || !(distances[chart] < 0.0))
            continue;
        for (i = 0; i < N_S; i++)
            x[i] += change[i];
        changed = 1;
    }
    return changed;
}
