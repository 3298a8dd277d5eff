/* Newton matrices: derivatives of the residual by differences, and which closures are independent. */

/* Fewer count than did: the motion is at a change point, and every step looks whether it has passed. */
static int is_at_change_point(const kernel *k) { return k->chosen < k->most_chosen; }

/* Closures that count are chosen by a Gram-Schmidt process with pivots, in displacements: one that counts is dropped
   where hardly anything of it is left by the others, one that does not is taken where much is left (hysteresis). */
static void choose_closures(kernel *k) {
  long m = k->m, N = k->N, NT = k->NT, chosen = 0, before = 0, changed = 0;
  double most = 0;
  for (long i = 0; i < m; i++) {
    k->norms[i] = 0;
    for (long j = 0; j < N; j++) {
      double scaled = k->weight[j] > 0 && !k->held[j] ? -k->L[i * NT + j] * k->row_scale[i] / k->weight[j] : 0;
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
      before = k->active[best];
      k->active[best] = left > most * (taken ? k->drop : k->take);
      changed |= before != k->active[best];
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
  if (changed) k->have = k->start_factored = 0;
  if (chosen > k->most_chosen) k->most_chosen = chosen;
}

/* Differences by the change of a point. */
static double *trial(kernel *k, const double *x, const double *rates, const double *lambda, const double *z) {
  double *at = k->trial;
  memcpy(at, x, (k->n + k->N) * sizeof *at);
  memcpy(at + k->n + k->N, rates, k->N * sizeof *at);
  memcpy(at + k->n + 2 * k->N, lambda, k->m * sizeof *at);
  memcpy(at + k->n + 2 * k->N + k->m, z, k->nz * sizeof *at);
  evaluate(k, x, rates, lambda, z, k->R);
  return at;
}

static void difference(kernel *k, const double *at, double d, double *column) {
  evaluate(k, at, at + k->n + k->N, at + k->n + 2 * k->N, at + k->n + 2 * k->N + k->m, k->R1);
  for (long r = 0; r < k->NT; r++) column[r] = (k->R1[r] - k->R[r]) / d;
}

/* Columns of derivatives where each rate, in turn, changes by of_a d, what it is the rate of by of_v d, and its coordinate
   by of_q d. Rates enter linearly, so that their differences may be large. */
static void along(kernel *k, double *at, double of_q, double of_v, double of_a, double *target) {
  long n = k->n, N = k->N;
  for (long j = 0; j < N; j++) {
    double *q = j < n ? at + j : NULL, *v = at + n + j, *a = at + n + N + j, unit, d = HUGE_VAL;
    double q0 = q ? *q : 0, v0 = *v, a0 = *a;
    unit = k->weight[j] > 0 ? k->reach / k->weight[j] : fmax(k->size[j], 1e-3);
    if (q && of_q > 0) d = fmin(d, 1.5e-8 * fmax(fabs(q0), unit) / of_q);
    if (of_v > 0) d = fmin(d, 1.5e-8 * fmax(fabs(v0), unit) / of_v);
    if (!(d < HUGE_VAL)) { if (of_a > 0) d = fmax(1e-3 * fabs(a0), unit); else { memset(target + j * k->NT, 0, k->NT * sizeof(double)); continue; } }
    if (q) *q = q0 + of_q * d;
    *v = v0 + of_v * d;
    *a = a0 + of_a * d;
    if (of_v > 0) d = (*v - v0) / of_v; else if (q && of_q > 0) d = (*q - q0) / of_q;
    difference(k, at, d, target + j * k->NT);
    if (q) *q = q0;
    *v = v0;
    *a = a0;
  }
}

/* Those in multipliers, which enter linearly, and in algebraic variables; and the closures that count. */
static void differentiate_others(kernel *k, double *at) {
  double *lambda = at + k->n + 2 * k->N, *z = lambda + k->m, d = 0;
  for (long j = 0; j < k->m; j++) d = fmax(d, fabs(lambda[j]));
  if (!(d > 0)) d = 1;
  for (long j = 0; j < k->m; j++) {
    double own = lambda[j];
    lambda[j] = own + d;
    difference(k, at, lambda[j] - own, k->L + j * k->NT);
    lambda[j] = own;
  }
  for (long j = 0; j < k->nz; j++) {
    double own = z[j];
    z[j] = own + 1.5e-8 * fmax(fabs(own), 1);
    difference(k, at, z[j] - own, k->Z + j * k->NT);
    z[j] = own;
  }
  choose_closures(k);
  k->counts[COUNT_JACOBIAN]++;
}

/* Derivatives at a point, whose inputs and feedback are set: as a sum for one step of generalised alpha, or apart. */
static void jacobian(kernel *k, int kind, double k1, double k2, const double *x, const double *rates,
                     const double *lambda, const double *z) {
  double *at = trial(k, x, rates, lambda, z);
  if (kind == SUM) along(k, at, k2, k1, 1, k->S);
  else { along(k, at, 1, 0, 0, k->K); along(k, at, 0, 1, 0, k->D); along(k, at, 0, 0, 1, k->M); }
  differentiate_others(k, at);
  k->have = kind;
  k->fresh = 1;
  k->factored = 0;
}

/* Whether a row is that of a closure or of a prescribed coordinate. */
static int is_level(const kernel *k, long i) { return (i < k->N && k->held[i]) || (i >= k->N && i < k->N + k->m); }

/* Rows of closures that do not count, and columns of multipliers and of algebraic variables. */
#define OTHERS(NAME, T)                                                                                         \
  static void NAME(const kernel *k, T *A) {                                                                     \
    long N = k->N, m = k->m, NT = k->NT;                                                                        \
    for (long j = 0; j < m; j++)                                                                                \
      for (long i = 0; i < NT; i++) A[(N + j) * NT + i] = k->active[j] && !is_level(k, i) ? k->L[j * NT + i] : 0; \
    for (long j = 0; j < k->nz; j++)                                                                            \
      for (long i = 0; i < NT; i++) A[(N + m + j) * NT + i] = k->Z[j * NT + i];                                 \
    for (long i = 0; i < m; i++)                                                                                \
      if (!k->active[i]) {                                                                                      \
        for (long j = 0; j < NT; j++) A[j * NT + N + i] = 0;                                                    \
        A[(N + i) * NT + N + i] = 1;                                                                            \
      }                                                                                                         \
  }
OTHERS(others, double)
OTHERS(others_c, cplx)

/* The matrix of unknowns (rates, lambda, z) for dv = k1 da, dq = k2 da. Rows of closures and of prescribed coordinates
   are divided by k1. */
#define MATRIX(NAME, T)                                                                                         \
  static void NAME(const kernel *k, T *A, T k1, T k2) {                                                         \
    long NT = k->NT;                                                                                            \
    T ratio = k2 / k1;                                                                                          \
    for (long j = 0; j < k->N; j++)                                                                             \
      for (long i = 0, at = j * NT; i < NT; i++, at++)                                                          \
        A[at] = is_level(k, i) ? k->D[at] + ratio * k->K[at] : k->M[at] + k1 * k->D[at] + k2 * k->K[at];        \
    NAME##_others(k, A);                                                                                        \
  }
#define matrix_others others
#define matrix_c_others others_c
MATRIX(matrix, double)
MATRIX(matrix_c, cplx)

/* The same of a sum. */
static void matrix_of_sum(const kernel *k, double *A, double k1) {
  long NT = k->NT;
  for (long j = 0; j < k->N; j++)
    for (long i = 0, at = j * NT; i < NT; i++, at++) A[at] = is_level(k, i) ? k->S[at] / k1 : k->S[at];
  others(k, A);
}

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

/* Accelerations are linear where segments begin: their matrix is that of masses, and of closures' accelerations. */
static int factor_start(kernel *k) {
  long N = k->N, m = k->m, NT = k->NT;
  double *A = k->start_LU, *at = trial(k, k->x, k->rates, k->lambda, k->z);
  along(k, at, 0, 0, 1, k->M);
  differentiate_others(k, at);
  for (long j = 0; j < N; j++)
    for (long i = 0; i < NT; i++)
      A[j * NT + i] = i < N ? (k->held[i] ? i == j : k->M[j * NT + i]) : i < N + m && !k->held[j] ? -k->L[(i - N) * NT + j] : 0;
  others(k, A);
  if (lu(A, k->start_pivots, k->scale, NT)) return FAILED_SINGULAR;
  k->counts[COUNT_FACTORS]++;
  k->start_factored = 1;
  return DONE;
}

/* Rates, multipliers and algebraic variables at the present state, where segments begin. Where a motion goes on under
   other inputs, accelerations jump by what these change; those of vibrations that steps do not resolve stay as they are. */
static int begin(kernel *k) {
  long n = k->n, N = k->N, m = k->m, NT = k->NT, goes_on = k->left, since = 2;
  double before = 0;
  keep_sizes(k);
  set_inputs(k, k->t, NULL);
  if (!goes_on) k->start_factored = 0;
  memcpy(k->gn, k->rates, N * sizeof(double));
  for (int it = 0; !k->slow_start && it < 12; it++) {
    if (!k->start_factored) { k->feedback = 0; set_inputs(k, k->t, NULL); if (factor_start(k)) return FAILED_SINGULAR; since = 0; }
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
    if (++since == 2 && !k->nz) break; /* linear in rates and multipliers */
    if ((it >= 1 && change + change_z > 0.1 * before) || (k->nz && since == 1)) k->start_factored = 0;
    before = change + change_z;
  }
  if (goes_on) for (long i = 0; i < N; i++) k->filtered[i] += k->rates[i] - k->gn[i];
  else { memcpy(k->filtered, k->rates, N * sizeof(double)); k->have = 0; }
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
