/* Kernel of implicit integration: state and working memory. All matrices are stored by columns.
   residual() and powers() are compiled in front of this; see DAE.residual for their arguments and rows. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#ifdef _WIN32
#define FB_EXPORT __declspec(dllexport)
#else
#define FB_EXPORT __attribute__((visibility("default")))
#endif

typedef double complex cplx;
enum { STAGES = 3, ALPHA = 0, RADAU = 1 };
enum { SUM = 1, PARTS = 2 };
enum { DONE = 0, PAUSED = 1, FAILED_NEWTON = -1, FAILED_SINGULAR = -2, FAILED_START = -3 };
enum { COUNT_RESIDUAL, COUNT_JACOBIAN, COUNT_FACTORS, COUNT_REJECTED, COUNT_ITERATION, COUNT_STEP, COUNT_FALLBACK,
       COUNTS };

typedef struct {
  /* sizes: coordinates, rates with first-order states, closures, algebraic variables, inputs, prescribed */
  long n, N, m, nz, nu, nr, np, NT;
  /* settings */
  long method, adaptive, slow_start;   /* slow_start: rates are known */
  double rho, newton, tolerance, step, longest, reach, drop, take, feedback_gain, newton_time;
  double *weight;       /* N: metres that a unit of each coordinate moves a point, at most; 0: a first-order state */
  double *size;         /* N: size of first-order states so far */
  double *row_scale;    /* m: makes closures lengths */
  long *held;           /* N: 1 + which prescribed coordinate it is, or 0 */
  long *active;         /* m: closures that are not left to follow from others */
  long *drive;          /* nr: the input that is the acceleration of each prescribed coordinate */
  const double *p;
  /* inputs: pieces of segments; polynomials in the fraction of the piece, lowest power first */
  long segments, degree;
  const long *first;    /* segments + 1: first piece of each */
  const double *edges;  /* pieces + 1 */
  const double *poly;   /* pieces, nu + 2 nr, degree + 1 */
  double *held_poly, held_edges[2];
  long held_first[2];
  /* where the integration is */
  double t, origin;     /* origin: time from which equal steps are counted */
  double feedback;      /* rate at which violations of closures decay [1/s] */
  long segment, part, parts, level, sub, started, known, left;
  double *x, *rates, *filtered, *lambda, *z;
  double power[2], earlier[2], work[2], previous_step;
  /* the step before, for dense output */
  double t0, work0[2], power0[2];
  double *x0, *rates0, *lambda0, *z0;
  /* outputs */
  long outputs, written, width;
  const double *times;
  double *out;
  /* Newton matrices */
  double *K, *D, *M, *S, *L, *Z, *LU, *R, *R1, *trial, *column, *scale, *basis, *norms;
  double *start_LU, *missed; /* of accelerations where segments begin; what was missed at the end of the one before */
  cplx *LUc, *Rc;
  long *pivots, *pivots_c, *start_pivots;
  long have;            /* whether there are derivatives, and which */
  long fresh, factored, start_factored, chosen, most_chosen;
  double kept_k1;
  /* Radau */
  double A[9], A2[9], c[3], b[3], first_pole, start[3], into[3], out_of[3];
  cplx pole, into_c[3], out_of_c[3];
  double *sa, *sl, *sz, *pa, *pl, *pz, *sx, *sR;
  double next;          /* step to try */
  long refused, best;
  /* predicted state of a step of generalised alpha */
  double *xn, *an, *gn, *ln, *zn;
  /* memory of the functions */
  const double **arg;
  double **res, *fw, *u, *motion, *own_p, *own_z, *first_z;
  long *first_active;
  casadi_int *iw;
  long counts[COUNTS];
  double *block;
} kernel;

static void evaluate(kernel *k, const double *x, const double *rates, const double *lambda, const double *z, double *R) {
  const double *arg[] = {x, rates, lambda, z, k->u, k->motion, k->p, &k->feedback};
  memcpy(k->arg, arg, sizeof arg);
  k->res[0] = R;
  residual(k->arg, k->res, k->iw, k->fw, 0);
  k->counts[COUNT_RESIDUAL]++;
}

static void evaluate_power(kernel *k, const double *x, const double *rates, const double *lambda, const double *z,
                           double *P) {
  const double *arg[] = {x, rates, lambda, z, k->u, k->motion, k->p, &k->feedback};
  memcpy(k->arg, arg, sizeof arg);
  k->res[0] = P;
  powers(k->arg, k->res, k->iw, k->fw, 0);
}

/* Inputs at a time within the present segment: at its end the limit from the left. accelerations: of prescribed
   coordinates, or NULL. */
static void set_inputs(kernel *k, double t, double *accelerations) {
  long low = k->first[k->segment], high = k->first[k->segment + 1] - 1, channels = k->nu + 2 * k->nr;
  while (low < high) {
    long middle = (low + high + 1) / 2;
    if (k->edges[middle] <= t) low = middle; else high = middle - 1;
  }
  double width = k->edges[low + 1] - k->edges[low], s = (t - k->edges[low]) / width;
  const double *c = k->poly + low * channels * (k->degree + 1);
  for (long i = 0; i < channels; i++, c += k->degree + 1) {
    double value = 0, slope = 0;
    for (long j = k->degree; j >= 0; j--) { slope = slope * s + value; value = value * s + c[j]; }
    if (i < k->nu) k->u[i] = value; else k->motion[i - k->nu] = value;
    if (accelerations && i >= k->nu + k->nr) accelerations[i - k->nu - k->nr] = slope / width;
  }
}
