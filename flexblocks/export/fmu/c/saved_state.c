/* Saving and restoring an instance. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "instance.h"

Result save_state(Instance *instance, void **saved) {
    if (!*saved)
        *saved = malloc(sizeof(State));
    if (!*saved)
        return report(instance, FAILED, "There is no memory to save the state in.");
    memcpy(*saved, &instance->state, sizeof(State));
    return GOOD;
}

Result restore_state(Instance *instance, const void *saved) {
    if (!saved)
        return report(instance, FAILED, "There is no saved state to go back to.");
    memcpy(&instance->state, saved, sizeof(State));
    return GOOD;
}

Result serialize_state(Instance *instance, const void *saved, char *bytes, size_t size) {
    if (!saved || size < SERIALIZED_SIZE)
        return report(instance, FAILED, "A saved state takes %u bytes; there are %u.", (unsigned)SERIALIZED_SIZE,
                      (unsigned)size);
    memcpy(bytes, INSTANTIATION_TOKEN, TOKEN_SIZE);
    memcpy(bytes + TOKEN_SIZE, saved, sizeof(State));
    return GOOD;
}

Result deserialize_state(Instance *instance, const char *bytes, size_t size, void **saved) {
    if (size != SERIALIZED_SIZE || memcmp(bytes, INSTANTIATION_TOKEN, TOKEN_SIZE) != 0)
        return report(instance, FAILED, "These %u bytes are no saved state of this FMU.", (unsigned)size);
    if (!*saved)
        *saved = malloc(sizeof(State));
    if (!*saved)
        return report(instance, FAILED, "There is no memory to restore the state in.");
    memcpy(*saved, bytes + TOKEN_SIZE, sizeof(State));
    return GOOD;
}
