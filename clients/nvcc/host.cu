// Loads plugin.cu twice: its variable begins afresh each time.
#include <cstdio>
#include <dlfcn.h>

static __global__ void kernel(int *x) { *x = 12; }

int main(int argc, char **argv)
{
    int *d, x = 0;
    cudaMalloc(&d, sizeof *d);
    for (int i = 0; i < 2; ++i) {
        void *library = dlopen(argv[1], RTLD_NOW);
        if (!library)
            return puts(dlerror());
        kernel<<<1, 1>>>(d);
        cudaMemcpy(&x, d, sizeof x, cudaMemcpyDeviceToHost);
        printf("%d\n", ((int (*)(int))dlsym(library, "answer"))(x));
        dlclose(library);
    }
}
