extern __device__ int calls;
__device__ float twice(float x);
void fromPart();
