/* Model equations der(x) = f(x, z, u, p), 0 = g(x, z, u, p), y = h(x, z, u, p), and their derivatives. */
/* SPDX-License-Identifier: MIT */
#ifndef EQUATIONS_H
#define EQUATIONS_H

#include "model.h"
#include "shared.h"

INSIDE_BEGIN

/* Values of all variables at which the equations are evaluated. */
typedef struct {
    const double *x, *z, *u, *p;
} Point;

/* Work memory for evaluating the equations; one per thread. */
typedef struct {
    const double **arguments;
    double **results;
    long long int *integers;
    double *numbers;
} Workspace;

int workspace_allocate(Workspace *workspace); /* 0 if there is enough memory */
void workspace_free(Workspace *workspace);

/* Set the point as the argument of the generated functions. */
const double **equations_arguments(Workspace *workspace, Point at);

/* Each returns 0 on success, not 0 if it cannot be evaluated. Results that are NULL are skipped. */
int equations_rates(Workspace *workspace, Point at, double *dx);
int equations_outputs(Workspace *workspace, Point at, double *y);
int equations_residual(Workspace *workspace, Point at, double *g, double *g_z); /* g_z: column-major */
int equations_changes(Workspace *workspace, Point at, double **changes); /* increments of x, one for each clock */

/* Mass matrix of the coordinates (N_M, N_M), regular wherever the arm can be moved: with loops, with their closures. */
int equations_mass(Workspace *workspace, Point at, double *M);

/* Distances from the borders of all charts, and the increment of x to the next chart of the one that is wanted (or -1). */
int equations_charts(Workspace *workspace, Point at, double *distances, int wanted, double *change);

/* Directional derivatives (forward mode); a direction that is NULL is zero. */
int equations_forward(Workspace *workspace, Point at, Point direction, double *dx, double *y, double *g);

/* Adjoint derivatives (reverse mode): gradients of dx . dx_weight + y . y_weight + g . g_weight; a weight that is NULL is zero. */
typedef struct {
    double *x, *z, *u, *p;
} Gradient;
int equations_reverse(Workspace *workspace, Point at, const double *dx_weight, const double *y_weight,
                      const double *g_weight, Gradient gradient);

/* Work memory that the derivatives need: numbers of arguments, results, integers and doubles. */
int sensitivities_work(long long int *arguments, long long int *results, long long int *integers,
                       long long int *numbers);

INSIDE_END

#endif
