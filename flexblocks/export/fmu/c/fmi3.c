/* The functions of FMI 3.0. */
/* SPDX-License-Identifier: MIT */
#include "fmi3.h"

#define FMI_VERSION fmi3
#define TOKEN "instantiation token"
#define LOG(logger, environment, name, status, category, message)                                                      \
    ((void)(name), (logger)(environment, status, category, message))

#include "interface.h"

/* Body of a function for a feature that the model does not have. */
#define NOTHING(function, needed)                                                                                      \
    do {                                                                                                               \
        REQUIRE(ANY, function);                                                                                        \
        return (needed) ? status(report(c, FAILED, "%s: the model has nothing of the kind.", function)) : fmi3OK;      \
    } while (0)

EXPORT const char *fmi3GetVersion(void) { return "3.0"; }

EXPORT fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
                                                 fmi3Boolean visible, fmi3Boolean logging,
                                                 fmi3InstanceEnvironment environment, fmi3LogMessageCallback logger) {
    (void)resources, (void)visible, (void)logging;
    return instantiate(name, token, 0, MODEL_EXCHANGE, environment, logger);
}

EXPORT fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
                                                fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean event_mode,
                                                fmi3Boolean early_return, const fmi3ValueReference intermediate[],
                                                size_t n_intermediate, fmi3InstanceEnvironment environment,
                                                fmi3LogMessageCallback logger,
                                                fmi3IntermediateUpdateCallback intermediate_update) {
    (void)resources, (void)visible, (void)logging, (void)early_return, (void)intermediate, (void)n_intermediate,
        (void)intermediate_update;
    return instantiate(name, token, 1, CO_SIMULATION && !event_mode, environment, logger);
}

EXPORT fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources,
                                                      fmi3Boolean visible, fmi3Boolean logging,
                                                      fmi3InstanceEnvironment environment,
                                                      fmi3LogMessageCallback logger, fmi3ClockUpdateCallback update,
                                                      fmi3LockPreemptionCallback lock,
                                                      fmi3UnlockPreemptionCallback unlock) {
    (void)resources, (void)visible, (void)logging, (void)update, (void)lock, (void)unlock;
    return instantiate(name, token, 0, 0, environment, logger);
}

EXPORT fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,
                                              fmi3Float64 start, fmi3Boolean stop_defined, fmi3Float64 stop) {
    Result result;
    (void)stop_defined, (void)stop;
    REQUIRE(INSTANTIATED, "fmi3EnterInitializationMode");
    result = set_experiment(c, tolerance_defined, tolerance, start);
    if (result == GOOD)
        ((Instance *)c)->state.mode = INITIALIZATION;
    return status(result);
}

EXPORT fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Float64 values[],
                                 size_t n_values) {
    REQUIRE(ANY, "fmi3GetFloat64");
    if (n_values != n)
        return status(report(c, FAILED, "fmi3GetFloat64: %u values of %u scalar variables.", (unsigned)n_values,
                             (unsigned)n));
    return status(get_values(c, vr, n, values));
}

EXPORT fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Float64 values[],
                                 size_t n_values) {
    REQUIRE(ALIVE, "fmi3SetFloat64");
    if (n_values != n)
        return status(report(c, FAILED, "fmi3SetFloat64: %u values of %u scalar variables.", (unsigned)n_values,
                             (unsigned)n));
    return status(set_values(c, vr, n, values));
}

/* All variables are of type Float64. */
#define NO_ACCESS(type)                                                                                                \
    EXPORT fmi3Status fmi3Get##type(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3##type values[],      \
                                    size_t n_values) {                                                                 \
        (void)vr, (void)values, (void)n_values;                                                                        \
        NOTHING("fmi3Get" #type, n);                                                                                   \
    }                                                                                                                  \
    EXPORT fmi3Status fmi3Set##type(fmi3Instance c, const fmi3ValueReference vr[], size_t n,                           \
                                    const fmi3##type values[], size_t n_values) {                                      \
        (void)vr, (void)values, (void)n_values;                                                                        \
        NOTHING("fmi3Set" #type, n);                                                                                   \
    }
NO_ACCESS(Float32)
NO_ACCESS(Int8)
NO_ACCESS(UInt8)
NO_ACCESS(Int16)
NO_ACCESS(UInt16)
NO_ACCESS(Int32)
NO_ACCESS(UInt32)
NO_ACCESS(Int64)
NO_ACCESS(UInt64)
NO_ACCESS(Boolean)
NO_ACCESS(String)

EXPORT fmi3Status fmi3GetBinary(fmi3Instance c, const fmi3ValueReference vr[], size_t n, size_t sizes[],
                                fmi3Binary values[], size_t n_values) {
    (void)vr, (void)sizes, (void)values, (void)n_values;
    NOTHING("fmi3GetBinary", n);
}

EXPORT fmi3Status fmi3SetBinary(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const size_t sizes[],
                                const fmi3Binary values[], size_t n_values) {
    (void)vr, (void)sizes, (void)values, (void)n_values;
    NOTHING("fmi3SetBinary", n);
}

EXPORT fmi3Status fmi3GetClock(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Clock values[]) {
    (void)vr, (void)values;
    NOTHING("fmi3GetClock", n);
}

EXPORT fmi3Status fmi3SetClock(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Clock values[]) {
    (void)vr, (void)values;
    NOTHING("fmi3SetClock", n);
}

EXPORT fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance c, fmi3ValueReference vr, size_t *n) {
    (void)vr, (void)n;
    NOTHING("fmi3GetNumberOfVariableDependencies", 1);
}

EXPORT fmi3Status fmi3GetVariableDependencies(fmi3Instance c, fmi3ValueReference vr, size_t elements[],
                                              fmi3ValueReference independents[], size_t independent_elements[],
                                              fmi3DependencyKind kinds[], size_t n) {
    (void)vr, (void)elements, (void)independents, (void)independent_elements, (void)kinds, (void)n;
    NOTHING("fmi3GetVariableDependencies", 1);
}

EXPORT fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const fmi3ValueReference unknowns[], size_t n_unknowns,
                                               const fmi3ValueReference knowns[], size_t n_knowns,
                                               const fmi3Float64 seed[], size_t n_seed, fmi3Float64 sensitivity[],
                                               size_t n_sensitivity) {
    REQUIRE(INITIALIZATION | INITIALIZED | TERMINATED, "fmi3GetDirectionalDerivative");
    if (n_seed != n_knowns || n_sensitivity != n_unknowns)
        return status(report(c, FAILED, "fmi3GetDirectionalDerivative: one seed for each known and one result for each "
                                        "unknown are expected."));
    return status(directional_derivative(c, unknowns, n_unknowns, knowns, n_knowns, seed, sensitivity));
}

EXPORT fmi3Status fmi3GetAdjointDerivative(fmi3Instance c, const fmi3ValueReference unknowns[], size_t n_unknowns,
                                           const fmi3ValueReference knowns[], size_t n_knowns, const fmi3Float64 seed[],
                                           size_t n_seed, fmi3Float64 sensitivity[], size_t n_sensitivity) {
    REQUIRE(INITIALIZATION | INITIALIZED | TERMINATED, "fmi3GetAdjointDerivative");
    if (n_seed != n_unknowns || n_sensitivity != n_knowns)
        return status(report(c, FAILED, "fmi3GetAdjointDerivative: one seed for each unknown and one result for each "
                                        "known are expected."));
    return status(adjoint_derivative(c, unknowns, n_unknowns, knowns, n_knowns, seed, sensitivity));
}

EXPORT fmi3Status fmi3EnterConfigurationMode(fmi3Instance c) { NOTHING("fmi3EnterConfigurationMode", 1); }

EXPORT fmi3Status fmi3ExitConfigurationMode(fmi3Instance c) { NOTHING("fmi3ExitConfigurationMode", 1); }

EXPORT fmi3Status fmi3GetIntervalDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                         fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[]) {
    (void)vr, (void)intervals, (void)qualifiers;
    NOTHING("fmi3GetIntervalDecimal", n);
}

EXPORT fmi3Status fmi3GetIntervalFraction(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                          fmi3UInt64 counters[], fmi3UInt64 resolutions[],
                                          fmi3IntervalQualifier qualifiers[]) {
    (void)vr, (void)counters, (void)resolutions, (void)qualifiers;
    NOTHING("fmi3GetIntervalFraction", n);
}

EXPORT fmi3Status fmi3GetShiftDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Float64 shifts[]) {
    (void)vr, (void)shifts;
    NOTHING("fmi3GetShiftDecimal", n);
}

EXPORT fmi3Status fmi3GetShiftFraction(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3UInt64 counters[],
                                       fmi3UInt64 resolutions[]) {
    (void)vr, (void)counters, (void)resolutions;
    NOTHING("fmi3GetShiftFraction", n);
}

EXPORT fmi3Status fmi3SetIntervalDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                         const fmi3Float64 intervals[]) {
    (void)vr, (void)intervals;
    NOTHING("fmi3SetIntervalDecimal", n);
}

EXPORT fmi3Status fmi3SetIntervalFraction(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                          const fmi3UInt64 counters[], const fmi3UInt64 resolutions[]) {
    (void)vr, (void)counters, (void)resolutions;
    NOTHING("fmi3SetIntervalFraction", n);
}

EXPORT fmi3Status fmi3SetShiftDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                      const fmi3Float64 shifts[]) {
    (void)vr, (void)shifts;
    NOTHING("fmi3SetShiftDecimal", n);
}

EXPORT fmi3Status fmi3SetShiftFraction(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                       const fmi3UInt64 counters[], const fmi3UInt64 resolutions[]) {
    (void)vr, (void)counters, (void)resolutions;
    NOTHING("fmi3SetShiftFraction", n);
}

EXPORT fmi3Status fmi3ActivateModelPartition(fmi3Instance c, fmi3ValueReference clock, fmi3Float64 time) {
    (void)clock, (void)time;
    NOTHING("fmi3ActivateModelPartition", 1);
}

EXPORT fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance c) {
    REQUIRE(INITIALIZATION | EVENT, "fmi3EvaluateDiscreteStates");
    return fmi3OK;
}

EXPORT fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *needs_update, fmi3Boolean *terminate,
                                           fmi3Boolean *nominals_changed, fmi3Boolean *states_changed,
                                           fmi3Boolean *next_event_defined, fmi3Float64 *next_event) {
    int changed;
    Result result;
    REQUIRE(EVENT, "fmi3UpdateDiscreteStates");
    *needs_update = *terminate = *nominals_changed = false;
    result = clocks_tick(c, &changed);
    *states_changed = changed != 0;
    *next_event_defined = N_CLOCKS > 0;
    *next_event = N_CLOCKS > 0 ? next_tick(c) : 0.0;
    return status(result);
}

/* Model Exchange. */

EXPORT fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64 indicators[], size_t n) {
    (void)indicators;
    NOTHING("fmi3GetEventIndicators", n);
}

EXPORT fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t *n) {
    REQUIRE(ANY, "fmi3GetNumberOfEventIndicators");
    *n = 0;
    return fmi3OK;
}

EXPORT fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t *n) {
    REQUIRE(ANY, "fmi3GetNumberOfContinuousStates");
    *n = N_X;
    return fmi3OK;
}

/* Co-Simulation. */

EXPORT fmi3Status fmi3EnterStepMode(fmi3Instance c) { NOTHING("fmi3EnterStepMode", 1); /* there is no event mode */ }

EXPORT fmi3Status fmi3GetOutputDerivatives(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                           const fmi3Int32 orders[], fmi3Float64 values[], size_t n_values) {
    (void)vr, (void)orders, (void)values, (void)n_values;
    NOTHING("fmi3GetOutputDerivatives", n);
}

EXPORT fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 now, fmi3Float64 length, fmi3Boolean no_return,
                             fmi3Boolean *event_needed, fmi3Boolean *terminate, fmi3Boolean *early_return,
                             fmi3Float64 *reached) {
    Result result;
    (void)no_return;
    REQUIRE(STEPPING, "fmi3DoStep");
    *event_needed = *terminate = *early_return = false;
    result = take_step(c, now, length);
    *reached = ((Instance *)c)->state.values[TIME];
    return status(result);
}
