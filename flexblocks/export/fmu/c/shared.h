/* Symbol visibility: the library exports the functions of the interface only. */
/* SPDX-License-Identifier: MIT */
#ifndef SHARED_H
#define SHARED_H

#if defined _WIN32 || defined __CYGWIN__
#define EXPORT __declspec(dllexport)
#elif defined __GNUC__
#define EXPORT __attribute__((visibility("default")))
#else
#define EXPORT
#endif

/* Encloses declarations of internal functions. */
#if defined __GNUC__ && !defined _WIN32 && !defined __CYGWIN__
#define INSIDE_BEGIN _Pragma("GCC visibility push(hidden)")
#define INSIDE_END _Pragma("GCC visibility pop")
#else
#define INSIDE_BEGIN
#define INSIDE_END
#endif

#endif
