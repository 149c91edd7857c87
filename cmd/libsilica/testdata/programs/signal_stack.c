// A program gives a thread a signal stack, as Python's faulthandler does, and takes it away after calls to the library: signals
// that Go sends itself then still find one.
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_t caller;
static volatile int done;

static void *interrupt(void *nothing)
{
    while (!done)
        pthread_kill(caller, SIGURG);
    return nothing;
}

int main(void)
{
    stack_t mine = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16}, before, now;
    sigaltstack(&mine, &before);
    size_t available, total;
    int failures = cudaMemGetInfo(&available, &total) != cudaSuccess;
    sigaltstack(NULL, &now);
    if (now.ss_sp == mine.ss_sp)
        sigaltstack(&before, NULL);
    free(mine.ss_sp);

    caller = pthread_self();
    pthread_t other;
    failures += pthread_create(&other, NULL, interrupt, NULL) != 0;
    for (int i = 0; i < 20000; ++i)
        failures += cudaMemGetInfo(&available, &total) != cudaSuccess;
    done = 1;
    pthread_join(other, NULL);
    if (failures)
        fprintf(stderr, "%d failures\n", failures);
    return failures != 0;
}
