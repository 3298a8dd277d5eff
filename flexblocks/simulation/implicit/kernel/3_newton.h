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

/* Derivatives at a point, whose inputs are set, without feedback, which matrices add. */
static void jacobian(kernel *k, const double *x, const double *rates, const double *lambda, const double *z) {
  double *at = k->trial;
  memcpy(at, x, (k->n + k->N) * sizeof *at);
  memcpy(at + k->n + k->N, rates, k->N * sizeof *at);
  memcpy(at + k->n + 2 * k->N, lambda, k->m * sizeof *at);
  memcpy(at + k->n + 2 * k->N + k->m, z, k->nz * sizeof *at);
  k->feedback = 0;
  evaluate(k, x, rates, lambda, z, k->R);
  differences(k, at, k->n, COORDINATES, k->K);
  differences(k, at + k->n, k->N, VELOCITIES, k->D);
  differences(k, at + k->n + k->N, k->N, RATES, k->M);
  differences(k, at + k->n + 2 * k->N + k->m, k->nz, ALGEBRAIC, k->Z);
  k->counts[COUNT_JACOBIAN]++;
  choose_closures(k);
  k->have = 1;
  k->fresh = 1;
  k->factored = k->start_factored = 0;
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
        A[j * NT + i] = level ? k->D[j * NT + i] + ratio * (K + (j < n ? k->feedback : 0) * k->D[j * NT + i]) : k->M[j * NT + i] + k1 * k->D[j * NT + i] + k2 * K; \
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

/* Feedback of closures in a step that begins at the present state: as fast as the loop moves, in arm lengths. */
static void set_feedback(kernel *k) {
  double fastest = 0;
  for (long i = 0; i < k->n; i++) fastest = fmax(fastest, fabs(k->x[k->n + i]) * k->weight[i]);
  k->feedback = k->feedback_gain * fastest / k->reach;
}

static void keep_sizes(kernel *k) {
  for (long i = k->n; i < k->N; i++) k->size[i] = fmax(k->size[i], fabs(k->x[k->n + i]));
}

/* What is missed where segments begin, of accelerations, multipliers and algebraic variables: closures and prescribed
   motions are differentiated once more, along the motion, without feedback. */
static void start_residual(kernel *k, double *R) {
  long n = k->n, N = k->N, nr = k->nr;
  double accelerations[nr + 1], motion[2 * nr + 1], fastest = 0, *at = k->trial, *v = k->x + n;
  set_inputs(k, k->t, accelerations);
  k->feedback = 0;
  evaluate(k, k->x, k->rates, k->lambda, k->z, R);
  if (!k->m && !nr) return;
  for (long i = 0; i < n; i++) fastest = fmax(fastest, fabs(v[i]) * k->weight[i]);
  double d = fastest > 0 ? 1e-5 * k->reach / fastest : 1;
  memcpy(motion, k->motion, 2 * nr * sizeof(double));
  memcpy(at, k->x, (n + N) * sizeof(double));
  for (int side = 1; side >= -1; side -= 2) {
    for (long i = 0; i < n; i++) { at[i] = k->x[i] + side * d * v[i]; at[n + i] = v[i] + side * d * k->rates[i]; }
    for (long i = 0; i < nr; i++) {
      k->motion[i] = motion[i] + side * d * motion[nr + i];
      k->motion[nr + i] = motion[nr + i] + side * d * accelerations[i];
    }
    evaluate(k, at, k->rates, k->lambda, k->z, k->R1);
    for (long i = 0; i < k->NT; i++) if (is_level(k, i)) R[i] = (side == 1 ? 0 : R[i]) + side * k->R1[i] / (2 * d);
  }
  memcpy(k->motion, motion, 2 * nr * sizeof(double));
}

/* The end of a segment: what is missed there is missed by the accelerations with which the next one begins, too. */
static void leave(kernel *k) {
  start_residual(k, k->missed);
  k->left = 1;
  k->started = 0;
}

static int factor_start(kernel *k) {
  long N = k->N, m = k->m, NT = k->NT;
  double *A = k->start_LU;
  memset(A, 0, NT * NT * sizeof(double));
  for (long j = 0; j < N; j++)
    for (long i = 0; i < NT; i++) A[j * NT + i] = is_level(k, i) ? k->D[j * NT + i] : i < N ? k->M[j * NT + i] : 0;
  for (long j = 0; j < m; j++) {
    if (k->active[j]) { for (long i = 0; i < N; i++) A[(N + j) * NT + i] = k->held[i] ? 0 : -k->D[i * NT + N + j]; }
    else { for (long i = 0; i < N; i++) A[i * NT + N + j] = 0; A[(N + j) * NT + N + j] = 1; }
  }
  for (long j = 0; j < k->nz; j++) for (long i = 0; i < NT; i++) A[(N + m + j) * NT + i] = is_level(k, i) ? 0 : k->Z[j * NT + i];
  if (lu(A, k->start_pivots, k->scale, NT)) return FAILED_SINGULAR;
  k->counts[COUNT_FACTORS]++;
  k->start_factored = 1;
  return DONE;
}

/* Rates, multipliers and algebraic variables at the present state, where segments begin. Where a motion goes on under
   other inputs, accelerations jump by what these change; those of vibrations that steps do not resolve stay as they are. */
static int begin(kernel *k) {
  long n = k->n, N = k->N, m = k->m, NT = k->NT, goes_on = k->left;
  double before = 0;
  keep_sizes(k);
  set_inputs(k, k->t, NULL);
  if (!goes_on) k->have = 0;
  memcpy(k->gn, k->rates, N * sizeof(double));
  for (int it = 0; !k->slow_start && it < 12; it++) { /* on the slow manifold nothing accelerates yet */
    if (!k->have) { set_inputs(k, k->t, NULL); jacobian(k, k->x, k->rates, k->lambda, k->z); }
    if (!k->start_factored && factor_start(k)) return FAILED_SINGULAR;
    start_residual(k, k->R);
    double *d = k->column, change = 0, size = 1e-300, change_z = 0;
    for (long i = 0; i < NT; i++) d[i] = (goes_on && i < N + m ? k->missed[i] : 0) - k->R[i];
    for (long i = 0; i < m; i++) if (!k->active[i]) d[N + i] = -k->lambda[i];
    lu_solve(k->start_LU, k->start_pivots, d, NT);
    for (long i = 0; i < N; i++) { k->rates[i] += d[i]; change = fmax(change, fabs(d[i])); size = fmax(size, fabs(k->rates[i])); }
    for (long i = 0; i < m; i++) k->lambda[i] += d[N + i];
    for (long i = 0; i < k->nz; i++) { k->z[i] += d[N + m + i]; change_z = fmax(change_z, fabs(d[N + m + i]) / (1 + fabs(k->z[i]))); }
    if (!isfinite(change + change_z)) return FAILED_START;
    if (change <= 1e-8 * size && change_z < 1e-9) break;
    if (k->fresh && it >= 1 && !k->nz) break; /* linear in rates and multipliers */
    if ((it >= 1 && change + change_z > 0.1 * before) || (k->nz && k->fresh)) k->have = 0;
    before = change + change_z;
  }
  if (goes_on) for (long i = 0; i < N; i++) k->filtered[i] += k->rates[i] - k->gn[i];
  else { memcpy(k->filtered, k->rates, N * sizeof(double)); k->have = 0; } /* derivatives were those without forces */
  evaluate_power(k, k->x, k->rates, k->lambda, k->z, k->power);
  k->previous_step = 0;
  k->known = k->slow_start = k->left = 0;
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
