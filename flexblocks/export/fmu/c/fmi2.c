/* The functions of FMI 2.0. */
/* SPDX-License-Identifier: MIT */
#include "fmi2.h"

#define FMI_VERSION fmi2
#define TOKEN "GUID"
/* The message is passed as the format string: no message contains a percent sign, and not every importer expands formats. */
#define LOG(logger, environment, name, status, category, message)                                                      \
    (logger)(environment, name, status, category, message)

/* Names that differ from 3.0. */
#define fmi2Instance fmi2Component
#define fmi2InstanceEnvironment fmi2ComponentEnvironment
#define fmi2LogMessageCallback fmi2CallbackLogger
#define fmi2FMUState fmi2FMUstate
#define fmi2Float64 fmi2Real
#define fmi2GetFMUState fmi2GetFMUstate
#define fmi2SetFMUState fmi2SetFMUstate
#define fmi2FreeFMUState fmi2FreeFMUstate
#define fmi2SerializedFMUStateSize fmi2SerializedFMUstateSize
#define fmi2SerializeFMUState fmi2SerializeFMUstate
#define fmi2DeserializeFMUState fmi2DeSerializeFMUstate
#define fmi2GetContinuousStateDerivatives fmi2GetDerivatives

#include "interface.h"

EXPORT const char *fmi2GetTypesPlatform(void) { return "default"; }

EXPORT const char *fmi2GetVersion(void) { return "2.0"; }

EXPORT fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                                     const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging) {
    int co_simulation = type == fmi2CoSimulation;
    (void)resources, (void)visible, (void)logging;
    return instantiate(name, guid, co_simulation, co_simulation ? CO_SIMULATION : MODEL_EXCHANGE,
                       functions ? functions->componentEnvironment : NULL, functions ? functions->logger : NULL);
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

EXPORT fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknowns[], size_t n_unknowns,
                                               const fmi2ValueReference knowns[], size_t n_knowns,
                                               const fmi2Real seed[], fmi2Real sensitivity[]) {
    REQUIRE(INITIALIZATION | INITIALIZED | TERMINATED, "fmi2GetDirectionalDerivative");
    return status(directional_derivative(c, unknowns, n_unknowns, knowns, n_knowns, seed, sensitivity));
}

/* Model Exchange. */

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

EXPORT fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real indicators[], size_t n) {
    (void)indicators;
    REQUIRE(INITIALIZATION | EVENT | CONTINUOUS | TERMINATED, "fmi2GetEventIndicators");
    return n ? fmi2Error : fmi2OK;
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
