/* Damped Newton's method with the exact Jacobian for the algebraic variables. */
/* SPDX-License-Identifier: MIT */
#include "newton.h"

#include <math.h>
#include <string.h>

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

Newton newton(Workspace *workspace, Point at, double *z) {
    double g[SIZE], jacobian[SIZE * SIZE], step[SIZE], next[SIZE], length;
    int rows[SIZE], halving, i;
    Point trial = at;
    Newton outcome = {STUCK, 0, 0.0};
    at.z = z;
    trial.z = next;
    for (; outcome.steps < MOST_STEPS; outcome.steps++) {
        if (equations_residual(workspace, at, g, jacobian) || !isfinite(norm(g))) {
            outcome.end = NOT_EVALUATED;
            return outcome;
        }
        if (factor(N_Z, jacobian, rows)) {
            outcome.end = SINGULAR;
            return outcome;
        }
        memcpy(step, g, sizeof(double) * N_Z);
        solve(N_Z, jacobian, rows, step);
        if (relative(step, z) <= SMALL) {
            for (i = 0; i < N_Z; i++)
                z[i] -= step[i];
            outcome.end = SOLVED;
            return outcome;
        }
        /* Backtracking line search: halve the step until the residual decreases. */
        for (length = 1.0, halving = 0; halving <= MOST_HALVINGS; halving++, length /= 2) {
            double left[SIZE];
            for (i = 0; i < N_Z; i++)
                next[i] = z[i] - length * step[i];
            if (!equations_residual(workspace, trial, left, NULL) && norm(left) <= (1.0 - 1e-4 * length) * norm(g))
                break;
        }
        outcome.residual = norm(g);
        if (halving > MOST_HALVINGS)
            break;
        memcpy(z, next, sizeof(double) * N_Z);
    }
    return outcome;
}
