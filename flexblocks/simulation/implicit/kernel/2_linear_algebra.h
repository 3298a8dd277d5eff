/* LU factors with scaled partial pivoting, of a matrix by columns; solutions by axpy, which compilers vectorise. */
#define FACTORS(NAME, T, ABS)                                                                                   \
  static int NAME(T *restrict A, long *p, double *scale, long n) {                                              \
    for (long i = 0; i < n; i++) scale[i] = 0;                                                                  \
    for (long j = 0; j < n; j++)                                                                                \
      for (long i = 0; i < n; i++) { double s = ABS(A[j * n + i]); if (s > scale[i]) scale[i] = s; }            \
    for (long i = 0; i < n; i++) { if (!(scale[i] > 0) || !isfinite(scale[i])) return 1; scale[i] = 1 / scale[i]; } \
    for (long k = 0; k < n; k++) {                                                                              \
      long best = k;                                                                                            \
      double most = 0;                                                                                          \
      for (long i = k; i < n; i++) { double s = ABS(A[k * n + i]) * scale[i]; if (s > most) { most = s; best = i; } } \
      if (!(most > 1e-15)) return 1;                                                                            \
      p[k] = best;                                                                                              \
      if (best != k) {                                                                                          \
        double s = scale[k]; scale[k] = scale[best]; scale[best] = s;                                           \
        for (long j = 0; j < n; j++) { T a = A[j * n + k]; A[j * n + k] = A[j * n + best]; A[j * n + best] = a; } \
      }                                                                                                         \
      T d = 1.0 / A[k * n + k];                                                                                 \
      for (long i = k + 1; i < n; i++) A[k * n + i] *= d;                                                       \
      for (long j = k + 1; j < n; j++) {                                                                        \
        T f = A[j * n + k];                                                                                     \
        if (f == 0) continue;                                                                                   \
        T *restrict to = A + j * n;                                                                             \
        const T *restrict from = A + k * n;                                                                     \
        for (long i = k + 1; i < n; i++) to[i] -= f * from[i];                                                  \
      }                                                                                                         \
    }                                                                                                           \
    return 0;                                                                                                   \
  }                                                                                                             \
  static void NAME##_solve(const T *restrict A, const long *p, T *restrict b, long n) {                         \
    for (long k = 0; k < n; k++) { T x = b[k]; b[k] = b[p[k]]; b[p[k]] = x; }                                   \
    for (long k = 0; k < n; k++) {                                                                              \
      T f = b[k];                                                                                               \
      if (f != 0) for (long i = k + 1; i < n; i++) b[i] -= f * A[k * n + i];                                    \
    }                                                                                                           \
    for (long k = n - 1; k >= 0; k--) {                                                                         \
      T f = b[k] /= A[k * n + k];                                                                               \
      if (f != 0) for (long i = 0; i < k; i++) b[i] -= f * A[k * n + i];                                        \
    }                                                                                                           \
  }
FACTORS(lu, double, fabs)
FACTORS(luc, cplx, cabs)
