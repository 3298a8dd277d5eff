/* An instance of the model: its values, and the bookkeeping that keeps them consistent. */
/* SPDX-License-Identifier: MIT */
#ifndef INSTANCE_H
#define INSTANCE_H

#include <stddef.h>

#include "equations.h"
#include "shared.h"

INSIDE_BEGIN

/* First index of each group of variables; these are the value references, too. */
enum {
    TIME = 0,
    X = 1,
    D = X + N_X, /* discrete states, directly after the continuous ones */
    U = D + N_D,
    P = U + N_U,
    Z = P + N_P,
    DX = Z + N_Z,
    Y = DX + N_X,
    N_VALUES = Y + N_Y
};

enum { N_S = N_X + N_D }; /* all states */

/* Modes of the instance: bit flags, so that a function can allow several. */
typedef enum {
    INSTANTIATED = 1,
    INITIALIZATION = 2,
    EVENT = 4,
    CONTINUOUS = 8,
    STEPPING = 16,
    TERMINATED = 32,
    INITIALIZED = EVENT | CONTINUOUS | STEPPING,
    ALIVE = INSTANTIATED | INITIALIZATION | INITIALIZED,
    ANY = ALIVE | TERMINATED
} Mode;

/* Dirty flags: values that are out of date. */
enum { OLD_Z = 1, OLD_DX = 2, OLD_Y = 4, OLD = OLD_Z | OLD_DX | OLD_Y };

typedef enum { GOOD, WARNED, DISCARDED, FAILED } Result;

/* Plain data: copying it saves and restores the instance. */
typedef struct {
    Mode mode;
    int old;
    double tolerance; /* relative, of the built-in integrator */
    double step;      /* next step size of the integrator [s]; 0: not known yet */
    double slopes[N_U + 1]; /* time derivatives of the inputs in the next step */
    double ticks[N_CLOCKS + 1]; /* index of the next tick of each clock, an integer */
    double values[N_VALUES];
} State;

typedef struct Instance {
    State state;
    Workspace workspace;
    int co_simulation;
    void (*log)(const struct Instance *instance, Result result, const char *message);
    void *environment;
    void *logger;
    char *name;
    int trying;        /* a trial step, which may be repeated: failures are not logged */
    double fastest;    /* the largest rate of a coordinate so far, where posture was last looked at */
    int warned;        /* of a singular posture */
    char message[1024]; /* the last message */
} Instance;

Instance *instance_new(const char *name, int co_simulation);
void instance_free(Instance *instance);
void instance_reset(Instance *instance);

/* Log a printf-style message; returns `result`. */
Result report(Instance *instance, Result result, const char *format, ...);

/* Reject a call that is not allowed in the current mode. */
Result require(Instance *instance, int modes, const char *function);

Point instance_point(const Instance *instance);
Result instance_update(Instance *instance, int wanted); /* bring OLD_... values up to date */

Result get_values(Instance *instance, const unsigned int *references, size_t count, double *values);
Result set_values(Instance *instance, const unsigned int *references, size_t count, const double *values);

/* Solve 0 = g for z at x, u and p; z holds the initial guess, and the time is for the message. */
Result solve_algebraics(Instance *instance, double time, const double *x, const double *u, double *z);

/* der(x) at a time within a step of co-simulation, where the inputs may change linearly. */
Result step_rates(Instance *instance, double time, const double *x, double *dx);

/* Integrate to a time; the inputs change linearly, by their slopes. */
Result integrate(Instance *instance, double end);

/* Clocks: restart from the current time; time of the next tick, infinite without clocks; process the ticks that are due. */
void clocks_start(Instance *instance);
double next_tick(const Instance *instance);
Result clocks_tick(Instance *instance, int *states_changed); /* whether continuous states jumped */

/* Whether the inertia of the weakest motion at a state is below this share of what it is elsewhere, and what it is. */
int singular_posture(Instance *instance, const double *x, double share, char *text, size_t size);

/* Shares of that inertia: below which a failure is reported as beside a singular posture (about 0.03 rad), and below which the importer is warned of one (0.001 rad). */
#define BESIDE 1e-3
#define NEARLY_SINGULAR 1e-6

/* Charts: whether a state is beyond the border of one; bring it into the next, and whether that changed it. */
int charts_are_left(Instance *instance, const double *x);
int charts_change(Instance *instance, double *x);

/* Derivatives of unknowns (rates, outputs, algebraic variables) with respect to knowns (states, inputs, parameters). */
Result directional_derivative(Instance *instance, const unsigned int *unknowns, size_t n_unknowns,
                              const unsigned int *knowns, size_t n_knowns, const double *seed, double *sensitivity);
Result adjoint_derivative(Instance *instance, const unsigned int *unknowns, size_t n_unknowns,
                          const unsigned int *knowns, size_t n_knowns, const double *seed, double *sensitivity);

/* Functions shared by both versions of the interface. */
Result set_experiment(Instance *instance, int tolerance_defined, double tolerance, double start);
Result finish_initialization(Instance *instance);
Result set_states(Instance *instance, const double *x, size_t count);
Result get_range(Instance *instance, unsigned int first, double *values, size_t count); /* N_X values from X or DX */
Result take_step(Instance *instance, double now, double length);

/* Saved states; serialised, they follow a header that identifies the model. */
enum { TOKEN_SIZE = sizeof(INSTANTIATION_TOKEN), SERIALIZED_SIZE = TOKEN_SIZE + sizeof(State) };
Result save_state(Instance *instance, void **saved);
Result restore_state(Instance *instance, const void *saved);
Result serialize_state(Instance *instance, const void *saved, char *bytes, size_t size);
Result deserialize_state(Instance *instance, const char *bytes, size_t size, void **saved);

INSIDE_END

#endif
