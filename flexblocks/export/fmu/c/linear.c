/* LU factorisation with partial pivoting. */
/* SPDX-License-Identifier: MIT */
#include "linear.h"

#include <math.h>

static void exchange(double *first, double *second) {
    double kept = *first;
    *first = *second;
    *second = kept;
}

int factor(int n, double *A, int *rows) {
    int i, j, k;
    for (k = 0; k < n; k++) {
        int pivot = k;
        for (i = k + 1; i < n; i++)
            if (fabs(A[i + n * k]) > fabs(A[pivot + n * k]))
                pivot = i;
        rows[k] = pivot;
        if (!(fabs(A[pivot + n * k]) > 0.0) || !isfinite(A[pivot + n * k]))
            return 1;
        if (pivot != k)
            for (j = 0; j < n; j++)
                exchange(&A[k + n * j], &A[pivot + n * j]);
        for (i = k + 1; i < n; i++)
            A[i + n * k] /= A[k + n * k];
        for (j = k + 1; j < n; j++)
            for (i = k + 1; i < n; i++)
                A[i + n * j] -= A[i + n * k] * A[k + n * j];
    }
    return 0;
}

void solve(int n, const double *A, const int *rows, double *b) {
    int i, k;
    for (k = 0; k < n; k++)
        exchange(&b[k], &b[rows[k]]);
    for (k = 0; k < n; k++)
        for (i = k + 1; i < n; i++)
            b[i] -= A[i + n * k] * b[k];
    for (k = n - 1; k >= 0; k--) {
        b[k] /= A[k + n * k];
        for (i = 0; i < k; i++)
            b[i] -= A[i + n * k] * b[k];
    }
}

void solve_transposed(int n, const double *A, const int *rows, double *b) {
    int i, k;
    for (k = 0; k < n; k++) {
        for (i = 0; i < k; i++)
            b[k] -= A[i + n * k] * b[i];
        b[k] /= A[k + n * k];
    }
    for (k = n - 1; k >= 0; k--)
        for (i = k + 1; i < n; i++)
            b[k] -= A[i + n * k] * b[i];
    for (k = n - 1; k >= 0; k--)
        exchange(&b[k], &b[rows[k]]);
}
