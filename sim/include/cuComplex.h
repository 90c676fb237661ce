/* cuComplex.h - complex numbers of float and double as CUDA's libraries take them. */
#ifndef GPUMEMPROF_SIM_CU_COMPLEX_H
#define GPUMEMPROF_SIM_CU_COMPLEX_H
#define CU_COMPLEX_H_ /* programs ask whether it is included by the toolkit's name */

#pragma GCC system_header

#include "vector_functions.h"

#include <math.h>

/* GPM_SIM_COMPLEX(type, type of its parts, ending of the names, hypot of the parts) */
#define GPM_SIM_BOTH static inline __host__ __device__
#define GPM_SIM_COMPLEX(type, part, ending, hypot)                                                 \
  GPM_SIM_BOTH part cuCreal##ending(type a) {                                                      \
    return a.x;                                                                                    \
  }                                                                                                \
  GPM_SIM_BOTH part cuCimag##ending(type a) {                                                      \
    return a.y;                                                                                    \
  }                                                                                                \
  GPM_SIM_BOTH type make_##type(part x, part y) {                                                  \
    type a = {x, y};                                                                               \
    return a;                                                                                      \
  }                                                                                                \
  GPM_SIM_BOTH type cuConj##ending(type a) {                                                       \
    return make_##type(a.x, -a.y);                                                                 \
  }                                                                                                \
  GPM_SIM_BOTH type cuCadd##ending(type a, type b) {                                               \
    return make_##type(a.x + b.x, a.y + b.y);                                                      \
  }                                                                                                \
  GPM_SIM_BOTH type cuCsub##ending(type a, type b) {                                               \
    return make_##type(a.x - b.x, a.y - b.y);                                                      \
  }                                                                                                \
  GPM_SIM_BOTH type cuCmul##ending(type a, type b) {                                               \
    return make_##type(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                              \
  }                                                                                                \
  GPM_SIM_BOTH type cuCdiv##ending(type a, type b) {                                               \
    part square = b.x * b.x + b.y * b.y;                                                           \
    return make_##type((a.x * b.x + a.y * b.y) / square, (a.y * b.x - a.x * b.y) / square);        \
  }                                                                                                \
  GPM_SIM_BOTH type cuCfma##ending(type a, type b, type c) {                                       \
    return cuCadd##ending(cuCmul##ending(a, b), c);                                                \
  }                                                                                                \
  GPM_SIM_BOTH part cuCabs##ending(type a) {                                                       \
    return hypot(a.x, a.y);                                                                        \
  }

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;
GPM_SIM_COMPLEX(cuFloatComplex, float, f, hypotf)
GPM_SIM_COMPLEX(cuDoubleComplex, double, , hypot)
#undef GPM_SIM_COMPLEX
GPM_SIM_BOTH cuComplex make_cuComplex(float x, float y) {
  return make_cuFloatComplex(x, y);
}
GPM_SIM_BOTH cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) {
  return make_cuFloatComplex((float)a.x, (float)a.y);
}
GPM_SIM_BOTH cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) {
  return make_cuDoubleComplex(a.x, a.y);
}
#undef GPM_SIM_BOTH

#endif /* GPUMEMPROF_SIM_CU_COMPLEX_H */
