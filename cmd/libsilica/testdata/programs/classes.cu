// Classes on the device: virtual functions, also pure ones, objects of new and in shared memory, constructors, pointers to functions,
// recursion.
#include <new>
#include "check.h"

template <class T> class Container {
public:
    __device__ virtual ~Container() {}
    __device__ virtual void push(T x) = 0;
    __device__ virtual bool pop(T *x) = 0;
};

template <class T> class Stack : public Container<T> {
public:
    __device__ explicit Stack(int n) : data(new T[n]), owner(true) {}
    __device__ explicit Stack(T *storage) : data(storage) {}
    __device__ ~Stack() override
    {
        if (owner) delete[] data;
    }
    __device__ void push(T x) override { data[atomicAdd(&top, 1)] = x; }
    __device__ bool pop(T *x) override
    {
        int at = atomicSub(&top, 1) - 1;
        if (at < 0) return false;
        *x = data[at];
        return true;
    }

private:
    T *data;
    int top = 0;
    bool owner = false;
};

__device__ Container<int> *container;

__global__ void create(int n) { container = new Stack<int>(n); }
__global__ void fill() { container->push(blockIdx.x * blockDim.x + threadIdx.x); }
__global__ void drain(int *sum)
{
    int x;
    if (container->pop(&x)) atomicAdd(sum, x);
}
__global__ void destroy() { delete container; }

__global__ void placed(int *sum)
{
    __shared__ alignas(Stack<int>) unsigned char storage[sizeof(Stack<int>)];
    __shared__ int data[64];
    __shared__ Stack<int> *stack;
    if (threadIdx.x == 0) stack = new (storage) Stack<int>(data);
    __syncthreads();
    stack->push(threadIdx.x);
    __syncthreads();
    int x = 0;
    if (stack->pop(&x)) atomicAdd(sum, x);
}

// Shared memory is not initialized, whatever the constructor says; what follows may construct the object.
struct Counter {
    int value = 7;
    int of[2];
    __device__ Counter() : of{1, 2} {}
    __device__ ~Counter() {}
    __device__ int next() { return atomicAdd(&value, 1); }
};

template <class T> __global__ void constructed(int *out)
{
    __shared__ T counter, pair[2];
    if (threadIdx.x == 0) {
        new (&counter) T;
        new (&pair[1]) T();
    }
    __syncthreads();
    auto next = [=] { return counter.next(); }; // of all threads, not a copy
    atomicAdd(&out[next() - 7], pair[1].of[1]);
}

typedef int (*operation)(int);
__device__ int doubled(int x) { return 2 * x; }
__device__ __noinline__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
__device__ operation operations[] = {doubled, factorial};
__constant__ operation chosen;
__global__ void __launch_bounds__(32, 1, 1) call(int *out) { out[threadIdx.x] = operations[threadIdx.x % 2](threadIdx.x / 4) + chosen(threadIdx.x); }

// The call of a function that there is not ends the kernel.
struct Base {
    __device__ Base() { before(); }
    __device__ __noinline__ void before() { work(); }
    __device__ virtual void work() = 0;
};
struct Derived : Base {
    __device__ void work() override {}
};
__global__ void pure() { Derived d; }

int main()
{
    int *out;
    CHECK(cudaMallocManaged(&out, 64 * sizeof(int)));
    out[0] = 0;
    create<<<1, 1>>>(256);
    fill<<<8, 32>>>();
    drain<<<9, 32>>>(out);
    destroy<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize());
    EXPECT(out[0] == 255 * 128);
    out[0] = 0;
    placed<<<1, 64>>>(out);
    CHECK(cudaDeviceSynchronize());
    EXPECT(out[0] == 63 * 32);
    memset(out, 0, 64 * sizeof(int));
    constructed<Counter><<<1, 64>>>(out);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++) EXPECT(out[i] == 2);
    operation of_device;
    CHECK(cudaMemcpyFromSymbol(&of_device, operations, sizeof of_device));
    CHECK(cudaMemcpyToSymbol(chosen, &of_device, sizeof of_device));
    call<<<1, 32>>>(out);
    CHECK(cudaDeviceSynchronize());
    EXPECT(out[20] == 10 + 40 && out[21] == 120 + 42);
    pure<<<1, 1>>>();
    EXPECT(cudaDeviceSynchronize() != cudaSuccess);
    return failures;
}
