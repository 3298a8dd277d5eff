/* Newton matrices: derivatives of the residual by differences, and which closures are independent. */

/* Fewer count than did: the motion is at a change point, and every step looks whether it has passed. */
static int is_at_change_point(const kernel *k) { return k->chosen < k->most_chosen; }

/* Closures that count are chosen by a Gram-Schmidt process with pivots, in displacements: one that counts is dropped
   where hardly anything of it is left by the others, one that does not is taken where much is left (hysteresis). */
static void choose_closures(kernel *k) {
  long m = k->m, N = k->N, NT = k->NT, chosen = 0;
  double most = 0;
  for (long i = 0; i < m; i++) {
    k->norms[i] = 0;
    for (long j = 0; j < N; j++) {
      double scaled = k->weight[j] > 0 && !k->held[j] ? k->D[j * NT + N + i] * k->row_scale[i] / k->weight[j] : 0;
      k->basis[i * N + j] = scaled;
      k->norms[i] += scaled * scaled;
    }
    if (k->norms[i] > most) most = k->norms[i];
  }
  most = sqrt(most);
  for (int taken = 1; taken >= 0; taken--) { /* those that count first */
    long *pending = k->pivots;
    for (long i = 0; i < m; i++) pending[i] = (k->active[i] != 0) == taken;
    for (;;) {
      long best = -1;
      for (long i = 0; i < m; i++) if (pending[i] && (best < 0 || k->norms[i] > k->norms[best])) best = i;
      if (best < 0) break;
      pending[best] = 0;
      double left = sqrt(k->norms[best] > 0 ? k->norms[best] : 0);
      k->active[best] = left > most * (taken ? k->drop : k->take);
      if (!k->active[best]) continue;
      chosen++;
      double *e = k->basis + best * N;
      for (long j = 0; j < N; j++) e[j] /= left;
      for (long i = 0; i < m; i++) {
        if (!(pending[i] || (taken && !k->active[i]))) continue;
        double s = 0, *row = k->basis + i * N;
        for (long j = 0; j < N; j++) s += e[j] * row[j];
        k->norms[i] = 0;
        for (long j = 0; j < N; j++) { row[j] -= s * e[j]; k->norms[i] += row[j] * row[j]; }
      }
    }
  }
  k->chosen = chosen;
  if (chosen > k->most_chosen) k->most_chosen = chosen;
}

/* Columns of derivatives in `count` variables of the trial point: coordinates, their rates with first-order states, the
   derivatives of these, or algebraic variables. Those in the third are constant, so that differences may be large. */
enum { COORDINATES, VELOCITIES, RATES, ALGEBRAIC };
static void differences(kernel *k, double *point, long count, int kind, double *target) {
  long NT = k->NT;
  for (long j = 0; j < count; j++) {
    double own = point[j], unit = 1.0, d;
    if (kind != ALGEBRAIC) unit = k->weight[j] > 0 ? k->reach / k->weight[j] : fmax(k->size[j], 1e-3);
    d = kind == RATES ? fmax(1e-3 * fabs(own), unit) : 1.5e-8 * fmax(fabs(own), unit);
    point[j] = own + d;
    d = point[j] - own;
    evaluate(k, k->trial, k->trial + k->n + k->N, k->trial + k->n + 2 * k->N, k->trial + k->n + 2 * k->N + k->m, k->R1);
    point[j] = own;
    for (long r = 0; r < NT; r++) target[j * NT + r] = (k->R1[r] - k->R[r]) / d;
  }
}

/* Derivatives at a point, whose inputs are set. */
static void jacobian(kernel *k, const double *x, const double *rates, const double *lambda, const double *z) {
  double *at = k->trial;
  memcpy(at, x, (k->n + k->N) * sizeof *at);
  memcpy(at + k->n + k->N, rates, k->N * sizeof *at);
  memcpy(at + k->n + 2 * k->N, lambda, k->m * sizeof *at);
  memcpy(at + k->n + 2 * k->N + k->m, z, k->nz * sizeof *at);
  evaluate(k, x, rates, lambda, z, k->R);
  differences(k, at, k->n, COORDINATES, k->K);
  differences(k, at + k->n, k->N, VELOCITIES, k->D);
  differences(k, at + k->n + k->N, k->N, RATES, k->M);
  differences(k, at + k->n + 2 * k->N + k->m, k->nz, ALGEBRAIC, k->Z);
  k->counts[COUNT_JACOBIAN]++;
  choose_closures(k);
  k->have = 1;
  k->fresh = 1;
  k->factored = 0;
}

/* The matrix of unknowns (rates, lambda, z) for dv = k1 da, dq = k2 da. Rows of closures and of prescribed coordinates
   are divided by k1. */
#define MATRIX(NAME, T)                                                                                         \
  static void NAME(const kernel *k, T *A, T k1, T k2) {                                                         \
    long n = k->n, N = k->N, m = k->m, NT = k->NT;                                                              \
    T ratio = k2 / k1;                                                                                          \
    for (long j = 0; j < N; j++)                                                                                \
      for (long i = 0; i < NT; i++) {                                                                           \
        double K = j < n ? k->K[j * NT + i] : 0;                                                                \
        int level = (i < N && k->held[i]) || (i >= N && i < N + m);                                             \
        A[j * NT + i] = level ? k->D[j * NT + i] + ratio * K : k->M[j * NT + i] + k1 * k->D[j * NT + i] + k2 * K; \
      }                                                                                                         \
    for (long j = 0; j < m; j++)                                                                                \
      for (long i = 0; i < NT; i++)                                                                             \
        A[(N + j) * NT + i] = i < N && !k->held[i] && k->active[j] ? -k->D[i * NT + N + j] : 0;                 \
    for (long j = 0; j < k->nz; j++)                                                                            \
      for (long i = 0; i < NT; i++) A[(N + m + j) * NT + i] = k->Z[j * NT + i];                                 \
    for (long i = 0; i < m; i++)                                                                                \
      if (!k->active[i]) {                                                                                      \
        for (long j = 0; j < NT; j++) A[j * NT + N + i] = 0;                                                    \
        A[(N + i) * NT + N + i] = 1;                                                                            \
      }                                                                                                         \
  }
MATRIX(matrix, double)
MATRIX(matrix_c, cplx)

/* Whether a row is that of a closure or of a prescribed coordinate. */
static int is_level(const kernel *k, long i) { return (i < k->N && k->held[i]) || (i >= k->N && i < k->N + k->m); }

/* What a change of a rate counts as a displacement [m], for dv = k1 da, dq = k2 da. */
static double displacement(const kernel *k, long i, double d, double k1, double k2) {
  if (i < k->n) return fabs(k2 * d) * k->weight[i];
  return fabs(k1 * d) * k->reach / fmax(k->size[i], fmax(fabs(k1 * k->rates[i]), 1e-12));
}

static void keep_sizes(kernel *k) {
  for (long i = k->n; i < k->N; i++) k->size[i] = fmax(k->size[i], fabs(k->x[k->n + i]));
}

/* Rates, multipliers and algebraic variables at the present state, where segments begin: closures are differentiated
   once more, d/dt (J v + k c) = D a + K v. */
static int begin(kernel *k) {
  long n = k->n, N = k->N, m = k->m, NT = k->NT;
  double accelerations[k->nr + 1], *v = k->x + n;
  keep_sizes(k);
  set_inputs(k, k->t, accelerations);
  if (k->slow_start) jacobian(k, k->x, k->rates, k->lambda, k->z); /* on the slow manifold nothing accelerates yet */
  for (int it = 0; !k->slow_start && it < 12; it++) {
    jacobian(k, k->x, k->rates, k->lambda, k->z);
    for (long j = 0; j < NT * NT; j++) k->LU[j] = 0;
    for (long j = 0; j < N; j++)
      for (long i = 0; i < NT; i++) k->LU[j * NT + i] = is_level(k, i) ? k->D[j * NT + i] : i < N ? k->M[j * NT + i] : 0;
    for (long j = 0; j < m; j++) {
      if (k->active[j]) { for (long i = 0; i < N; i++) k->LU[(N + j) * NT + i] = k->held[i] ? 0 : -k->D[i * NT + N + j]; }
      else { for (long i = 0; i < N; i++) k->LU[i * NT + N + j] = 0; k->LU[(N + j) * NT + N + j] = 1; }
    }
    for (long j = 0; j < k->nz; j++) for (long i = 0; i < NT; i++) k->LU[(N + m + j) * NT + i] = is_level(k, i) ? 0 : k->Z[j * NT + i];
    for (long i = 0; i < NT; i++) {
      double r = k->R[i];
      if (is_level(k, i)) {
        r = 0;
        for (long j = 0; j < n; j++) r += k->K[j * NT + i] * v[j];
        for (long j = 0; j < N; j++) r += k->D[j * NT + i] * k->rates[j];
        if (i < N) {
          long which = k->held[i] - 1;
          /* its own motion moves on: k (q - q(t)) has the rate - k v(t), v - v(t) the rate - a(t) */
          r -= accelerations[which] + k->K[i * NT + i] * k->motion[k->nr + which];
        } else if (!k->active[i - N]) r = k->lambda[i - N];
      }
      k->column[i] = -r;
    }
    if (lu(k->LU, k->pivots, k->scale, NT)) return FAILED_SINGULAR;
    k->counts[COUNT_FACTORS]++;
    lu_solve(k->LU, k->pivots, k->column, NT);
    double change = 0, size = 1e-300, change_z = 0;
    for (long i = 0; i < N; i++) { k->rates[i] += k->column[i]; change = fmax(change, fabs(k->column[i])); size = fmax(size, fabs(k->rates[i])); }
    for (long i = 0; i < m; i++) k->lambda[i] += k->column[N + i];
    for (long i = 0; i < k->nz; i++) { k->z[i] += k->column[N + m + i]; change_z = fmax(change_z, fabs(k->column[N + m + i]) / (1 + fabs(k->z[i]))); }
    if (!isfinite(change + change_z)) return FAILED_START;
    if (change <= 1e-6 * size && change_z < 1e-9) break;
    if (it >= 1 && !k->nz) break; /* linear in rates and multipliers */
  }
  memcpy(k->filtered, k->rates, N * sizeof(double));
  evaluate_power(k, k->x, k->rates, k->lambda, k->z, k->power);
  k->previous_step = 0;
  k->factored = k->known = k->slow_start = 0;
  k->started = 1;
  return DONE;
}

/* Work of a step that has ended: the parabola of the powers at its ends and at the one before. */
static void add_work(kernel *k, double h) {
  double P[2], r = k->previous_step / h;
  evaluate_power(k, k->x, k->rates, k->lambda, k->z, P);
  for (int i = 0; i < 2; i++) {
    if (r > 0)
      k->work[i] += h * ((2 + 3 * r) / (6 * (1 + r)) * P[i] + (1 + 3 * r) / (6 * r) * k->power[i] -
                         k->earlier[i] / (6 * r * (r + 1)));
    else k->work[i] += h / 2 * (P[i] + k->power[i]);
    k->earlier[i] = k->power[i];
    k->power[i] = P[i];
  }
  k->previous_step = h;
}

static void remember(kernel *k) {
  k->t0 = k->t;
  memcpy(k->work0, k->work, sizeof k->work);
  memcpy(k->power0, k->power, sizeof k->power);
  memcpy(k->x0, k->x, (k->n + k->N) * sizeof(double));
  memcpy(k->rates0, k->rates, k->N * sizeof(double));
  memcpy(k->lambda0, k->lambda, k->m * sizeof(double));
  memcpy(k->z0, k->z, k->nz * sizeof(double));
}
