/* Values of an instance, evaluated lazily. */
/* SPDX-License-Identifier: MIT */
#include "instance.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "newton.h"

static const double START[DX] = {0.0 START_VALUES}; /* time, x, u, p and z */

Instance *instance_new(const char *name, int co_simulation) {
    Instance *instance = calloc(1, sizeof(Instance));
    size_t length = name ? strlen(name) + 1 : 1;
    if (!instance)
        return NULL;
    instance->name = calloc(length, 1);
    if (workspace_allocate(&instance->workspace) || !instance->name) {
        instance_free(instance);
        return NULL;
    }
    if (name)
        memcpy(instance->name, name, length);
    instance->co_simulation = co_simulation;
    instance_reset(instance);
    return instance;
}

void instance_free(Instance *instance) {
    if (!instance)
        return;
    workspace_free(&instance->workspace);
    free(instance->name);
    free(instance);
}

void instance_reset(Instance *instance) {
    memset(&instance->state, 0, sizeof(State));
    memcpy(instance->state.values, START, sizeof(START));
    instance->state.mode = INSTANTIATED;
    instance->state.old = OLD;
    instance->state.tolerance = TOLERANCE;
    instance->fastest = 0.0;
    instance->warned = 0;
}

Result report(Instance *instance, Result result, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(instance->message, sizeof(instance->message), format, arguments);
    va_end(arguments);
    if (instance->log && !(instance->trying && result == DISCARDED))
        instance->log(instance, result, instance->message);
    return result;
}

Result require(Instance *instance, int modes, const char *function) {
    static const char *const names[] = {"instantiated", "initialization", "event", "continuous-time", "step", "terminated"};
    int i = 0;
    if (instance->state.mode & modes)
        return GOOD;
    while (instance->state.mode >> (i + 1))
        i++;
    return report(instance, FAILED, "%s is not allowed in %s mode.", function, names[i]);
}

Point instance_point(const Instance *instance) {
    const double *values = instance->state.values;
    Point point = {values + X, values + Z, values + U, values + P};
    return point;
}

static Result all_finite(Instance *instance, const double *values, int count, const char *what) {
    int i;
    for (i = 0; i < count; i++)
        if (!isfinite(values[i])) {
            char text[512];
            singular_posture(instance, instance->state.values + X, BESIDE, text, sizeof(text));
            return report(instance, DISCARDED, "The %s are not finite at t = %.9g s. %s", what,
                          instance->state.values[TIME], text);
        }
    return GOOD;
}

/* Warn of a singular posture, once, and look for one each time that a coordinate is ten times as fast as ever before. */
static void watch_posture(Instance *instance) {
    const double *dx = instance->state.values + DX;
    double fastest = 0.0;
    char text[512];
    int i;
    if (instance->co_simulation || instance->warned)
        return;
    for (i = 0; i < 2 * N_M; i++)
        fastest = fmax(fastest, fabs(dx[i]));
    if (!(fastest > 10.0 * instance->fastest))
        return;
    instance->fastest = fastest;
    if (singular_posture(instance, instance->state.values + X, NEARLY_SINGULAR, text, sizeof(text))) {
        report(instance, WARNED, "At t = %.9g s rates have few digits. %s", instance->state.values[TIME], text);
        instance->warned = 1;
    }
}

Result solve_algebraics(Instance *instance, double time, const double *x, const double *u, double *z) {
    Point at = {x, z, u, instance->state.values + P};
    Newton course = newton(&instance->workspace, at, z);
    switch (course.end) {
    case SOLVED:
        return GOOD;
    case NOT_EVALUATED:
        return report(instance, DISCARDED, "The algebraic equations cannot be evaluated at t = %.9g s.", time);
    case SINGULAR:
        return report(instance, DISCARDED,
                      "The algebraic equations do not determine their variables at t = %.9g s (singular Jacobian).",
                      time);
    default:
        return report(instance, DISCARDED,
                      "The algebraic equations could not be solved at t = %.9g s: residual %.3g after %d steps of "
                      "Newton's method.",
                      time, course.residual, course.steps);
    }
}

Result instance_update(Instance *instance, int wanted) {
    State *state = &instance->state;
    double *values = state->values;
    if (state->old & OLD_Z) {
        if (N_Z) {
            Result result = solve_algebraics(instance, values[TIME], values + X, values + U, values + Z);
            if (result != GOOD)
                return result;
        }
        state->old &= ~OLD_Z;
    }
    if (state->old & wanted & OLD_DX) {
        if (equations_rates(&instance->workspace, instance_point(instance), values + DX) ||
            all_finite(instance, values + DX, N_X, "derivatives") != GOOD)
            return DISCARDED;
        watch_posture(instance);
        state->old &= ~OLD_DX;
    }
    if (state->old & wanted & OLD_Y) {
        if (equations_outputs(&instance->workspace, instance_point(instance), values + Y) ||
            all_finite(instance, values + Y, N_Y, "outputs") != GOOD)
            return DISCARDED;
        state->old &= ~OLD_Y;
    }
    return GOOD;
}

Result get_values(Instance *instance, const unsigned int *references, size_t count, double *values) {
    int wanted = 0;
    size_t i;
    for (i = 0; i < count; i++) {
        if (references[i] >= N_VALUES)
            return report(instance, FAILED, "There is no variable with value reference %u.", references[i]);
        if (references[i] >= Z)
            wanted |= references[i] < DX ? OLD_Z : references[i] < Y ? OLD_DX : OLD_Y;
    }
    if (wanted) {
        Result result = instance_update(instance, wanted);
        if (result != GOOD)
            return result;
    }
    for (i = 0; i < count; i++)
        values[i] = instance->state.values[references[i]];
    return GOOD;
}

Result set_values(Instance *instance, const unsigned int *references, size_t count, const double *values) {
    State *state = &instance->state;
    int starting = state->mode & (INSTANTIATED | INITIALIZATION);
    size_t i;
    for (i = 0; i < count; i++) {
        unsigned int reference = references[i];
        int known = reference >= U && reference < Z;
        int start = (reference >= X && reference < U) || (reference >= Z && reference < DX);
        if (!(known || (start && starting)))
            return report(instance, FAILED, "The variable with value reference %u cannot be set %s.", reference,
                          start ? "after initialization" : "at all");
        if (!isfinite(values[i]))
            return report(instance, FAILED, "The variable with value reference %u must be finite; it was set to %g.",
                          reference, values[i]);
    }
    for (i = 0; i < count; i++) {
        state->values[references[i]] = values[i];
        if (references[i] >= U && references[i] < P)
            state->slopes[references[i] - U] = 0.0;
    }
    if (count)
        state->old = OLD;
    return GOOD;
}
