/* The run: segments of smooth inputs, steps that end where these do, outputs between steps by quintic polynomials. */
static void write_output(kernel *k, double t) {
  long n = k->n, N = k->N;
  double h = k->t - k->t0, s = h > 0 ? (t - k->t0) / h : 1, *o = k->out + k->written * k->width;
  if (k->t0 >= k->t || s >= 1) {
    memcpy(o, k->x, (n + N) * sizeof(double)); o += n + N;
    memcpy(o, k->rates, N * sizeof(double)); o += N;
    memcpy(o, k->lambda, k->m * sizeof(double)); o += k->m;
    memcpy(o, k->z, k->nz * sizeof(double)); o += k->nz;
    memcpy(o, k->work, sizeof k->work);
  } else {
    double s2 = s * s, s3 = s2 * s, s4 = s3 * s, s5 = s4 * s;
    /* Hermite polynomials of values, rates and second derivatives at both ends; then their derivatives */
    double f[6] = {1 - 10 * s3 + 15 * s4 - 6 * s5, s - 6 * s3 + 8 * s4 - 3 * s5, (s2 - 3 * s3 + 3 * s4 - s5) / 2,
                   10 * s3 - 15 * s4 + 6 * s5, -4 * s3 + 7 * s4 - 3 * s5, (s3 - 2 * s4 + s5) / 2};
    double d[6] = {-30 * s2 + 60 * s3 - 30 * s4, 1 - 18 * s2 + 32 * s3 - 15 * s4, (2 * s - 9 * s2 + 12 * s3 - 5 * s4) / 2,
                   30 * s2 - 60 * s3 + 30 * s4, -12 * s2 + 28 * s3 - 15 * s4, (3 * s2 - 8 * s3 + 5 * s4) / 2};
    double c[4] = {1 - 3 * s2 + 2 * s3, s - 2 * s2 + s3, 3 * s2 - 2 * s3, -s2 + s3};
    for (long i = 0; i < n; i++) {
      double q0 = k->x0[i], v0 = h * k->x0[n + i], a0 = h * h * k->rates0[i];
      double q1 = k->x[i], v1 = h * k->x[n + i], a1 = h * h * k->rates[i];
      o[i] = f[0] * q0 + f[1] * v0 + f[2] * a0 + f[3] * q1 + f[4] * v1 + f[5] * a1;
      o[n + i] = (d[0] * q0 + d[1] * v0 + d[2] * a0 + d[3] * q1 + d[4] * v1 + d[5] * a1) / h;
    }
    for (long i = n; i < N; i++)
      o[n + i] = c[0] * k->x0[n + i] + c[1] * h * k->rates0[i] + c[2] * k->x[n + i] + c[3] * h * k->rates[i];
    o += n + N;
    for (long i = 0; i < N; i++) *o++ = (1 - s) * k->rates0[i] + s * k->rates[i];
    for (long i = 0; i < k->m; i++) *o++ = (1 - s) * k->lambda0[i] + s * k->lambda[i];
    for (long i = 0; i < k->nz; i++) *o++ = (1 - s) * k->z0[i] + s * k->z[i];
    for (int i = 0; i < 2; i++)
      *o++ = c[0] * k->work0[i] + c[1] * h * k->power0[i] + c[2] * k->work[i] + c[3] * h * k->power[i];
  }
  k->written++;
}

/* Outputs before the present time, and with `also` those at it. */
static void write_outputs(kernel *k, int also) {
  double slack = 1e-12 * fmax(fabs(k->t), 1e-3);
  while (k->written < k->outputs && k->times[k->written] < k->t + (also ? slack : -slack)) write_output(k, k->times[k->written]);
}

/* One of equal steps, in parts where Newton's iteration does not converge: twice as many after each failure, half as
   many where it goes well. */
static int equal_step(kernel *k, double h, long method) {
  k->level = k->level > 0 ? k->level : 0;
  k->sub = 0;
  for (;;) {
    long parts = 1L << k->level;
    double part = h / parts;
    int failed = method == RADAU && k->level == 0 ? radau_step(k, part, NULL) : alpha_step(k, part);
    if (failed) {
      k->counts[COUNT_REJECTED]++;
      if (k->fresh || failed == FAILED_SINGULAR) {
        if (++k->level > 16) return failed;
        if (method == RADAU && k->level == 1) k->counts[COUNT_FALLBACK]++;
        k->sub *= 2;
      }
      k->have = 0; k->fresh = 0;
      continue;
    }
    int good = k->fresh == 0;
    k->fresh = 0;
    if (k->level > 0) k->known = 0;
    k->sub++;
    write_outputs(k, 0);
    if (k->sub >= parts) { if (k->level && good) { k->level--; } return DONE; }
    if (k->level && good && k->sub % 2 == 0) { k->level--; k->sub /= 2; }
  }
}

/* Steps of alpha, as a power of two, whose errors keep the tolerance as far as accelerations changed before. */
static long parts_of_alpha(const kernel *k, double h) {
  double jerk = 1e-300;
  for (long i = 0; k->known && i < k->n; i++)
    jerk = fmax(jerk, fabs(k->pa[2 * k->N + i] - k->pa[i]) / ((k->c[2] - k->c[0]) * k->previous_step) * k->weight[i]);
  return (long)fmin(fmax(ceil(log2(h / cbrt(12 * k->tolerance / jerk))), 3), 10);
}

static int adaptive_step(kernel *k, double end) {
  double left = end - k->t, h = fmin(k->next, k->longest);
  double count = ceil(left / h * (1 - 1e-9));
  if (count <= 1) h = left; else if (count < 4) h = left / count;
  if (k->factored && k->have == PARTS) { double last = k->kept_k1 / k->first_pole; if (fabs(h / last - 1) < 1e-9) h = last; }
  double error = 0, size = fmax(fabs(k->t), fabs(end));
  int failed = radau_step(k, h, &error);
  if (failed) {
    k->counts[COUNT_REJECTED]++;
    if (k->fresh || failed == FAILED_SINGULAR) {
      k->next = h / 2; k->refused++;
      if (k->m && k->refused > 2) {
        /* A change point of loops: shorter steps of Radau would only come nearer. Steps of alpha, whose matrix is that
           behind it, go over all that was tried. */
        k->counts[COUNT_FALLBACK]++;
        k->level = parts_of_alpha(k, fmin(4 * h, left));
        failed = equal_step(k, fmin(4 * h, left), ALPHA);
        k->refused = k->level = 0;
        if (failed) return failed;
      }
    }
    k->known = k->have = k->fresh = 0;
    return h < 1e-14 * size ? FAILED_NEWTON : DONE;
  }
  k->refused = 0;
  double factor = 0.9 * pow(fmax(error / k->tolerance, 1e-10), -1.0 / (STAGES + 2));
  factor = fmin(fmax(factor, 0.2), 5.0);
  if (error > k->tolerance) {
    k->counts[COUNT_REJECTED]++;
    k->next = h * factor;
    k->fresh = 0;
    return h < 1e-14 * size ? FAILED_NEWTON : DONE;
  }
  k->next = factor >= 1 && factor < 1.2 ? h : h * factor;
  write_outputs(k, 0);
  return DONE;
}

/* Go on to a time, for at most so many steps. */
FB_EXPORT int implicit_run(kernel *k, const double *ends, double until, long most) {
  double slack = 1e-12 * fmax(fabs(ends[0]), fabs(ends[k->segments]));
  long before = k->counts[COUNT_STEP] + k->counts[COUNT_REJECTED];
  for (;;) {
    if (!k->started) {
      int failed = begin(k);
      if (failed) return failed;
      k->t0 = k->t;
      write_outputs(k, 1);
      k->part = 0; k->origin = k->t; k->level = 0; k->sub = 0;
      k->parts = (long)ceil((ends[k->segment + 1] - k->t) / k->step * (1 - 1e-9));
      if (k->parts < 1) k->parts = 1;
      if (k->adaptive && !(k->next > 0)) {
        /* A first step in which accelerations move as far as the tolerance allows. */
        double fastest = 1e-300;
        for (long i = 0; i < k->N; i++) fastest = fmax(fastest, i < k->n ? fabs(k->rates[i]) * k->weight[i] : 0);
        k->next = fmin(sqrt(k->tolerance / fastest), k->longest);
      }
    }
    double end = ends[k->segment + 1];
    while (k->t < end - slack) {
      if (k->counts[COUNT_STEP] + k->counts[COUNT_REJECTED] - before >= most) return PAUSED;
      int failed;
      if (k->adaptive) failed = adaptive_step(k, end);
      else {
        double h = (end - k->origin) / k->parts, target = k->origin + (k->part + 1) * h;
        failed = equal_step(k, h, k->method);
        if (!failed) { k->part++; k->t = k->part == k->parts ? end : target; }
      }
      if (failed) return failed;
    }
    k->t = end;
    if (end >= until - slack || k->segment + 1 >= k->segments) { write_outputs(k, k->segment + 1 >= k->segments); leave(k); return DONE; }
    leave(k);
    k->segment++;
  }
}

FB_EXPORT kernel *implicit_create(const long *sizes) {
  long n = sizes[0], N = sizes[1], m = sizes[2], nz = sizes[3], nu = sizes[4], nr = sizes[5], np = sizes[6], NT = N + m + nz;
  kernel *k = calloc(1, sizeof *k);
  casadi_int s[4], s2[4];
  if (!k) return NULL;
  residual_work(s, s + 1, s + 2, s + 3);
  powers_work(s2, s2 + 1, s2 + 2, s2 + 3);
  for (int i = 0; i < 4; i++) if (s2[i] > s[i]) s[i] = s2[i];
  k->n = n; k->N = N; k->m = m; k->nz = nz; k->nu = nu; k->nr = nr; k->np = np; k->NT = NT;
  long doubles = 4 * (n + N) + 3 * (n + N) + 12 * N + 6 * m + 6 * nz + 8 * NT + NT * (4 * N + m + nz) + NT * NT + m * N +
                 2 * (3 * N + 3 * m + 3 * nz) + 3 * NT + 2 * NT * NT + 2 * NT + (n + 2 * N + m + nz) + nu + 2 * nr + s[3] + 64 +
                 (nu + 2 * nr) * 3 + NT * NT + NT + np + 2 * nz;
  k->block = calloc(doubles, sizeof(double));
  long *longs = calloc(N + 2 * m + 3 * NT + nr + 4, sizeof(long));
  k->arg = calloc(s[0] + 8, sizeof *k->arg);
  k->res = calloc(s[1] + 8, sizeof *k->res);
  k->iw = calloc(s[2] + 1, sizeof *k->iw);
  if (!k->block || !longs || !k->arg || !k->res || !k->iw) return NULL;
  double *b = k->block;
#define TAKE(name, count) k->name = b; b += (count);
  k->LUc = (cplx *)b; b += 2 * NT * NT;
  k->Rc = (cplx *)b; b += 2 * NT;
  TAKE(x, n + N) TAKE(x0, n + N) TAKE(xn, n + N) TAKE(sx, 3 * (n + N))
  TAKE(weight, N) TAKE(size, N) TAKE(rates, N) TAKE(rates0, N) TAKE(filtered, N) TAKE(an, N) TAKE(gn, N)
  TAKE(lambda, m) TAKE(lambda0, m) TAKE(ln, m) TAKE(row_scale, m) TAKE(norms, m)
  TAKE(z, nz) TAKE(z0, nz) TAKE(zn, nz)
  TAKE(R, NT) TAKE(R1, NT) TAKE(column, NT) TAKE(scale, NT) TAKE(sR, 3 * NT)
  TAKE(K, NT * N) TAKE(D, NT * N) TAKE(M, NT * N) TAKE(S, NT * N) TAKE(L, NT * m) TAKE(Z, NT * nz) TAKE(LU, NT * NT) TAKE(basis, m * N)
  TAKE(sa, 3 * N) TAKE(sl, 3 * m) TAKE(sz, 3 * nz) TAKE(pa, 3 * N) TAKE(pl, 3 * m) TAKE(pz, 3 * nz)
  TAKE(trial, n + 2 * N + m + nz) TAKE(u, nu) TAKE(motion, 2 * nr) TAKE(held_poly, 3 * (nu + 2 * nr)) TAKE(fw, s[3])
  TAKE(start_LU, NT * NT) TAKE(missed, NT) TAKE(own_p, np) TAKE(own_z, nz) TAKE(first_z, nz)
  k->held = longs; k->active = longs + N; k->pivots = longs + N + m; k->pivots_c = k->pivots + NT; k->drive = k->pivots_c + NT;
  k->start_pivots = k->drive + nr; k->first_active = k->start_pivots + NT;
  return k;
}

FB_EXPORT void implicit_free(kernel *k) {
  if (!k) return;
  free(k->block); free(k->held); free((void *)k->arg); free((void *)k->res); free(k->iw); free(k);
}

/* settings: method, adaptive, rho, Newton's tolerance [m], tolerance [m], step, longest step [s], reach [m], shares below
   which closures are dropped and above which they are taken, gain of their feedback, step [s] below
   which Newton's tolerance is less. radau: A, A^2 by rows, c, start, pole, into, out of it; the
   same of the complex pole, real and imaginary parts. */
FB_EXPORT void implicit_set(kernel *k, const double *settings, const double *weight, const double *row_scale,
                            const long *held, const long *active, const long *drive, const double *p,
                            const double *radau) {
  k->method = (long)settings[0]; k->adaptive = (long)settings[1]; k->rho = settings[2]; k->newton = settings[3];
  k->tolerance = settings[4]; k->step = settings[5]; k->longest = settings[6]; k->reach = settings[7];
  k->drop = settings[8]; k->take = settings[9]; k->feedback_gain = settings[10]; k->newton_time = settings[11];
  memcpy(k->weight, weight, k->N * sizeof(double));
  memcpy(k->row_scale, row_scale, k->m * sizeof(double));
  memcpy(k->held, held, k->N * sizeof(long));
  memcpy(k->first_active, active, k->m * sizeof(long));
  memcpy(k->drive, drive, k->nr * sizeof(long));
  k->p = p;
  memcpy(k->A, radau, sizeof k->A); radau += 9;
  memcpy(k->A2, radau, sizeof k->A2); radau += 9;
  memcpy(k->c, radau, sizeof k->c); radau += 3;
  memcpy(k->start, radau, sizeof k->start); radau += 3;
  k->first_pole = *radau++;
  memcpy(k->into, radau, sizeof k->into); radau += 3;
  memcpy(k->out_of, radau, sizeof k->out_of); radau += 3;
  k->pole = radau[0] + I * radau[1]; radau += 2;
  for (int i = 0; i < STAGES; i++, radau += 2) k->into_c[i] = radau[0] + I * radau[1];
  for (int i = 0; i < STAGES; i++, radau += 2) k->out_of_c[i] = radau[0] + I * radau[1];
  memcpy(k->b, k->A + 6, sizeof k->b);
  }

/* Inputs of a run; segments, degree of the polynomials. */
FB_EXPORT void implicit_inputs(kernel *k, long segments, long degree, const long *first, const double *edges, const double *poly) {
  k->segments = segments; k->degree = degree; k->first = first; k->edges = edges; k->poly = poly;
}

FB_EXPORT void implicit_outputs(kernel *k, long outputs, const double *times, double *out) {
  k->outputs = outputs; k->times = times; k->out = out; k->written = 0;
  k->width = k->n + 2 * k->N + k->m + k->nz + 2;
}

/* Begin at a state with guesses z; rates: those on the slow manifold, which are not solved for, or NULL. */
FB_EXPORT void implicit_state(kernel *k, double t, long segment, const double *x, const double *z, const double *rates) {
  k->left = k->left && k->t == t && !memcmp(k->x, x, 2 * k->n * sizeof(double));
  k->t = t; k->segment = segment; k->started = 0; k->slow_start = rates != NULL;
  if (rates) memcpy(k->rates, rates, k->N * sizeof(double));
  memcpy(k->x, x, (k->n + k->N) * sizeof(double));
  memcpy(k->z, z, k->nz * sizeof(double));
}

FB_EXPORT void implicit_read(const kernel *k, double *t, double *x, double *rates, double *lambda, double *z, double *work,
                             long *counts, long *active) {
  *t = k->t;
  memcpy(x, k->x, (k->n + k->N) * sizeof(double));
  memcpy(rates, k->rates, k->N * sizeof(double));
  memcpy(lambda, k->lambda, k->m * sizeof(double));
  memcpy(z, k->z, k->nz * sizeof(double));
  memcpy(work, k->work, sizeof k->work);
  memcpy(counts, k->counts, sizeof k->counts);
  counts[COUNTS] = k->written;
  memcpy(active, k->active, k->m * sizeof(long));
}

FB_EXPORT void implicit_forget(kernel *k) {
  k->work[0] = k->work[1] = 0; k->next = 0; k->refused = 0; k->best = 99;
  k->have = k->fresh = k->factored = k->start_factored = k->most_chosen = k->started = k->left = 0;
  memset(k->counts, 0, sizeof k->counts);
  memset(k->rates, 0, k->N * sizeof(double));
  memset(k->lambda, 0, k->m * sizeof(double));
  memcpy(k->active, k->first_active, k->m * sizeof(long));
  for (long i = 0; i < k->N; i++) k->size[i] = i < k->n ? 0 : 1e-9;
}
