/* Radau IIA of three stages in the accelerations at the stages (Hairer and Wanner, Solving ODEs II, IV.8). error: the
   estimate [m], of the difference between the acceleration at the start and that of the collocation polynomial there. */
static double lagrange(const kernel *k, int j, double s) {
  double r = 1;
  for (int i = 0; i < STAGES; i++) if (i != j) r *= (s - k->c[i]) / (k->c[j] - k->c[i]);
  return r;
}

static void predict(const kernel *k, const double *from, double *to, const double *now, long size, double ratio) {
  for (int s = 0; s < STAGES; s++) {
    if (!k->known) { memcpy(to + s * size, now, size * sizeof(double)); continue; }
    double s0 = lagrange(k, 0, 1 + k->c[s] * ratio), s1 = lagrange(k, 1, 1 + k->c[s] * ratio),
           s2 = lagrange(k, 2, 1 + k->c[s] * ratio);
    for (long i = 0; i < size; i++) to[s * size + i] = s0 * from[i] + s1 * from[size + i] + s2 * from[2 * size + i];
  }
}

static int radau_step(kernel *k, double h, double *error) {
  long n = k->n, N = k->N, m = k->m, nz = k->nz, NT = k->NT;
  double *x = k->x, *sa = k->sa, *sl = k->sl, *sz = k->sz, before = 0, rate = 0;
  double k1 = h * k->first_pole, k2 = k1 * k1;
  cplx c1 = h * k->pole, c2 = c1 * c1;
  int accepted = 0, it;
  double ratio = k->known ? h / k->previous_step : 0;
  predict(k, k->pa, sa, k->rates, N, ratio);
  predict(k, k->pl, sl, k->lambda, m, ratio);
  predict(k, k->pz, sz, k->z, nz, ratio);
  set_feedback(k);
  if (k->have != PARTS) { set_inputs(k, k->t, NULL); jacobian(k, PARTS, 0, 0, x, k->rates, k->lambda, k->z); k->best = 99; }
  if (!k->factored || k->kept_k1 != k1) {
    matrix(k, k->LU, k1, k2);
    matrix_c(k, k->LUc, c1, c2);
    if (lu(k->LU, k->pivots, k->scale, NT) || luc(k->LUc, k->pivots_c, k->scale, NT)) { k->have = 0; return FAILED_SINGULAR; }
    k->counts[COUNT_FACTORS]++;
    k->factored = 1; k->kept_k1 = k1;
  }
  for (it = 1; it <= 12; it++) {
    k->counts[COUNT_ITERATION]++;
    for (int s = 0; s < STAGES; s++) {
      double *xs = k->sx + s * (n + N), *R = k->sR + s * NT;
      for (long i = 0; i < N; i++) {
        double once = 0, twice = 0;
        for (int j = 0; j < STAGES; j++) { once += k->A[s * STAGES + j] * sa[j * N + i]; twice += k->A2[s * STAGES + j] * sa[j * N + i]; }
        xs[n + i] = x[n + i] + h * once;
        if (i < n) xs[i] = x[i] + h * k->c[s] * x[n + i] + h * h * twice;
      }
      set_inputs(k, s == STAGES - 1 ? k->t + h : k->t + k->c[s] * h, NULL);
      evaluate(k, xs, sa + s * N, sl + s * m, sz + s * nz, R);
    }
    for (long i = 0; i < NT; i++) {
      double r = 0; cplx rc = 0;
      if (i >= N && i < N + m && !k->active[i - N])
        for (int s = 0; s < STAGES; s++) { r -= k->into[s] * sl[s * m + i - N]; rc -= k->into_c[s] * sl[s * m + i - N]; }
      else {
        for (int s = 0; s < STAGES; s++) { r -= k->into[s] * k->sR[s * NT + i]; rc -= k->into_c[s] * k->sR[s * NT + i]; }
        if (is_level(k, i)) { r /= k1; rc /= c1; }
      }
      k->column[i] = r; k->Rc[i] = rc;
    }
    lu_solve(k->LU, k->pivots, k->column, NT);
    luc_solve(k->LUc, k->pivots_c, k->Rc, NT);
    double e = 0;
    for (long i = 0; i < NT; i++) {
      double d[STAGES], once = 0, twice = 0;
      for (int s = 0; s < STAGES; s++) {
        d[s] = k->out_of[s] * k->column[i] + 2 * creal(k->out_of_c[s] * k->Rc[i]);
        if (i < N) sa[s * N + i] += d[s]; else if (i < N + m) sl[s * m + i - N] += d[s]; else sz[s * nz + i - N - m] += d[s];
      }
      for (int s = 0; s < STAGES; s++) { once += k->A[6 + s] * d[s]; twice += k->A2[6 + s] * d[s]; }
      if (i < n) e = fmax(e, displacement(k, i, twice, 0, h * h));
      else if (i < N) e = fmax(e, displacement(k, i, once, h, 0));
      else if (i >= N + m) e = fmax(e, fabs(d[2]) / (1 + fabs(k->z[i - N - m])) * k->reach);
    }
    e /= k->newton;
    if (!isfinite(e)) break;
    if (it > 1) {
      rate = e / before;
      if (rate >= 0.95 && it > 2) break;
      if (rate / (1 - fmin(rate, 0.99)) * e < 0.1) { accepted = 1; break; }
    } else if (e < 1e-2) { accepted = 1; break; }
    before = e;
  }
  if (!accepted) return FAILED_NEWTON;
  if (k->adaptive) {
    double *d = k->column;
    for (long i = 0; i < NT; i++) d[i] = 0;
    for (long j = 0; j < N; j++) {
      double off = k->rates[j];
      for (int s = 0; s < STAGES; s++) off -= k->start[s] * sa[s * N + j];
      for (long i = 0; i < N; i++) if (!k->held[i]) d[i] += k->M[j * NT + i] * off;
    }
    lu_solve(k->LU, k->pivots, d, NT);
    *error = 0;
    for (long i = 0; i < N; i++) *error = fmax(*error, displacement(k, i, d[i], k1, k2));
    if (*error > k->tolerance) return DONE; /* refused by its caller */
  }
  double P[2], gained[2] = {0, 0};
  for (int s = 0; s < STAGES; s++) {
    set_inputs(k, s == STAGES - 1 ? k->t + h : k->t + k->c[s] * h, NULL);
    double *xs = k->sx + s * (n + N);
    for (long i = 0; i < N; i++) {
      double once = 0, twice = 0;
      for (int j = 0; j < STAGES; j++) { once += k->A[s * STAGES + j] * sa[j * N + i]; twice += k->A2[s * STAGES + j] * sa[j * N + i]; }
      xs[n + i] = x[n + i] + h * once;
      if (i < n) xs[i] = x[i] + h * k->c[s] * x[n + i] + h * h * twice;
    }
    evaluate_power(k, xs, sa + s * N, sl + s * m, sz + s * nz, P);
    for (int i = 0; i < 2; i++) gained[i] += h * k->b[s] * P[i];
  }
  remember(k);
  k->t += h;
  memcpy(x, k->sx + 2 * (n + N), (n + N) * sizeof(double));
  memcpy(k->rates, sa + 2 * N, N * sizeof(double));
  memcpy(k->filtered, k->rates, N * sizeof(double));
  memcpy(k->lambda, sl + 2 * m, m * sizeof(double));
  memcpy(k->z, sz + 2 * nz, nz * sizeof(double));
  memcpy(k->pa, sa, 3 * N * sizeof(double));
  memcpy(k->pl, sl, 3 * m * sizeof(double));
  memcpy(k->pz, sz, 3 * nz * sizeof(double));
  keep_sizes(k);
  for (int i = 0; i < 2; i++) { k->work[i] += gained[i]; k->earlier[i] = k->power[i]; k->power[i] = P[i]; }
  k->previous_step = h;
  k->known = 1;
  if (k->fresh && it < k->best) k->best = it;
  if (rate > 0.4 || it > k->best + 8 || is_at_change_point(k)) k->have = 0;
  k->fresh = 0;
  k->counts[COUNT_STEP]++;
  return DONE;
}
