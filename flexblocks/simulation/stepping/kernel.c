/* Runs of steps, with the clocks of sampled controllers between them, on functions in CasADi's C interface. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef long long int integer;
typedef int (*function)(const double **arguments, double **results, integer *iw, double *w, int memory);

/* Functions of (x, z, u, p); a state X is x, then the work of the applied forces. Algebraic variables z are solved for
   inside the functions, from the start values given here. */
typedef struct {
    function slope;           /* -> der(X); of the semi-implicit method, of (x, z, u, p, h) */
    const function *changes;  /* of the clocks, -> increment of x */
    function chart;           /* (x, z, u, p) -> increment of x, where coordinates change; or none */
    integer states, inputs, parameters, clocks;
    integer arguments, results, integers, reals; /* most memory that any of the functions needs */
    const double *z;
} equations;

/* Explicit Runge-Kutta method; without stages, the semi-implicit Euler method, whose slope is that of the whole step; or
   an implicit method, which keeps accelerations and matrices from step to step in a memory of its own. */
typedef struct {
    integer stages;
    const double *A, *b;
    int (*advance)(void *kept, double *X, const double *u, const double *p, double h);
    void (*restart)(void *kept, const double *z);
} method;

typedef struct {
    integer steps;
    const double *lengths;        /* of each step [s] */
    const unsigned char *ticking; /* (steps, clocks): the clocks that tick at its start */
    const integer *rows;          /* (steps, stages): the row of inputs of each stage */
    const integer *kept;          /* the place where the state at its start is kept, after ticks; -1: nowhere */
} schedule;

typedef struct {
    const double **arguments;
    double **results, *reals, *at, *change, *slopes;
    integer *integers;
    void *kept;
} memory;

static int evaluate(function f, double *result, const memory *m) {
    m->results[0] = result;
    m->results[1] = 0; /* of the equations of motion, residuals of algebraic variables that there are none of */
    return f(m->arguments, m->results, m->integers, m->reals, 0);
}

/* Clocks see the values before all ticks. */
static int tick(const equations *e, const unsigned char *ticking, double *X, const double *u, const memory *m) {
    int any = 0;
    m->arguments[0] = X;
    m->arguments[2] = u;
    for (integer k = 0; k < e->clocks; k++) {
        if (!ticking[k]) continue;
        if (evaluate(e->changes[k], m->at, m)) return 1;
        for (integer i = 0; i < e->states; i++) m->change[i] = any ? m->change[i] + m->at[i] : m->at[i];
        any = 1;
    }
    for (integer i = 0; any && i < e->states; i++) X[i] += m->change[i];
    if (!e->chart) return 0;
    if (evaluate(e->chart, m->change, m)) return 1;
    for (integer i = 0; i < e->states; i++) X[i] += m->change[i];
    return 0;
}

static int runge_kutta(const equations *e, const method *r, double h, const integer *rows, const double *U, double *X,
                       const memory *m) {
    const integer size = e->states + 1;
    for (integer s = 0; s < r->stages; s++) {
        const double *at = X, *row = r->A + s * r->stages;
        int moved = 0;
        for (integer j = 0; j < s; j++) {
            if (row[j] == 0.0) continue;
            const double *k = m->slopes + j * size;
            for (integer i = 0; i < size; i++) m->at[i] = moved ? m->at[i] + row[j] * k[i] : row[j] * k[i];
            moved = 1;
        }
        if (moved) {
            for (integer i = 0; i < size; i++) m->at[i] = X[i] + h * m->at[i];
            at = m->at;
        }
        m->arguments[0] = at;
        m->arguments[2] = U + rows[s] * e->inputs;
        if (evaluate(e->slope, m->slopes + s * size, m)) return 1;
    }
    int moved = 0;
    for (integer s = 0; s < r->stages; s++) {
        if (r->b[s] == 0.0) continue;
        const double *k = m->slopes + s * size;
        for (integer i = 0; i < size; i++) m->at[i] = moved ? m->at[i] + r->b[s] * k[i] : r->b[s] * k[i];
        moved = 1;
    }
    for (integer i = 0; i < size; i++) X[i] += h * m->at[i];
    return 0;
}

static int whole_step(const equations *e, double h, const integer *rows, const double *U, double *X, const memory *m) {
    m->arguments[0] = X;
    m->arguments[2] = U + rows[0] * e->inputs;
    m->arguments[4] = &h;
    if (evaluate(e->slope, m->slopes, m)) return 1;
    for (integer i = 0; i <= e->states; i++) X[i] += h * m->slopes[i];
    return 0;
}

static integer run(const equations *e, const method *r, const schedule *s, double *X, const double *U, const double *p,
                   double *out, const memory *m) {
    const integer size = e->states + 1, stages = r->stages ? r->stages : 1;
    m->arguments[1] = e->z;
    m->arguments[3] = p;
    for (integer i = 0; i < s->steps; i++) {
        const integer *rows = s->rows + i * stages;
        if (tick(e, s->ticking + i * e->clocks, X, U + rows[0] * e->inputs, m)) return i;
        if (s->kept[i] >= 0) memcpy(out + s->kept[i] * size, X, size * sizeof(double));
        const int failed = r->advance  ? r->advance(m->kept, X, U + rows[0] * e->inputs, p, s->lengths[i])
                           : r->stages ? runge_kutta(e, r, s->lengths[i], rows, U, X, m)
                                       : whole_step(e, s->lengths[i], rows, U, X, m);
        if (failed) return i;
        for (integer j = 0; j < size; j++)
            if (!isfinite(X[j])) return i;
    }
    return s->steps;
}

/* Take the runs from first to last - 1 from X (runs, states + 1) on, which becomes where they end, with inputs
   U (runs or 1, rows, inputs) and p (runs or 1, parameters), at `next_U` and `next_p` numbers from one run to the next.
   States are kept in out (runs, kept, states + 1), the steps that each run has taken in done (runs); a run ends with the
   step that fails. An implicit method has a memory, with which the first run goes on if that is requested. Returns 1 where
   there is no memory. */
int flexblocks_runs(const equations *e, const method *r, const schedule *s, integer first, integer last, double *X,
                    const double *U, integer next_U, const double *p, integer next_p, double *out, integer next_out,
                    integer *done, void *kept, integer goes_on) {
    const integer size = e->states + 1, stages = r->stages ? r->stages : 1;
    memory m;
    m.arguments = malloc((e->arguments + 8) * sizeof(double *));
    m.results = malloc((e->results + 8) * sizeof(double *));
    m.integers = malloc((e->integers + 1) * sizeof(integer));
    m.reals = malloc((e->reals + (2 + stages) * size + 1) * sizeof(double));
    const int none = !m.arguments || !m.results || !m.integers || !m.reals;
    if (!none) {
        m.at = m.reals + e->reals;
        m.change = m.at + size;
        m.slopes = m.change + size;
        m.kept = kept;
        for (integer k = first; k < last; k++) {
            if (r->restart && !(goes_on && k == first)) r->restart(kept, e->z);
            done[k] = run(e, r, s, X + k * size, U + k * next_U, p + k * next_p, out + k * next_out, &m);
        }
    }
    free(m.arguments);
    free(m.results);
    free(m.integers);
    free(m.reals);
    return none;
}
