/* The algebraic variables, by Newton's method with the exact Jacobian. */
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
    Newton course = {STUCK, 0, 0.0};
    at.z = z;
    trial.z = next;
    for (; course.steps < MOST_STEPS; course.steps++) {
        if (equations_residual(workspace, at, g, jacobian) || !isfinite(norm(g))) {
            course.end = NOT_EVALUATED;
            return course;
        }
        if (factor(N_Z, jacobian, rows)) {
            course.end = SINGULAR;
            return course;
        }
        memcpy(step, g, sizeof(double) * N_Z);
        solve(N_Z, jacobian, rows, step);
        if (relative(step, z) <= SMALL) {
            for (i = 0; i < N_Z; i++)
                z[i] -= step[i];
            course.end = SOLVED;
            return course;
        }
        /* Halve the step until it lessens the residual. */
        for (length = 1.0, halving = 0; halving <= MOST_HALVINGS; halving++, length /= 2) {
            double left[SIZE];
            for (i = 0; i < N_Z; i++)
                next[i] = z[i] - length * step[i];
            if (!equations_residual(workspace, trial, left, NULL) && norm(left) <= (1.0 - 1e-4 * length) * norm(g))
                break;
        }
        course.residual = norm(g);
        if (halving > MOST_HALVINGS)
            break;
        memcpy(z, next, sizeof(double) * N_Z);
    }
    return course;
}
