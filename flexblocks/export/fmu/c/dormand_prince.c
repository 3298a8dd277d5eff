/* Integrator of co-simulation: explicit Runge-Kutta method of order 8 with step size control. */
/* SPDX-License-Identifier: MIT */
#include "dormand_prince.h"

#include <math.h>
#include <string.h>

#include "instance.h"

/* Ratio of absolute to relative tolerance. */
static const double ABSOLUTE = 1e-2;
static const double SAFETY = 0.9, LEAST_CHANGE = 0.2, MOST_CHANGE = 6.0;
/* A step this small, relative to the time, is lost in rounding. */
static const double SMALLEST = 1e-14, SMALLEST_TIME = 1e-3;

Result step_rates(Instance *instance, double time, const double *x, double *dx) {
    State *state = &instance->state;
    double u[N_U + 1];
    Point at = {x, state->values + Z, u, state->values + P};
    int i;
    for (i = 0; i < N_U; i++)
        u[i] = state->values[U + i] + state->slopes[i] * (time - state->values[TIME]);
    if (N_Z) {
        Result result = solve_algebraics(instance, time, x, u, state->values + Z);
        if (result != GOOD)
            return result;
    }
    return equations_rates(&instance->workspace, at, dx) ? DISCARDED : GOOD;
}

/* Advance the continuous states in x by one step h, starting with the rates stages[0], to `next` and the rates there; return the error relative to the tolerance. */
static double attempt(Instance *instance, double time, double h, const double *x, double stages[STAGES][N_X + 1],
                      double *next, double *next_rates) {
    double tolerance = instance->state.tolerance, fifth = 0.0, third = 0.0;
    int stage, before, i;
    for (stage = 1; stage < STAGES; stage++) {
        for (i = 0; i < N_X; i++) {
            double sum = 0.0;
            for (before = 0; before < stage; before++)
                sum += STAGE[stage][before] * stages[before][i];
            next[i] = x[i] + h * sum;
        }
        if (step_rates(instance, time + NODES[stage] * h, next, stages[stage]) != GOOD)
            return INFINITY;
    }
    for (i = 0; i < N_X; i++) {
        double sum = 0.0, five = 0.0, three = 0.0, scale;
        for (stage = 0; stage < STAGES; stage++) {
            sum += WEIGHTS[stage] * stages[stage][i];
            five += ERROR_5[stage] * stages[stage][i];
            three += ERROR_3[stage] * stages[stage][i];
        }
        next[i] = x[i] + h * sum;
        scale = tolerance * (ABSOLUTE + fmax(fabs(x[i]), fabs(next[i])));
        fifth += (five / scale) * (five / scale);
        third += (three / scale) * (three / scale);
    }
    if (!isfinite(fifth + third) || step_rates(instance, time + h, next, next_rates) != GOOD)
        return INFINITY;
    return fifth > 0.0 ? h * fifth / sqrt((fifth + 0.01 * third) * N_X) : 0.0;
}

/* Initial step size, over which little changes. */
static double first_step(const double *x, const double *dx) {
    double size = 0.0, rate = 0.0;
    int i;
    for (i = 0; i < N_X; i++) {
        double scale = ABSOLUTE + fabs(x[i]);
        size += (x[i] / scale) * (x[i] / scale);
        rate += (dx[i] / scale) * (dx[i] / scale);
    }
    return size > 0.0 && rate > 0.0 ? 0.01 * sqrt(size / rate) : 1e-6;
}

static Result run(Instance *instance, double end, double *x) {
    State *state = &instance->state;
    double time = state->values[TIME], next[N_S + 1], next_rates[N_X + 1], stages[STAGES][N_X + 1], z[N_Z + 1];
    int rejected = 0;
    memcpy(next + N_X, x + N_X, sizeof(double) * N_D);
    if (step_rates(instance, time, x, stages[0]) != GOOD)
        return FAILED;
    if (!(state->step > 0.0))
        state->step = first_step(x, stages[0]);
    while (time < end) {
        int last = time + state->step * (1.0 + 1e-10) >= end;
        double h = last ? end - time : state->step, error, change;
        memcpy(z, state->values + Z, sizeof(double) * N_Z);
        error = attempt(instance, time, h, x, stages, next, next_rates);
        change = fmin(MOST_CHANGE, fmax(LEAST_CHANGE, SAFETY * pow(fmax(error, 1e-30), -1.0 / 8)));
        if (error <= 1.0) {
            memcpy(x, next, sizeof(double) * N_X);
            memcpy(stages[0], next_rates, sizeof(double) * N_X);
            time = last ? end : time + h;
            if (charts_change(instance, x) && step_rates(instance, time, x, stages[0]) != GOOD)
                return FAILED;
            h *= rejected ? fmin(change, 1.0) : change;
            state->step = last ? fmax(state->step, h) : h;
            rejected = 0;
        } else {
            memcpy(state->values + Z, z, sizeof(double) * N_Z);
            state->step = h * change;
            rejected = 1;
            if (!(state->step > SMALLEST * fmax(fabs(time), SMALLEST_TIME))) {
                if (isfinite(error))
                    report(instance, DISCARDED, "The step of the integration had to become too small at t = %.9g s.", time);
                return FAILED;
            }
        }
    }
    return GOOD;
}

Result integrate(Instance *instance, double end) {
    State *state = &instance->state;
    double x[N_S + 1], start = state->values[TIME];
    Result result;
    int i;
    memcpy(x, state->values + X, sizeof(double) * N_S);
    instance->message[0] = '\0';
    instance->trying = 1;
    result = run(instance, end, x);
    instance->trying = 0;
    if (result != GOOD) {
        char reason[sizeof(instance->message)], posture[512];
        memcpy(reason, instance->message, sizeof(reason));
        state->step = 0.0;
        singular_posture(instance, x, BESIDE, posture, sizeof(posture));
        return report(instance, FAILED, "The step from t = %.9g s to %.9g s failed. %.300s %s", start, end,
                      reason[0] ? reason : "The state is not finite.", posture);
    }
    memcpy(state->values + X, x, sizeof(double) * N_X);
    for (i = 0; i < N_U; i++)
        state->values[U + i] += state->slopes[i] * (end - start);
    state->values[TIME] = end;
    state->old = OLD;
    return GOOD;
}
