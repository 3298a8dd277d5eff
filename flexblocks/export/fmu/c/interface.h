/* Functions common to FMI 2.0 and 3.0. The source file of each version includes it after defining

   FMI_VERSION   prefix of its names: fmi2 or fmi3
   TOKEN         its name of the token that ties the XML to the library
   LOG(...)      call of the logger, with (logger, environment, name, status, category, message)

   and, as macros, the names that differ from those of version 3.0. */
/* SPDX-License-Identifier: MIT */
#ifndef INTERFACE_H
#define INTERFACE_H

#include <stdlib.h>
#include <string.h>

#include "instance.h"

/* FMI(Reset) is fmi3Reset in 3.0, and NAME(Reset) is "fmi3Reset". */
#define PASTED(first, second) first##second
#define JOINED(first, second) PASTED(first, second)
#define QUOTED(name) #name
#define IN_QUOTES(name) QUOTED(name)
#define FMI(name) JOINED(FMI_VERSION, name)
#define NAME(name) IN_QUOTES(FMI(name))

typedef struct {
    FMI(LogMessageCallback) logger;
} Callbacks;

static FMI(Status) status(Result result) {
    return result == GOOD ? FMI(OK) : result == WARNED ? FMI(Warning) : result == DISCARDED ? FMI(Discard) : FMI(Error);
}

static void write_log(const Instance *instance, Result result, const char *message) {
    LOG(((const Callbacks *)instance->logger)->logger, instance->environment, instance->name, status(result),
        result == WARNED ? "logStatusWarning" : result == DISCARDED ? "logStatusDiscard" : "logStatusError", message);
}

/* Return an error if the instance is not in one of the modes. */
#define REQUIRE(modes, function)                                                                                       \
    do {                                                                                                               \
        if (!c || require(c, modes, function) != GOOD)                                                                 \
            return FMI(Error);                                                                                         \
    } while (0)

/* Instances. */

static FMI(Instance) instantiate(FMI(String) name, FMI(String) token, int co_simulation, int provided,
                                FMI(InstanceEnvironment) environment, FMI(LogMessageCallback) logger) {
    Instance *instance;
    Callbacks *callbacks;
    const char *refusal = NULL;
    if (!token || strcmp(token, INSTANTIATION_TOKEN) != 0)
        refusal = "The " TOKEN " is not that of this FMU; modelDescription.xml belongs to another one.";
    else if (!provided)
        refusal = "The FMU was not exported for this interface type.";
    if (refusal) {
        if (logger)
            LOG(logger, environment, name, FMI(Error), "logStatusError", refusal);
        return NULL;
    }
    callbacks = calloc(1, sizeof(Callbacks));
    instance = callbacks ? instance_new(name, co_simulation) : NULL;
    if (!instance) {
        free(callbacks);
        return NULL;
    }
    callbacks->logger = logger;
    instance->logger = callbacks;
    instance->environment = environment;
    instance->log = logger ? write_log : NULL;
    return instance;
}

EXPORT FMI(Status) FMI(SetDebugLogging)(FMI(Instance) c, FMI(Boolean) on, size_t n, const FMI(String) categories[]) {
    (void)on, (void)n, (void)categories; /* warnings and errors are few, and always logged */
    REQUIRE(ANY, NAME(SetDebugLogging));
    return FMI(OK);
}

EXPORT void FMI(FreeInstance)(FMI(Instance) c) {
    if (!c)
        return;
    free(((Instance *)c)->logger);
    instance_free(c);
}

/* Modes. */

EXPORT FMI(Status) FMI(ExitInitializationMode)(FMI(Instance) c) {
    REQUIRE(INITIALIZATION, NAME(ExitInitializationMode));
    return status(finish_initialization(c));
}

EXPORT FMI(Status) FMI(EnterEventMode)(FMI(Instance) c) {
    REQUIRE(CONTINUOUS | EVENT, NAME(EnterEventMode));
    ((Instance *)c)->state.mode = EVENT;
    return FMI(OK);
}

EXPORT FMI(Status) FMI(Terminate)(FMI(Instance) c) {
    REQUIRE(INITIALIZED, NAME(Terminate));
    ((Instance *)c)->state.mode = TERMINATED;
    return FMI(OK);
}

EXPORT FMI(Status) FMI(Reset)(FMI(Instance) c) {
    REQUIRE(ANY, NAME(Reset));
    instance_reset(c);
    return FMI(OK);
}

/* Saved states. */

EXPORT FMI(Status) FMI(GetFMUState)(FMI(Instance) c, FMI(FMUState) *saved) {
    REQUIRE(ANY, NAME(GetFMUState));
    return status(save_state(c, saved));
}

EXPORT FMI(Status) FMI(SetFMUState)(FMI(Instance) c, FMI(FMUState) saved) {
    REQUIRE(ANY, NAME(SetFMUState));
    return status(restore_state(c, saved));
}

EXPORT FMI(Status) FMI(FreeFMUState)(FMI(Instance) c, FMI(FMUState) *saved) {
    (void)c;
    if (saved) {
        free(*saved);
        *saved = NULL;
    }
    return FMI(OK);
}

EXPORT FMI(Status) FMI(SerializedFMUStateSize)(FMI(Instance) c, FMI(FMUState) saved, size_t *size) {
    (void)saved;
    REQUIRE(ANY, NAME(SerializedFMUStateSize));
    *size = SERIALIZED_SIZE;
    return FMI(OK);
}

EXPORT FMI(Status) FMI(SerializeFMUState)(FMI(Instance) c, FMI(FMUState) saved, FMI(Byte) bytes[], size_t size) {
    REQUIRE(ANY, NAME(SerializeFMUState));
    return status(serialize_state(c, saved, (char *)bytes, size));
}

EXPORT FMI(Status) FMI(DeserializeFMUState)(FMI(Instance) c, const FMI(Byte) bytes[], size_t size, FMI(FMUState) *saved) {
    REQUIRE(ANY, NAME(DeserializeFMUState));
    return status(deserialize_state(c, (const char *)bytes, size, saved));
}

/* Model Exchange. */

EXPORT FMI(Status) FMI(EnterContinuousTimeMode)(FMI(Instance) c) {
    REQUIRE(EVENT, NAME(EnterContinuousTimeMode));
    ((Instance *)c)->state.mode = CONTINUOUS;
    return FMI(OK);
}

EXPORT FMI(Status) FMI(CompletedIntegratorStep)(FMI(Instance) c, FMI(Boolean) no_return, FMI(Boolean) *enter_event_mode,
                                              FMI(Boolean) *terminate) {
    (void)no_return;
    REQUIRE(CONTINUOUS, NAME(CompletedIntegratorStep));
    *enter_event_mode = charts_are_left(c, ((Instance *)c)->state.values + X);
    *terminate = 0;
    return FMI(OK);
}

EXPORT FMI(Status) FMI(SetTime)(FMI(Instance) c, FMI(Float64) time) {
    REQUIRE(EVENT | CONTINUOUS, NAME(SetTime));
    ((Instance *)c)->state.values[TIME] = time;
    return FMI(OK);
}

EXPORT FMI(Status) FMI(SetContinuousStates)(FMI(Instance) c, const FMI(Float64) x[], size_t nx) {
    REQUIRE(EVENT | CONTINUOUS, NAME(SetContinuousStates));
    return status(set_states(c, x, nx));
}

EXPORT FMI(Status) FMI(GetContinuousStateDerivatives)(FMI(Instance) c, FMI(Float64) dx[], size_t nx) {
    REQUIRE(INITIALIZATION | EVENT | CONTINUOUS | TERMINATED, NAME(GetContinuousStateDerivatives));
    return status(get_range(c, DX, dx, nx));
}

EXPORT FMI(Status) FMI(GetContinuousStates)(FMI(Instance) c, FMI(Float64) x[], size_t nx) {
    REQUIRE(INITIALIZATION | EVENT | CONTINUOUS | TERMINATED, NAME(GetContinuousStates));
    return status(get_range(c, X, x, nx));
}

EXPORT FMI(Status) FMI(GetNominalsOfContinuousStates)(FMI(Instance) c, FMI(Float64) nominals[], size_t nx) {
    size_t i;
    REQUIRE(ALIVE | TERMINATED, NAME(GetNominalsOfContinuousStates));
    for (i = 0; i < nx; i++)
        nominals[i] = 1.0;
    return FMI(OK);
}

#endif
