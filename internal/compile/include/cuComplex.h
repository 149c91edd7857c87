// Complex numbers as float2 and double2.
#ifndef CU_COMPLEX_H_
#define CU_COMPLEX_H_

#include <math.h>
#include "vector_types.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define SILICA_COMPLEX static __inline__ __host__ __device__
#define SILICA_COMPLEX_TYPE(C, T, make, real, imag, conj, abs, plus, minus, times, over, multiplyAdd, fabsT, sqrtT)           \
    SILICA_COMPLEX C make(T x, T y) { C z; z.x = x; z.y = y; return z; }                                                      \
    SILICA_COMPLEX T real(C z) { return z.x; }                                                                                \
    SILICA_COMPLEX T imag(C z) { return z.y; }                                                                                \
    SILICA_COMPLEX C conj(C z) { return make(z.x, -z.y); }                                                                    \
    SILICA_COMPLEX C plus(C a, C b) { return make(a.x + b.x, a.y + b.y); }                                                    \
    SILICA_COMPLEX C minus(C a, C b) { return make(a.x - b.x, a.y - b.y); }                                                   \
    SILICA_COMPLEX C times(C a, C b) { return make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }                           \
    SILICA_COMPLEX C over(C a, C b)                                                                                           \
    {                                                                                                                         \
        T s = 1 / (fabsT(b.x) + fabsT(b.y)); /* keeps the squares in range */                                                 \
        T ax = a.x * s, ay = a.y * s, bx = b.x * s, by = b.y * s;                                                             \
        T d = 1 / (bx * bx + by * by);                                                                                        \
        return make((ax * bx + ay * by) * d, (ay * bx - ax * by) * d);                                                        \
    }                                                                                                                         \
    SILICA_COMPLEX T abs(C z)                                                                                                 \
    {                                                                                                                         \
        T a = fabsT(z.x), b = fabsT(z.y), large = a > b ? a : b, small = a > b ? b : a;                                       \
        if (large == 0 || small == 0 || large - large != 0) return large + small;                                             \
        T r = small / large;                                                                                                  \
        return large * sqrtT(1 + r * r);                                                                                      \
    }                                                                                                                         \
    SILICA_COMPLEX C multiplyAdd(C a, C b, C c)                                                                               \
    { return make(a.x * b.x + c.x - a.y * b.y, a.x * b.y + c.y + a.y * b.x); }
SILICA_COMPLEX_TYPE(cuFloatComplex, float, make_cuFloatComplex, cuCrealf, cuCimagf, cuConjf, cuCabsf, cuCaddf, cuCsubf, cuCmulf, cuCdivf, cuCfmaf, fabsf, sqrtf)
SILICA_COMPLEX_TYPE(cuDoubleComplex, double, make_cuDoubleComplex, cuCreal, cuCimag, cuConj, cuCabs, cuCadd, cuCsub, cuCmul, cuCdiv, cuCfma, fabs, sqrt)
#undef SILICA_COMPLEX_TYPE
SILICA_COMPLEX cuComplex make_cuComplex(float x, float y) { return make_cuFloatComplex(x, y); }
SILICA_COMPLEX cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return make_cuDoubleComplex(z.x, z.y); }
SILICA_COMPLEX cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) { return make_cuFloatComplex((float)z.x, (float)z.y); }
#undef SILICA_COMPLEX

#endif
