/* The algebraic variables, by Newton's method with the exact Jacobian. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "instance.h"
#include "linear.h"

/* Convergence is quadratic: after a step this small, relative to 1 + |z|, the error is rounding. */
static const double SMALL = 1e-9;
enum { MOST_STEPS = 50, MOST_HALVINGS = 20, SIZE = N_Z + 1 };

static double norm(const double *values) {
    double sum = 0.0;
    int i;
    for (i = 0; i < N_Z; i++)
        sum += values[i] * values[i];
    return sqrt(sum);
}

static double relative(const double *step, const double *z) {
    double largest = 0.0;
    int i;
    for (i = 0; i < N_Z; i++) {
        double size = fabs(step[i]) / (1.0 + fabs(z[i]));
        if (!(size <= largest))
            largest = size;
    }
    return largest;
}

Result solve_algebraics(Instance *instance, double time, const double *x, const double *u, double *z) {
    double g[SIZE], jacobian[SIZE * SIZE], step[SIZE], next[SIZE], length;
    int rows[SIZE], iteration, halving, i;
    Point at = {x, z, u, instance->state.values + P}, trial = {x, next, u, instance->state.values + P};
    for (iteration = 0; iteration < MOST_STEPS; iteration++) {
        if (equations_residual(&instance->workspace, at, g, jacobian) || !isfinite(norm(g)))
            return report(instance, DISCARDED, "The algebraic equations cannot be evaluated at t = %.9g s.",
                          time);
        if (factor(N_Z, jacobian, rows))
            return report(instance, DISCARDED,
                          "The algebraic equations do not determine their variables at t = %.9g s (singular Jacobian).",
                          time);
        memcpy(step, g, sizeof(double) * N_Z);
        solve(N_Z, jacobian, rows, step);
        if (relative(step, z) <= SMALL) {
            for (i = 0; i < N_Z; i++)
                z[i] -= step[i];
            return GOOD;
        }
        for (length = 1.0, halving = 0; halving <= MOST_HALVINGS; halving++, length /= 2) {
            double found[SIZE];
            for (i = 0; i < N_Z; i++)
                next[i] = z[i] - length * step[i];
            if (!equations_residual(&instance->workspace, trial, found, NULL) &&
                norm(found) <= (1.0 - 1e-4 * length) * norm(g))
                break;
        }
        if (halving > MOST_HALVINGS)
            break;
        memcpy(z, next, sizeof(double) * N_Z);
    }
    return report(instance, DISCARDED,
                  "The algebraic equations could not be solved at t = %.9g s: residual %.3g after %d steps of Newton's "
                  "method.",
                  time, norm(g), iteration);
}
