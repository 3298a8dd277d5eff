/* Simulation: initialisation and co-simulation steps. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "instance.h"

Result set_experiment(Instance *instance, int tolerance_defined, double tolerance, double start) {
    if (!isfinite(start))
        return report(instance, FAILED, "The start time is %g; it must be finite.", start);
    if (tolerance_defined && !(tolerance > 0.0 && tolerance < 1.0))
        return report(instance, FAILED, "The tolerance is %g; it must be > 0 and < 1.", tolerance);
    if (tolerance_defined)
        instance->state.tolerance = tolerance;
    instance->state.values[TIME] = start;
    return GOOD;
}

Result finish_initialization(Instance *instance) {
    if (instance_update(instance, OLD_Z) != GOOD)
        return FAILED;
    clocks_start(instance);
    instance->state.mode = instance->co_simulation ? STEPPING : EVENT;
    return GOOD;
}

Result set_states(Instance *instance, const double *x, size_t count) {
    if (count != N_X)
        return report(instance, FAILED, "%u states are given; there are %u.", (unsigned)count, (unsigned)N_X);
    memcpy(instance->state.values + X, x, sizeof(double) * count);
    instance->state.old = OLD;
    return GOOD;
}

Result get_range(Instance *instance, unsigned int first, double *values, size_t count) {
    Result result = first == DX ? instance_update(instance, OLD_DX) : GOOD;
    if (result != GOOD)
        return result;
    if (count != N_X)
        return report(instance, FAILED, "%u values are requested; there are %u states.", (unsigned)count,
                      (unsigned)N_X);
    memcpy(values, instance->state.values + first, sizeof(double) * count);
    return GOOD;
}

/* Advance from tick to tick; after a failure the instance is restored. */
static Result integrate_through_ticks(Instance *instance, double end) {
    State before = instance->state;
    Result result;
    int states_changed;
    do {
        double tick;
        result = clocks_tick(instance, &states_changed);
        tick = next_tick(instance);
        if (result == GOOD)
            result = integrate(instance, tick < end - 1e-9 * (end - before.values[TIME]) ? tick : end);
    } while (result == GOOD && instance->state.values[TIME] < end);
    if (result != GOOD)
        instance->state = before;
    else
        memset(instance->state.slopes, 0, sizeof(instance->state.slopes));
    return result;
}

Result take_step(Instance *instance, double now, double length) {
    double time = instance->state.values[TIME];
    if (!(length > 0.0) || !isfinite(length))
        return report(instance, FAILED, "The communication step is %g s; it must be > 0.", length);
    if (fabs(now - time) > 1e-9 * fmax(1.0, fabs(time)) && fabs(now - time) > 1e-6 * length)
        return report(instance, FAILED, "The communication step starts at %.9g s; the last one ended at %.9g s.", now,
                      time);
    return integrate_through_ticks(instance, now + length);
}
