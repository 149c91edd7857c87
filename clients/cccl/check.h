// What the programs have in common: values that repeat, and comparisons with what the host computes.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(condition)                                                                     \
    do {                                                                                     \
        if (!(condition)) {                                                                  \
            std::printf("%s:%d: %s is false\n", __FILE__, __LINE__, #condition);             \
            std::exit(1);                                                                    \
        }                                                                                    \
    } while (0)

#define CUDA(call)                                                                           \
    do {                                                                                     \
        cudaError_t error = (call);                                                          \
        if (error != cudaSuccess) {                                                          \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));       \
            std::exit(1);                                                                    \
        }                                                                                    \
    } while (0)

// n integers below limit.
inline std::vector<int> integers(int n, int limit, unsigned seed = 1)
{
    std::vector<int> v(n);
    for (int &x : v) {
        seed = seed * 1664525u + 1013904223u;
        x = int((seed >> 8) % unsigned(limit));
    }
    return v;
}

// Memory of the device with what a vector holds.
template <class T> T *on_device(const std::vector<T> &v)
{
    T *p;
    CUDA(cudaMalloc(&p, v.size() * sizeof(T) + 1));
    CUDA(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}
template <class T> T *on_device(size_t n)
{
    T *p;
    CUDA(cudaMalloc(&p, n * sizeof(T) + 1));
    return p;
}
template <class T> std::vector<T> on_host(const T *p, size_t n)
{
    std::vector<T> v(n);
    CUDA(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
}

// Calls a function of cub twice, as they are: for the size of the storage, and for the work.
template <class F> void with_storage(F f)
{
    size_t bytes = 0;
    CUDA(f(nullptr, bytes));
    void *storage = on_device<char>(bytes);
    CUDA(f(storage, bytes));
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaFree(storage));
}
