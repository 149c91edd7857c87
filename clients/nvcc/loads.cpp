// The driver API: loads what nvcc made of ramp.cu and runs its kernel.
#include <cstdio>
#include <cuda.h>

#define OK(call)                                                       \
    do {                                                               \
        CUresult code_ = (call);                                       \
        if (code_ != CUDA_SUCCESS)                                     \
            return printf("%s: %d\n", #call, code_), 1;                \
    } while (0)

int main(int argc, char **argv)
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction f;
    CUdeviceptr x;
    float host[32];
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    OK(cuModuleLoad(&module, argv[1]));
    OK(cuModuleGetFunction(&f, module, "ramp"));
    OK(cuMemAlloc(&x, sizeof host));
    float step = 1.5f;
    void *args[] = {&x, &step};
    OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, nullptr, args, nullptr));
    OK(cuMemcpyDtoH(host, x, sizeof host));
    printf("%g\n", host[31]);
}
