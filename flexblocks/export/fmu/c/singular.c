/* Singular postures: which coordinates move no mass, by the weakest motion of the mass matrix scaled to unit diagonal. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "instance.h"

typedef struct {
    const char *name, *unit, *joint; /* the joint of three or two hinges to which it belongs, or "" */
} Coordinate;

static const Coordinate COORDINATES[N_M + 1] = {COORDINATE_VALUES {"", "", ""}};

/* Smallest eigenvalue that is more than rounding, per coordinate. */
static const double ROUNDING = 1e-13;
/* Shares in the weakest motion: from which on a coordinate is named, and of hinges that is theirs alone. */
static const double NAMED = 0.1, ALONE = 0.999;
enum { SWEEPS = 50, MOST_VALUES = 6, SIZE = N_M + 1 };

typedef struct {
    double value, shares[SIZE];
} Motion;

/* Turn rows and columns p and q of A so that A[p][q] = 0, and the columns of V along. */
static void turn(double A[SIZE][SIZE], double V[SIZE][SIZE], int p, int q) {
    double ratio = (A[q][q] - A[p][p]) / (2.0 * A[p][q]), t = (ratio < 0.0 ? -1.0 : 1.0) / (fabs(ratio) + sqrt(ratio * ratio + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    int i;
    for (i = 0; i < N_M; i++) {
        double a = A[i][p], b = A[i][q];
        A[i][p] = c * a - s * b, A[i][q] = s * a + c * b;
        a = V[i][p], b = V[i][q];
        V[i][p] = c * a - s * b, V[i][q] = s * a + c * b;
    }
    for (i = 0; i < N_M; i++) {
        double a = A[p][i], b = A[q][i];
        A[p][i] = c * a - s * b, A[q][i] = s * a + c * b;
    }
}

/* Jacobi's method for eigenvalues; A is overwritten. */
static Motion weakest(double A[SIZE][SIZE]) {
    double V[SIZE][SIZE] = {{0.0}};
    Motion motion = {0.0, {0.0}};
    int sweep, p, q, least = 0;
    for (p = 0; p < N_M; p++)
        V[p][p] = 1.0;
    for (sweep = 0; sweep < SWEEPS; sweep++) {
        double left = 0.0;
        for (p = 0; p < N_M; p++)
            for (q = p + 1; q < N_M; q++) {
                left += fabs(A[p][q]);
                if (A[p][q] != 0.0)
                    turn(A, V, p, q);
            }
        if (!(left > 1e-15))
            break;
    }
    for (p = 1; p < N_M; p++)
        if (A[p][p] < A[least][least])
            least = p;
    motion.value = A[least][least];
    for (p = 0; p < N_M; p++)
        motion.shares[p] = V[p][least] * V[p][least];
    return motion;
}

static Motion weakest_motion(Instance *instance, Point at) {
    double M[SIZE * SIZE], A[SIZE][SIZE];
    Motion motion = {0.0, {0.0}};
    int i, k, lost = 0;
    if (equations_mass(&instance->workspace, at, M))
        return motion;
    for (i = 0; i < N_M; i++)
        for (k = 0; k < N_M; k++) {
            double diagonal = M[i * N_M + i] * M[k * N_M + k];
            A[i][k] = diagonal > 0.0 ? M[i * N_M + k] / sqrt(diagonal) : M[i * N_M + k];
            if (!isfinite(A[i][k]))
                motion.shares[i] = lost = 1;
        }
    return lost ? motion : weakest(A);
}

static size_t append(char *text, size_t size, size_t length, const char *format, ...) {
    va_list arguments;
    int more;
    if (length + 1 >= size)
        return length;
    va_start(arguments, format);
    more = vsnprintf(text + length, size - length, format, arguments);
    va_end(arguments);
    return more < 0 ? length : length + (size_t)more < size ? length + (size_t)more : size - 1;
}

int singular_posture(Instance *instance, const double *x, double share, char *text, size_t size) {
    Point at = {x, instance->state.values + Z, instance->state.values + U, instance->state.values + P};
    const char *joint = NULL, *separator = "";
    double moved = 0.0;
    int i, first = -1, last = -1, named = 0, locked, values = 0;
    size_t length;
    Motion motion;
    text[0] = '\0';
    if (N_M == 0)
        return 0;
    motion = weakest_motion(instance, at);
    if (motion.value > ROUNDING * N_M && motion.value > share * GENERIC_INERTIA)
        return 0;
    for (i = 0; i < N_M; i++)
        if (motion.shares[i] > NAMED) {
            joint = named == 0 || (joint && strcmp(joint, COORDINATES[i].joint) == 0) ? COORDINATES[i].joint : NULL;
            first = first < 0 ? i : first;
            last = i;
            named++;
            moved += motion.shares[i];
        }
    locked = named > 1 && moved > ALONE && joint && joint[0];
    length = append(text, size, 0, "The mass matrix is all but singular: ");
    if (locked)
        length = append(text, size, length, "joint '%s' is in gimbal lock, two of its axes parallel", joint);
    for (i = 0; i < N_M && !locked; i++)
        if (motion.shares[i] > NAMED) {
            length = append(text, size, length, "%s'%s'", separator, COORDINATES[i].name);
            separator = ", ";
        }
    if (!locked)
        length = append(text, size, length, named == 1 ? " moves no mass" : " together move no mass");
    for (i = 0; i < N_M; i++)
        if ((locked ? strcmp(joint, COORDINATES[i].joint) == 0 : i >= first && i <= last && first >= 0) &&
            values++ < MOST_VALUES)
            length = append(text, size, length, "%s%s = %.6g %s", values == 1 ? " at " : ", ", COORDINATES[i].name,
                            x[i], COORDINATES[i].unit);
    append(text, size, length, ".");
    return 1;
}
