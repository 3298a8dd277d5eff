/* One instance of the model: its values, and what it takes to keep them consistent. */
/* SPDX-License-Identifier: MIT */
#ifndef INSTANCE_H
#define INSTANCE_H

#include <stddef.h>

#include "equations.h"
#include "shared.h"

INSIDE_BEGIN

/* Where the groups of variables start; these are the value references, too. */
enum {
    TIME = 0,
    X = 1,
    D = X + N_X, /* discrete states, right behind the continuous ones */
    U = D + N_D,
    P = U + N_U,
    Z = P + N_P,
    DX = Z + N_Z,
    Y = DX + N_X,
    N_VALUES = Y + N_Y
};

enum { N_S = N_X + N_D }; /* all states */

/* What the instance may be asked for; bits, so that a function can name several. */
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

/* Which values do not belong to the present point. */
enum { OLD_Z = 1, OLD_DX = 2, OLD_Y = 4, OLD = OLD_Z | OLD_DX | OLD_Y };

typedef enum { GOOD, DISCARDED, FAILED } Result;

/* Numbers alone: copying it saves and restores the instance. */
typedef struct {
    Mode mode;
    int old;
    double tolerance; /* relative, of the built-in integration */
    double step;      /* that the integration takes next [s]; 0: not known yet */
    double slopes[N_U + 1]; /* time derivatives of the inputs in the next step */
    double ticks[N_CLOCKS + 1]; /* number of the next tick of each clock, whole */
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
    int trying;        /* a step that may be repeated: what is discarded is not logged */
    char message[512]; /* the last one */
} Instance;

Instance *instance_new(const char *name, int co_simulation);
void instance_free(Instance *instance);
void instance_reset(Instance *instance);

/* Log as printf writes; returns `result`. */
Result report(Instance *instance, Result result, const char *format, ...);

/* Refuse a call in a mode where it is not allowed. */
Result require(Instance *instance, int modes, const char *function);

Point instance_point(const Instance *instance);
Result instance_update(Instance *instance, int wanted); /* bring OLD_... values up to date */

Result get_values(Instance *instance, const unsigned int *references, size_t count, double *values);
Result set_values(Instance *instance, const unsigned int *references, size_t count, const double *values);

/* Solve 0 = g for z, from the guess in it, at x, u and p; the time is for the message. */
Result solve_algebraics(Instance *instance, double time, const double *x, const double *u, double *z);

/* der(x) at a time within a step of co-simulation, where the inputs may change linearly. */
Result step_rates(Instance *instance, double time, const double *x, double *dx);

/* Integrate to a time; the inputs change by their slopes. */
Result integrate(Instance *instance, double end);

/* Clocks: count from the present time on; the time of the next tick, infinite without clocks; let those tick that are due. */
void clocks_start(Instance *instance);
double next_tick(const Instance *instance);
Result clocks_tick(Instance *instance, int *states_changed); /* whether continuous states jumped */

/* Derivatives of unknowns (rates, outputs, algebraic variables) by knowns (states, inputs, parameters). */
Result directional_derivative(Instance *instance, const unsigned int *unknowns, size_t n_unknowns,
                              const unsigned int *knowns, size_t n_knowns, const double *seed, double *sensitivity);
Result adjoint_derivative(Instance *instance, const unsigned int *unknowns, size_t n_unknowns,
                          const unsigned int *knowns, size_t n_knowns, const double *seed, double *sensitivity);

/* What both versions of the interface do. */
Result set_experiment(Instance *instance, int tolerance_defined, double tolerance, double start);
Result finish_initialization(Instance *instance);
Result set_states(Instance *instance, const double *x, size_t count);
Result get_range(Instance *instance, unsigned int first, double *values, size_t count); /* N_X values from X or DX */
Result take_step(Instance *instance, double now, double length);

/* Saved states; as bytes they stand behind a mark that says of which model they are. */
enum { TOKEN_SIZE = sizeof(INSTANTIATION_TOKEN), SERIALIZED_SIZE = TOKEN_SIZE + sizeof(State) };
Result save_state(Instance *instance, void **saved);
Result restore_state(Instance *instance, const void *saved);
Result serialize_state(Instance *instance, const void *saved, char *bytes, size_t size);
Result deserialize_state(Instance *instance, const char *bytes, size_t size, void **saved);

INSIDE_END

#endif
