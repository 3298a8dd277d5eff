/* Calls of the generated derivatives. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "equations.h"

/* Long code that is rarely called; optimising it would take the compiler minutes. */
#if defined __clang__
#pragma clang optimize off
#elif defined __GNUC__
#pragma GCC optimize("O0")
#endif

#define CASADI_SYMBOL_EXPORT static
INSIDE_BEGIN
#include "generated_sensitivities.h"
INSIDE_END

int sensitivities_work(long long int *arguments, long long int *results, long long int *integers,
                       long long int *numbers) {
    casadi_int other[4];
    forward_work(arguments, results, integers, numbers);
    reverse_work(&other[0], &other[1], &other[2], &other[3]);
    *arguments = other[0] > *arguments ? other[0] : *arguments;
    *results = other[1] > *results ? other[1] : *results;
    *integers = other[2] > *integers ? other[2] : *integers;
    *numbers = other[3] > *numbers ? other[3] : *numbers;
    return 0;
}

int equations_forward(Workspace *workspace, Point at, Point direction, double *dx, double *y, double *g) {
    const double **given = equations_arguments(workspace, at);
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
    const double **given = equations_arguments(workspace, at);
    given[4] = dx_weight;
    given[5] = y_weight;
    given[6] = g_weight;
    workspace->results[0] = gradient.x;
    workspace->results[1] = gradient.z;
    workspace->results[2] = gradient.u;
    workspace->results[3] = gradient.p;
    return reverse(given, workspace->results, workspace->integers, workspace->numbers, 0);
}
