/* Single steps under held inputs: of a stepper, of rollouts, of controllers. */

/* Whether a state is the one after the last step, but for first-order states. */
static int follows(const kernel *k, const double *x, const double *p) {
  return k->started && k->edges == k->held_edges && !memcmp(k->x, x, 2 * k->n * sizeof(double)) &&
         !memcmp(k->own_p, p, k->np * sizeof(double));
}

/* One step of dt from a state under held inputs, without a call back and without allocation. x and z move on. A state
   whose motion is that after the last step goes on with its accelerations, which jump by what inputs and first-order
   states change; another one begins anew, whatever was before. */
FB_EXPORT int implicit_step(kernel *k, double *x, double *z, const double *u, const double *p, double dt) {
  long n = k->n, N = k->N, nu = k->nu, nr = k->nr;
  int goes_on = follows(k, x, p);
  int known = goes_on && !memcmp(k->x + 2 * n, x + 2 * n, (N - n) * sizeof(double));
  for (long i = 0; known && i < nu; i++) known = k->held_poly[3 * i] == u[i];
  if (!goes_on) implicit_forget(k);
  else if (!known) leave(k);
  k->edges = k->held_edges; k->held_edges[0] = 0; k->held_edges[1] = dt;
  k->first = k->held_first; k->held_first[0] = 0; k->held_first[1] = 1;
  k->segments = 1; k->segment = 0; k->degree = 2; k->poly = k->held_poly; k->t = 0; k->outputs = 0;
  k->work[0] = k->work[1] = 0;
  memcpy(k->own_p, p, k->np * sizeof(double));
  k->p = k->own_p;
  for (long i = 0; i < nu; i++) { double c[3] = {u[i], 0, 0}; memcpy(k->held_poly + 3 * i, c, sizeof c); }
  for (long j = 0; j < N; j++) {
    long r = k->held[j] - 1;
    if (r < 0) continue;
    double a = u[k->drive[r]];
    double *q = k->held_poly + 3 * (nu + r), *v = k->held_poly + 3 * (nu + nr + r);
    q[0] = x[j]; q[1] = x[n + j] * dt; q[2] = a * dt * dt / 2;
    v[0] = x[n + j]; v[1] = a * dt; v[2] = 0;
  }
  if (!known) {
    memcpy(k->x, x, (n + N) * sizeof(double));
    memcpy(k->z, z, k->nz * sizeof(double));
    int failed = begin(k);
    if (failed) return failed;
  }
  int failed = equal_step(k, dt, k->method);
  memcpy(x, k->x, (n + N) * sizeof(double));
  memcpy(z, k->z, k->nz * sizeof(double));
  return failed;
}

/* The same of X, a state with the work of the applied forces behind it; algebraic variables are guessed by the kernel. */
FB_EXPORT int implicit_advance(kernel *k, double *X, const double *u, const double *p, double dt) {
  if (!follows(k, X, p)) memcpy(k->own_z, k->first_z, k->nz * sizeof(double));
  int failed = implicit_step(k, X, k->own_z, u, p, dt);
  X[k->n + k->N] += k->work[0];
  return failed;
}

/* Forget the run; others begin with these guesses of algebraic variables. */
FB_EXPORT void implicit_restart(kernel *k, const double *z) {
  implicit_forget(k);
  memcpy(k->first_z, z, k->nz * sizeof(double));
}
