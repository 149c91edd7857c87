// A kernel in a header, for device_launches.cu.
#pragma once
template <class T, int Scale = 2> __global__ void scale(T *p, int n, T by = T(Scale))
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] *= by;
}
