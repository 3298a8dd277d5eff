/* Calls of the generated functions. */
/* SPDX-License-Identifier: MIT */
#include "equations.h"

#include <math.h>
#include <stdlib.h>

/* The generated code is part of this file, so that none of its names leaves it. It includes math.h alone. */
#define CASADI_SYMBOL_EXPORT static
INSIDE_BEGIN
#include "generated.h"
INSIDE_END

typedef int (*Work)(casadi_int *, casadi_int *, casadi_int *, casadi_int *);

int workspace_allocate(Workspace *workspace) {
    static const Work sizes[] = {rates_work, outputs_work, residual_work, forward_work, reverse_work};
    casadi_int most[4] = {1, 1, 1, 1}, size[4];
    size_t i, k;
    for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        sizes[i](&size[0], &size[1], &size[2], &size[3]);
        for (k = 0; k < 4; k++)
            most[k] = size[k] > most[k] ? size[k] : most[k];
    }
    workspace->arguments = calloc((size_t)most[0], sizeof(double *));
    workspace->results = calloc((size_t)most[1], sizeof(double *));
    workspace->integers = calloc((size_t)most[2], sizeof(long long int));
    workspace->numbers = calloc((size_t)most[3], sizeof(double));
    return !(workspace->arguments && workspace->results && workspace->integers && workspace->numbers);
}

void workspace_free(Workspace *workspace) {
    free((void *)workspace->arguments);
    free((void *)workspace->results);
    free(workspace->integers);
    free(workspace->numbers);
}

static const double **arguments(Workspace *workspace, Point at) {
    workspace->arguments[0] = at.x;
    workspace->arguments[1] = at.z;
    workspace->arguments[2] = at.u;
    workspace->arguments[3] = at.p;
    return workspace->arguments;
}

int equations_rates(Workspace *workspace, Point at, double *dx) {
    workspace->results[0] = dx;
    return rates(arguments(workspace, at), workspace->results, workspace->integers, workspace->numbers, 0);
}

int equations_outputs(Workspace *workspace, Point at, double *y) {
    workspace->results[0] = y;
    return outputs(arguments(workspace, at), workspace->results, workspace->integers, workspace->numbers, 0);
}

int equations_residual(Workspace *workspace, Point at, double *g, double *g_z) {
    workspace->results[0] = g;
    workspace->results[1] = g_z;
    return residual(arguments(workspace, at), workspace->results, workspace->integers, workspace->numbers, 0);
}

int equations_forward(Workspace *workspace, Point at, Point direction, double *dx, double *y, double *g) {
    const double **given = arguments(workspace, at);
    given[4] = direction.x;
    given[5] = direction.z;
    given[6] = direction.u;
    given[7] = direction.p;
    workspace->results[0] = dx;
    workspace->results[1] = y;
    workspace->results[2] = g;
    return forward(given, workspace->results, workspace->integers, workspace->numbers, 0);
}

int equations_reverse(Workspace *workspace, Point at, const double *dx_weight, const double *y_weight,
                      const double *g_weight, Gradient gradient) {
    const double **given = arguments(workspace, at);
    given[4] = dx_weight;
    given[5] = y_weight;
    given[6] = g_weight;
    workspace->results[0] = gradient.x;
    workspace->results[1] = gradient.z;
    workspace->results[2] = gradient.u;
    workspace->results[3] = gradient.p;
    return reverse(given, workspace->results, workspace->integers, workspace->numbers, 0);
}
