/* Newton's method for the algebraic variables. */
/* SPDX-License-Identifier: MIT */
#ifndef NEWTON_H
#define NEWTON_H

#include "equations.h"
#include "shared.h"

INSIDE_BEGIN

/* Outcome of the iteration. */
typedef struct {
    enum { SOLVED, NOT_EVALUATED, SINGULAR, STUCK } end;
    int steps;
    double residual; /* norm of g where the iteration stalled */
} Newton;

/* Solve 0 = g for z at x, u and p of a point; z holds the initial guess. */
Newton newton(Workspace *workspace, Point at, double *z);

INSIDE_END

#endif
