/* Generalised alpha (Arnold and Bruels 2007), of first-order states as the rates of coordinates that do not matter. */
static int alpha_step(kernel *k, double h) {
  long n = k->n, N = k->N, m = k->m, NT = k->NT;
  double am = (2 * k->rho - 1) / (k->rho + 1), af = k->rho / (k->rho + 1), ga = 0.5 + af - am;
  double be = 0.25 * (ga + 0.5) * (ga + 0.5), gain = (1 - af) / (1 - am), k1 = h * ga * gain, k2 = h * h * be * gain;
  double *x = k->x, *g = k->filtered, *a = k->rates, *xn = k->xn, *an = k->an, *gn = k->gn, before = 0;
  int accepted = 0, it, ahead = k->previous_step == h; /* two equal steps: forces go on as they changed */
  for (long i = 0; i < N; i++) {
    an[i] = ahead ? 2 * a[i] - k->rates0[i] : a[i];
    gn[i] = ((1 - af) * an[i] + af * a[i] - am * g[i]) / (1 - am);
    xn[n + i] = x[n + i] + h * ((1 - ga) * g[i] + ga * gn[i]);
    if (i < n) xn[i] = x[i] + h * x[n + i] + h * h * ((0.5 - be) * g[i] + be * gn[i]);
  }
  for (long i = 0; i < m; i++) k->ln[i] = ahead ? 2 * k->lambda[i] - k->lambda0[i] : k->lambda[i];
  memcpy(k->zn, k->z, k->nz * sizeof(double));
  set_inputs(k, k->t + h, NULL);
  set_feedback(k);
  for (it = 1; it <= 15; it++) {
    if (k->have != SUM || fabs(k->kept_k1 / k1 - 1) > 1e-9) jacobian(k, SUM, k1, k2, xn, an, k->ln, k->zn);
    if (!k->factored) {
      matrix_of_sum(k, k->LU, k1);
      if (lu(k->LU, k->pivots, k->scale, NT)) { k->have = 0; return FAILED_SINGULAR; }
      k->counts[COUNT_FACTORS]++;
      k->factored = 1; k->kept_k1 = k1;
    }
    evaluate(k, xn, an, k->ln, k->zn, k->R);
    k->counts[COUNT_ITERATION]++;
    double *d = k->column, e = 0;
    for (long i = 0; i < NT; i++) d[i] = is_level(k, i) ? -k->R[i] / k1 : -k->R[i];
    for (long i = 0; i < m; i++) if (!k->active[i]) d[N + i] = -k->ln[i];
    lu_solve(k->LU, k->pivots, d, NT);
    for (long i = 0; i < N; i++) {
      an[i] += d[i]; gn[i] += gain * d[i]; xn[n + i] += k1 * d[i];
      if (i < n) xn[i] += k2 * d[i];
      e = fmax(e, displacement(k, i, d[i], k1, k2));
    }
    for (long i = 0; i < m; i++) k->ln[i] += d[N + i];
    for (long i = 0; i < k->nz; i++) { k->zn[i] += d[N + m + i]; e = fmax(e, fabs(d[N + m + i]) / (1 + fabs(k->z[i])) * k->reach); }
    e /= k->newton * fmin(1, h / k->newton_time);
    if (!isfinite(e)) break;
    double rate = it > 1 ? e / before : 0.5;
    if (it > 3 && rate > 2) break;
    if ((it == 1 && e < 0.01) || (it > 1 && rate / (1 - fmin(rate, 0.99)) * e < 0.1)) { accepted = 1; break; }
    if (it >= 3 && rate > 0.8) k->have = 0;
    before = e;
  }
  if (!accepted) return FAILED_NEWTON;
  if (it > 8 || is_at_change_point(k)) k->have = 0;
  remember(k);
  k->t += h;
  memcpy(x, xn, (n + N) * sizeof(double));
  memcpy(a, an, N * sizeof(double));
  memcpy(g, gn, N * sizeof(double));
  memcpy(k->lambda, k->ln, m * sizeof(double));
  memcpy(k->z, k->zn, k->nz * sizeof(double));
  keep_sizes(k);
  add_work(k, h);
  k->counts[COUNT_STEP]++;
  return DONE;
}
