/* Dense linear systems, of the size of the algebraic variables. */
/* SPDX-License-Identifier: MIT */
#ifndef LINEAR_H
#define LINEAR_H

#include "shared.h"

INSIDE_BEGIN

/* LU-factorise A (n, n), column-major, in place; rows (n) are the row exchanges. Returns not 0 if A is singular. */
int factor(int n, double *A, int *rows);

/* Replace b (n) by the solution of A x = b, or of A' x = b. */
void solve(int n, const double *A, const int *rows, double *b);
void solve_transposed(int n, const double *A, const int *rows, double *b);

INSIDE_END

#endif
