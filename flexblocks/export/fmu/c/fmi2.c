/* The functions of FMI 2.0. */
/* SPDX-License-Identifier: MIT */
#include "fmi2.h"

#include <stdlib.h>
#include <string.h>

#include "instance.h"

typedef struct {
    fmi2CallbackLogger logger;
} Callbacks;

static fmi2Status status(Result result) { return result == GOOD ? fmi2OK : result == DISCARDED ? fmi2Discard : fmi2Error; }

static void write_log(const Instance *instance, Result result, const char *message) {
    fmi2CallbackLogger logger = ((const Callbacks *)instance->logger)->logger;
    /* The message is the format: there is no percent sign in any, and not every importer fills formats in. */
    logger(instance->environment, instance->name, status(result),
           result == DISCARDED ? "logStatusDiscard" : "logStatusError", message);
}

/* Leave the function if the instance is not in one of the modes. */
#define REQUIRE(modes, function)                                                                                       \
    do {                                                                                                               \
        if (!c || require(c, modes, function) != GOOD)                                                                 \
            return fmi2Error;                                                                                          \
    } while (0)

EXPORT const char *fmi2GetTypesPlatform(void) { return "default"; }

EXPORT const char *fmi2GetVersion(void) { return "2.0"; }

EXPORT fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[]) {
    (void)on, (void)n, (void)categories; /* there are errors alone, and these are always logged */
    REQUIRE(ANY, "fmi2SetDebugLogging");
    return fmi2OK;
}

EXPORT fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                                     const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging) {
    Instance *instance;
    Callbacks *callbacks;
    const char *refusal = NULL;
    (void)resources, (void)visible, (void)logging;
    if (!guid || strcmp(guid, INSTANTIATION_TOKEN) != 0)
        refusal = "The GUID is not that of this FMU; modelDescription.xml belongs to another one.";
    else if (!(type == fmi2CoSimulation ? CO_SIMULATION : MODEL_EXCHANGE))
        refusal = "The FMU was not exported for this interface type.";
    if (refusal) {
        if (functions && functions->logger)
            functions->logger(functions->componentEnvironment, name, fmi2Error, "logStatusError", refusal);
        return NULL;
    }
    callbacks = calloc(1, sizeof(Callbacks));
    instance = callbacks ? instance_new(name, type == fmi2CoSimulation) : NULL;
    if (!instance) {
        free(callbacks);
        return NULL;
    }
    instance->logger = callbacks;
    if (functions) {
        callbacks->logger = functions->logger;
        instance->environment = functions->componentEnvironment;
        instance->log = functions->logger ? write_log : NULL;
    }
    return instance;
}

EXPORT void fmi2FreeInstance(fmi2Component c) {
    if (!c)
        return;
    free(((Instance *)c)->logger);
    instance_free(c);
}

EXPORT fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance,
                                      fmi2Real start, fmi2Boolean stop_defined, fmi2Real stop) {
    (void)stop_defined, (void)stop;
    REQUIRE(INSTANTIATED, "fmi2SetupExperiment");
    return status(set_experiment(c, tolerance_defined, tolerance, start));
}

EXPORT fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
    REQUIRE(INSTANTIATED, "fmi2EnterInitializationMode");
    ((Instance *)c)->state.mode = INITIALIZATION;
    return fmi2OK;
}

EXPORT fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
    REQUIRE(INITIALIZATION, "fmi2ExitInitializationMode");
    return status(finish_initialization(c));
}

EXPORT fmi2Status fmi2Terminate(fmi2Component c) {
    REQUIRE(INITIALIZED, "fmi2Terminate");
    ((Instance *)c)->state.mode = TERMINATED;
    return fmi2OK;
}

EXPORT fmi2Status fmi2Reset(fmi2Component c) {
    REQUIRE(ANY, "fmi2Reset");
    instance_reset(c);
    return fmi2OK;
}

EXPORT fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real values[]) {
    REQUIRE(ANY, "fmi2GetReal");
    return status(get_values(c, vr, n, values));
}

EXPORT fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real values[]) {
    REQUIRE(ALIVE, "fmi2SetReal");
    return status(set_values(c, vr, n, values));
}

/* All variables are real. */
#define NO_ACCESS(name, type)                                                                                          \
    EXPORT fmi2Status name(fmi2Component c, const fmi2ValueReference vr[], size_t n, type values[]) {                  \
        (void)vr, (void)values;                                                                                        \
        REQUIRE(ANY, #name);                                                                                           \
        return n ? status(report(c, FAILED, "%s: all variables are of type Real.", #name)) : fmi2OK;                   \
    }
NO_ACCESS(fmi2GetInteger, fmi2Integer)
NO_ACCESS(fmi2GetBoolean, fmi2Boolean)
NO_ACCESS(fmi2GetString, fmi2String)
NO_ACCESS(fmi2SetInteger, const fmi2Integer)
NO_ACCESS(fmi2SetBoolean, const fmi2Boolean)
NO_ACCESS(fmi2SetString, const fmi2String)

EXPORT fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *saved) {
    REQUIRE(ANY, "fmi2GetFMUstate");
    return status(save_state(c, saved));
}

EXPORT fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate saved) {
    REQUIRE(ANY, "fmi2SetFMUstate");
    return status(restore_state(c, saved));
}

EXPORT fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *saved) {
    (void)c;
    if (saved) {
        free(*saved);
        *saved = NULL;
    }
    return fmi2OK;
}

EXPORT fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate saved, size_t *size) {
    (void)saved;
    REQUIRE(ANY, "fmi2SerializedFMUstateSize");
    *size = SERIALIZED_SIZE;
    return fmi2OK;
}

EXPORT fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate saved, fmi2Byte bytes[], size_t size) {
    REQUIRE(ANY, "fmi2SerializeFMUstate");
    return status(serialize_state(c, saved, bytes, size));
}

EXPORT fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *saved) {
    REQUIRE(ANY, "fmi2DeSerializeFMUstate");
    return status(deserialize_state(c, bytes, size, saved));
}

EXPORT fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknowns[], size_t n_unknowns,
                                               const fmi2ValueReference knowns[], size_t n_knowns,
                                               const fmi2Real seed[], fmi2Real sensitivity[]) {
    REQUIRE(INITIALIZATION | INITIALIZED | TERMINATED, "fmi2GetDirectionalDerivative");
    return status(directional_derivative(c, unknowns, n_unknowns, knowns, n_knowns, seed, sensitivity));
}

/* Model Exchange. */

EXPORT fmi2Status fmi2EnterEventMode(fmi2Component c) {
    REQUIRE(CONTINUOUS | EVENT, "fmi2EnterEventMode");
    ((Instance *)c)->state.mode = EVENT;
    return fmi2OK;
}

EXPORT fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info) {
    int states_changed;
    Result result;
    REQUIRE(EVENT, "fmi2NewDiscreteStates");
    memset(info, 0, sizeof(fmi2EventInfo));
    result = clocks_tick(c, &states_changed);
    info->valuesOfContinuousStatesChanged = states_changed;
    info->nextEventTimeDefined = N_CLOCKS > 0;
    info->nextEventTime = N_CLOCKS > 0 ? next_tick(c) : 0.0;
    return status(result);
}

EXPORT fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) {
    REQUIRE(EVENT, "fmi2EnterContinuousTimeMode");
    ((Instance *)c)->state.mode = CONTINUOUS;
    return fmi2OK;
}

EXPORT fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_return, fmi2Boolean *enter_event_mode,
                                              fmi2Boolean *terminate) {
    (void)no_return;
    REQUIRE(CONTINUOUS, "fmi2CompletedIntegratorStep");
    *enter_event_mode = *terminate = 0;
    return fmi2OK;
}

EXPORT fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time) {
    REQUIRE(EVENT | CONTINUOUS, "fmi2SetTime");
    ((Instance *)c)->state.values[TIME] = time;
    return fmi2OK;
}

EXPORT fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t nx) {
    REQUIRE(EVENT | CONTINUOUS, "fmi2SetContinuousStates");
    return status(set_states(c, x, nx));
}

EXPORT fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real dx[], size_t nx) {
    REQUIRE(INITIALIZATION | EVENT | CONTINUOUS | TERMINATED, "fmi2GetDerivatives");
    return status(get_range(c, DX, dx, nx));
}

EXPORT fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real indicators[], size_t n) {
    (void)indicators;
    REQUIRE(INITIALIZATION | EVENT | CONTINUOUS | TERMINATED, "fmi2GetEventIndicators");
    return n ? fmi2Error : fmi2OK;
}

EXPORT fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t nx) {
    REQUIRE(INITIALIZATION | EVENT | CONTINUOUS | TERMINATED, "fmi2GetContinuousStates");
    return status(get_range(c, X, x, nx));
}

EXPORT fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real nominals[], size_t nx) {
    size_t i;
    REQUIRE(ALIVE | TERMINATED, "fmi2GetNominalsOfContinuousStates");
    for (i = 0; i < nx; i++)
        nominals[i] = 1.0;
    return fmi2OK;
}

/* Co-Simulation. */

EXPORT fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                              const fmi2Integer order[], const fmi2Real values[]) {
    size_t i;
    REQUIRE(INITIALIZATION | STEPPING, "fmi2SetRealInputDerivatives");
    for (i = 0; i < n; i++)
        if (vr[i] < U || vr[i] >= P || order[i] != 1)
            return status(report(c, FAILED, "fmi2SetRealInputDerivatives: of inputs alone, and of order 1."));
    for (i = 0; i < n; i++)
        ((Instance *)c)->state.slopes[vr[i] - U] = values[i];
    return fmi2OK;
}

EXPORT fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                               const fmi2Integer order[], fmi2Real values[]) {
    (void)vr, (void)n, (void)order, (void)values;
    REQUIRE(STEPPING | TERMINATED, "fmi2GetRealOutputDerivatives");
    return status(report(c, FAILED, "fmi2GetRealOutputDerivatives: maxOutputDerivativeOrder is 0."));
}

EXPORT fmi2Status fmi2DoStep(fmi2Component c, fmi2Real now, fmi2Real length, fmi2Boolean no_return) {
    (void)no_return;
    REQUIRE(STEPPING, "fmi2DoStep");
    return status(take_step(c, now, length));
}

EXPORT fmi2Status fmi2CancelStep(fmi2Component c) {
    REQUIRE(ANY, "fmi2CancelStep");
    return status(report(c, FAILED, "fmi2CancelStep: steps never run in the background."));
}

EXPORT fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value) {
    (void)kind, (void)value;
    REQUIRE(ANY, "fmi2GetStatus");
    return fmi2Discard;
}

EXPORT fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value) {
    REQUIRE(ANY, "fmi2GetRealStatus");
    if (kind != fmi2LastSuccessfulTime)
        return fmi2Discard;
    *value = ((Instance *)c)->state.values[TIME];
    return fmi2OK;
}

EXPORT fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value) {
    (void)kind, (void)value;
    REQUIRE(ANY, "fmi2GetIntegerStatus");
    return fmi2Discard;
}

EXPORT fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value) {
    REQUIRE(ANY, "fmi2GetBooleanStatus");
    if (kind != fmi2Terminated)
        return fmi2Discard;
    *value = 0;
    return fmi2OK;
}

EXPORT fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind kind, fmi2String *value) {
    (void)kind, (void)value;
    REQUIRE(ANY, "fmi2GetStringStatus");
    return fmi2Discard;
}
