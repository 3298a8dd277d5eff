/* Products of small dense matrices, row major, and what is solved with them. Four rows of the second factor at once, so
   that what is summed is read and written a quarter as often. Rows of one call do not overlap; those of several calls may,
   which `restrict` in functions that are inlined would deny. */

INLINED void added_row(double *row, const double *a, int stride, const double *B, int lb, int k, int c, double sign) {
    int l = 0;
    for (; l + 3 < k; l += 4) {
        const double a0 = sign * a[l * stride], a1 = sign * a[(l + 1) * stride], a2 = sign * a[(l + 2) * stride],
                     a3 = sign * a[(l + 3) * stride];
        if (a0 == 0.0 && a1 == 0.0 && a2 == 0.0 && a3 == 0.0) continue;
        const double *b0 = B + l * lb, *b1 = b0 + lb, *b2 = b1 + lb, *b3 = b2 + lb;
#pragma GCC ivdep
        for (int j = 0; j < c; j++) row[j] += a0 * b0[j] + a1 * b1[j] + a2 * b2[j] + a3 * b3[j];
    }
    for (; l < k; l++) {
        const double a0 = sign * a[l * stride], *b0 = B + l * lb;
        if (a0 == 0.0) continue;
#pragma GCC ivdep
        for (int j = 0; j < c; j++) row[j] += a0 * b0[j];
    }
}

INLINED double dot(const double *a, const double *b, int count) {
    double sums[4] = {0.0, 0.0, 0.0, 0.0};
    int i = 0;
    for (; i + 3 < count; i += 4)
        for (int l = 0; l < 4; l++) sums[l] += a[i + l] * b[i + l];
    for (; i < count; i++) sums[0] += a[i] * b[i];
    return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

/* C (m, c) = or += A (m, k) B (k, c) with these row lengths; A (k, m) where it is transposed. */
INLINED void multiplied(double *C, int lc, const double *A, int la, int transposed, const double *B, int lb, int m,
                        int k, int c, int adds) {
    for (int i = 0; i < m; i++) {
        if (!adds) memset(C + i * lc, 0, sizeof(double) * c);
        added_row(C + i * lc, transposed ? A + i : A + i * la, transposed ? la : 1, B, lb, k, c, 1.0);
    }
}

/* The lower triangle of C (m, m) += sign A' B, with A, B (k, m); a few entries above it with it. */
INLINED void added_symmetric(double *C, int lc, const double *A, int la, const double *B, int lb, int m, int k,
                             double sign) {
    for (int i = 0; i < m; i++) {
        const int up_to = (i | 3) + 1;
        added_row(C + i * lc, A + i, la, B, lb, k, up_to < m ? up_to : m, sign);
    }
}

/* Symmetric matrices by the rows of their lower triangles: how many entries they have, and where a row begins. */
#define TRIANGLE(n) ((n) * ((n) + 1) / 2)

static void from_triangle(const double *rows, int n, double *full) {
    for (int i = 0; i < n; i++, rows += i)
        for (int j = 0; j <= i; j++) full[i * n + j] = full[j * n + i] = rows[j];
}

/* Solve A X = B for X, which takes the place of B (m, r). Partial pivoting; rows of B wait until A is factorised. */
INLINED int solve(double *A, double *B, int m, int r) {
    for (int i = 0; i < m; i++) {
        int pivot = i;
        double largest = fabs(A[i * m + i]);
        for (int j = i + 1; j < m; j++)
            if (fabs(A[j * m + i]) > largest) {
                largest = fabs(A[j * m + i]);
                pivot = j;
            }
        if (!(largest > 0.0) || !isfinite(largest)) return 1;
        if (pivot != i) {
            for (int k = 0; k < m; k++) {
                const double t = A[i * m + k];
                A[i * m + k] = A[pivot * m + k];
                A[pivot * m + k] = t;
            }
            for (int k = 0; k < r; k++) {
                const double t = B[i * r + k];
                B[i * r + k] = B[pivot * r + k];
                B[pivot * r + k] = t;
            }
        }
        const double inverse = 1.0 / A[i * m + i];
        const double *ai = A + i * m;
        for (int j = i + 1; j < m; j++) {
            double *aj = A + j * m;
            if (aj[i] == 0.0) continue;
            const double l = aj[i] *= inverse;
#pragma GCC ivdep
            for (int k = i + 1; k < m; k++) aj[k] -= l * ai[k];
        }
    }
    for (int i = 1; i < m; i++) added_row(B + i * r, A + i * m, 1, B, r, i, r, -1.0);
    for (int i = m - 1; i >= 0; i--) {
        const double inverse = 1.0 / A[i * m + i];
        double *bi = B + i * r;
        added_row(bi, A + i * m + i + 1, 1, B + (i + 1) * r, r, m - 1 - i, r, -1.0);
        for (int k = 0; k < r; k++) bi[k] *= inverse;
    }
    return 0;
}
