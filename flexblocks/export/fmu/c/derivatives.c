/* Directional and adjoint derivatives, with the algebraic variables eliminated by the implicit function theorem. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "instance.h"
#include "linear.h"

static int is_known(unsigned int reference) { return reference >= X && reference < Z; }

/* The rate of a coordinate is itself a state: an unknown that is also a known. */
static int is_unknown(unsigned int reference) { return reference >= X && reference < N_VALUES && (reference < U || reference >= Z); }

static Result check(Instance *instance, const unsigned int *unknowns, size_t n_unknowns, const unsigned int *knowns,
                    size_t n_knowns) {
    size_t i;
    for (i = 0; i < n_unknowns; i++)
        if (!is_unknown(unknowns[i]))
            return report(instance, FAILED, "Value reference %u is no unknown with derivatives.", unknowns[i]);
    for (i = 0; i < n_knowns; i++)
        if (!is_known(knowns[i]) && knowns[i] != TIME)
            return report(instance, FAILED, "Value reference %u is no known with derivatives.", knowns[i]);
    return instance_update(instance, OLD_Z);
}

static Result jacobian_factors(Instance *instance, double *jacobian, int *rows) {
    if (equations_residual(&instance->workspace, instance_point(instance), NULL, jacobian) ||
        factor(N_Z, jacobian, rows))
        return report(instance, DISCARDED, "The Jacobian of the algebraic equations is singular at t = %.9g s.",
                      instance->state.values[TIME]);
    return GOOD;
}

Result directional_derivative(Instance *instance, const unsigned int *unknowns, size_t n_unknowns,
                              const unsigned int *knowns, size_t n_knowns, const double *seed, double *sensitivity) {
    double change[N_VALUES] = {0}, g[N_Z + 1], jacobian[(N_Z + 1) * (N_Z + 1)];
    int rows[N_Z + 1], i;
    size_t k;
    Point at = instance_point(instance), direction = {change + X, change + Z, change + U, change + P};
    Result result = check(instance, unknowns, n_unknowns, knowns, n_knowns);
    if (result != GOOD)
        return result;
    for (k = 0; k < n_knowns; k++)
        change[knowns[k]] += seed[k];
    if (N_Z) {
        if ((result = jacobian_factors(instance, jacobian, rows)) != GOOD)
            return result;
        if (equations_forward(&instance->workspace, at, direction, NULL, NULL, g))
            return DISCARDED;
        solve(N_Z, jacobian, rows, g);
        for (i = 0; i < N_Z; i++)
            change[Z + i] = -g[i];
    }
    if (equations_forward(&instance->workspace, at, direction, change + DX, change + Y, NULL))
        return DISCARDED;
    for (k = 0; k < n_unknowns; k++)
        sensitivity[k] = change[unknowns[k]];
    return GOOD;
}

Result adjoint_derivative(Instance *instance, const unsigned int *unknowns, size_t n_unknowns,
                          const unsigned int *knowns, size_t n_knowns, const double *seed, double *sensitivity) {
    double weight[N_VALUES] = {0}, found[N_VALUES] = {0}, multiplier[N_Z + 1] = {0}, jacobian[(N_Z + 1) * (N_Z + 1)];
    int rows[N_Z + 1], i;
    size_t k;
    Point at = instance_point(instance);
    Gradient gradient = {found + X, found + Z, found + U, found + P};
    Result result = check(instance, unknowns, n_unknowns, knowns, n_knowns);
    if (result != GOOD)
        return result;
    for (k = 0; k < n_unknowns; k++)
        weight[unknowns[k]] += seed[k];
    if (N_Z) {
        if ((result = jacobian_factors(instance, jacobian, rows)) != GOOD)
            return result;
        if (equations_reverse(&instance->workspace, at, weight + DX, weight + Y, NULL, gradient))
            return DISCARDED;
        for (i = 0; i < N_Z; i++)
            multiplier[i] = -(found[Z + i] + weight[Z + i]);
        solve_transposed(N_Z, jacobian, rows, multiplier);
    }
    if (equations_reverse(&instance->workspace, at, weight + DX, weight + Y, multiplier, gradient))
        return DISCARDED;
    for (i = 0; i < N_S; i++)
        found[X + i] += weight[X + i];
    for (k = 0; k < n_knowns; k++)
        sensitivity[k] = knowns[k] == TIME ? 0.0 : found[knowns[k]];
    return GOOD;
}
