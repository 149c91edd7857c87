#ifndef SILICA_MATH_DOUBLE_SPECIAL_H
#define SILICA_MATH_DOUBLE_SPECIAL_H
#include "base.h"
namespace silica {
SILICA_FN double tgamma(double x){return x;} SILICA_FN double lgamma(double x){return x;}
SILICA_FN double j0(double x){return x;} SILICA_FN double j1(double x){return x;}SILICA_FN double jn(int,double x){return x;}
SILICA_FN double y0(double x){return x;} SILICA_FN double y1(double x){return x;}SILICA_FN double yn(int,double x){return x;}
SILICA_FN double cyl_bessel_i0(double x){return x;} SILICA_FN double cyl_bessel_i1(double x){return x;}
}
#endif
