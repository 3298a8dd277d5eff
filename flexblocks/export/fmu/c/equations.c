/* Calls of the generated equations. */
/* SPDX-License-Identifier: MIT */
#include "equations.h"

#include <math.h>
#include <stdlib.h>

/* The generated code is included here, so that its names stay local to this file. It includes math.h only. */
#define CASADI_SYMBOL_EXPORT static
INSIDE_BEGIN
#include "generated_equations.h"
INSIDE_END

typedef int (*Work)(casadi_int *, casadi_int *, casadi_int *, casadi_int *); /* numbers of arguments, results, integers, doubles */

int workspace_allocate(Workspace *workspace) {
    static const Work sizes[] = {rates_work, outputs_work, residual_work, changes_work, charts_work, mass_work, sensitivities_work};
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

const double **equations_arguments(Workspace *workspace, Point at) {
    workspace->arguments[0] = at.x;
    workspace->arguments[1] = at.z;
    workspace->arguments[2] = at.u;
    workspace->arguments[3] = at.p;
    return workspace->arguments;
}

int equations_rates(Workspace *workspace, Point at, double *dx) {
    workspace->results[0] = dx;
    return rates(equations_arguments(workspace, at), workspace->results, workspace->integers, workspace->numbers, 0);
}

int equations_outputs(Workspace *workspace, Point at, double *y) {
    workspace->results[0] = y;
    return outputs(equations_arguments(workspace, at), workspace->results, workspace->integers, workspace->numbers, 0);
}

int equations_residual(Workspace *workspace, Point at, double *g, double *g_z) {
    workspace->results[0] = g;
    workspace->results[1] = g_z;
    return residual(equations_arguments(workspace, at), workspace->results, workspace->integers, workspace->numbers, 0);
}

int equations_changes(Workspace *workspace, Point at, double **wanted) {
    int clock;
    for (clock = 0; clock < N_CLOCKS; clock++)
        workspace->results[clock] = wanted[clock];
    return changes(equations_arguments(workspace, at), workspace->results, workspace->integers, workspace->numbers, 0);
}

int equations_mass(Workspace *workspace, Point at, double *M) {
    workspace->results[0] = M;
    return mass(equations_arguments(workspace, at), workspace->results, workspace->integers, workspace->numbers, 0);
}

int equations_charts(Workspace *workspace, Point at, double *distances, int wanted, double *change) {
    int chart;
    workspace->results[0] = distances;
    for (chart = 0; chart < N_CHARTS; chart++)
        workspace->results[chart + 1] = chart == wanted ? change : NULL;
    return charts(equations_arguments(workspace, at), workspace->results, workspace->integers, workspace->numbers, 0);
}
