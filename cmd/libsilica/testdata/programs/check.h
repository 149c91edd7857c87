// What the test programs have in common: CHECK(call) and EXPECT(condition) print what fails; main ends with return failures.
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

static int failures;

#define CHECK(call)                                                                            \
    do {                                                                                       \
        cudaError_t code_ = (call);                                                            \
        if (code_ != cudaSuccess) {                                                            \
            ++failures;                                                                        \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(code_));     \
        }                                                                                      \
    } while (0)

#define ANSWERS(code, call)                                                                    \
    do {                                                                                       \
        cudaError_t code_ = (call);                                                            \
        if (code_ != (code)) {                                                                 \
            ++failures;                                                                        \
            printf("%s:%d: %s: %s, want %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(code_), #code); \
        }                                                                                      \
        cudaGetLastError();                                                                    \
    } while (0)

#define EXPECT(condition)                                                                      \
    do {                                                                                       \
        if (!(condition)) {                                                                    \
            ++failures;                                                                        \
            printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                     \
        }                                                                                      \
    } while (0)

#endif
