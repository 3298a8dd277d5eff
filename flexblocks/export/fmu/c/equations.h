/* The equations of the model, der(x) = f(x, z, u, p), 0 = g(x, z, u, p), y = h(x, z, u, p), with their derivatives. */
/* SPDX-License-Identifier: MIT */
#ifndef EQUATIONS_H
#define EQUATIONS_H

#include "model.h"
#include "shared.h"

INSIDE_BEGIN

/* A point in the variables of the model. */
typedef struct {
    const double *x, *z, *u, *p;
} Point;

/* Memory in which the equations are evaluated; one for each thread. */
typedef struct {
    const double **arguments;
    double **results;
    long long int *integers;
    double *numbers;
} Workspace;

int workspace_allocate(Workspace *workspace); /* 0 if there is enough memory */
void workspace_free(Workspace *workspace);

/* Put a point where the generated functions look for their arguments. */
const double **equations_arguments(Workspace *workspace, Point at);

/* Each returns 0, or not 0 if it cannot be evaluated. Results that are NULL are left out. */
int equations_rates(Workspace *workspace, Point at, double *dx);
int equations_outputs(Workspace *workspace, Point at, double *y);
int equations_residual(Workspace *workspace, Point at, double *g, double *g_z); /* g_z: column after column */
int equations_changes(Workspace *workspace, Point at, double **changes); /* of x, one for each clock */

/* Derivatives in one direction; a direction that is NULL is zero. */
int equations_forward(Workspace *workspace, Point at, Point direction, double *dx, double *y, double *g);

/* Gradients of dx . dx_weight + y . y_weight + g . g_weight; a weight that is NULL is zero. */
typedef struct {
    double *x, *z, *u, *p;
} Gradient;
int equations_reverse(Workspace *workspace, Point at, const double *dx_weight, const double *y_weight,
                      const double *g_weight, Gradient gradient);

/* How much memory the derivatives need: numbers of arguments, results, integers and numbers. */
int sensitivities_work(long long int *arguments, long long int *results, long long int *integers,
                       long long int *numbers);

INSIDE_END

#endif
