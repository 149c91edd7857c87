// Variables that a program sets before its first call count.
#include "check.h"

int main() {
    setenv("SILICA_GPU", "a100", 1);
    cudaDeviceProp p;
    CHECK(cudaGetDeviceProperties(&p, 0));
    EXPECT(p.major == 8 && p.minor == 0);
    return failures;
}
