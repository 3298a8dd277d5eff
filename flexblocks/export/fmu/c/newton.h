/* Newton's method for the algebraic variables. */
/* SPDX-License-Identifier: MIT */
#ifndef NEWTON_H
#define NEWTON_H

#include "equations.h"
#include "shared.h"

INSIDE_BEGIN

/* How the iteration went. */
typedef struct {
    enum { SOLVED, NOT_EVALUATED, SINGULAR, STUCK } end;
    int steps;
    double residual; /* where it got stuck */
} Newton;

/* Solve 0 = g for z, from the guess in it, at x, u and p of a point. */
Newton newton(Workspace *workspace, Point at, double *z);

INSIDE_END

#endif
