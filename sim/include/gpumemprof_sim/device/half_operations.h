/* half_operations.h - what can be done with numbers of 16 bits, once for __half and once for
 * __nv_bfloat16: cuda_fp16.h and cuda_bf16.h define GPM_SIM_NUMBER and GPM_SIM_PAIR, and include
 * it.
 *
 * Arithmetic is that of float, rounded once; so it works on the host too. */
#pragma GCC system_header

#define GPM_SIM_BOTH static inline __host__ __device__

#define GPM_SIM_BINARY(symbol, name)                                                               \
  GPM_SIM_BOTH GPM_SIM_NUMBER operator symbol(const GPM_SIM_NUMBER &a, const GPM_SIM_NUMBER &b) {  \
    return GPM_SIM_NUMBER((float)a symbol(float) b);                                               \
  }                                                                                                \
  GPM_SIM_BOTH GPM_SIM_NUMBER &operator symbol## = (GPM_SIM_NUMBER & a, const GPM_SIM_NUMBER &b) { \
    return a = GPM_SIM_NUMBER((float)a symbol(float) b);                                           \
  }                                                                                                \
  GPM_SIM_BOTH GPM_SIM_PAIR operator symbol(const GPM_SIM_PAIR &a, const GPM_SIM_PAIR &b) {        \
    return GPM_SIM_PAIR(a.x symbol b.x, a.y symbol b.y);                                           \
  }                                                                                                \
  GPM_SIM_BOTH GPM_SIM_PAIR &operator symbol## = (GPM_SIM_PAIR & a, const GPM_SIM_PAIR &b) {       \
    return a = a symbol b;                                                                         \
  }                                                                                                \
  GPM_SIM_BOTH GPM_SIM_NUMBER __h##name(GPM_SIM_NUMBER a, GPM_SIM_NUMBER b) {                      \
    return a symbol b;                                                                             \
  }                                                                                                \
  GPM_SIM_BOTH GPM_SIM_NUMBER __h##name##_rn(GPM_SIM_NUMBER a, GPM_SIM_NUMBER b) {                 \
    return a symbol b;                                                                             \
  }                                                                                                \
  GPM_SIM_BOTH GPM_SIM_PAIR __h##name##2(GPM_SIM_PAIR a, GPM_SIM_PAIR b) {                         \
    return a symbol b;                                                                             \
  }                                                                                                \
  GPM_SIM_BOTH GPM_SIM_PAIR __h##name##2_rn(GPM_SIM_PAIR a, GPM_SIM_PAIR b) {                      \
    return a symbol b;                                                                             \
  }                                                                                                \
  __device__ GPM_SIM_NUMBER __h##name##_sat(GPM_SIM_NUMBER a, GPM_SIM_NUMBER b);                   \
  __device__ GPM_SIM_PAIR __h##name##2_sat(GPM_SIM_PAIR a, GPM_SIM_PAIR b);
GPM_SIM_BINARY(+, add)
GPM_SIM_BINARY(-, sub)
GPM_SIM_BINARY(*, mul)
GPM_SIM_BINARY(/, div)
#undef GPM_SIM_BINARY
GPM_SIM_BOTH GPM_SIM_PAIR __h2div(GPM_SIM_PAIR a, GPM_SIM_PAIR b) {
  return a / b;
}

GPM_SIM_BOTH GPM_SIM_NUMBER operator+(const GPM_SIM_NUMBER &a) {
  return a;
}
GPM_SIM_BOTH GPM_SIM_NUMBER operator-(const GPM_SIM_NUMBER &a) {
  return GPM_SIM_NUMBER(-(float)a);
}
GPM_SIM_BOTH GPM_SIM_PAIR operator-(const GPM_SIM_PAIR &a) {
  return GPM_SIM_PAIR(-a.x, -a.y);
}
GPM_SIM_BOTH GPM_SIM_NUMBER &operator++(GPM_SIM_NUMBER &a) {
  return a += GPM_SIM_NUMBER(1.0f);
}
GPM_SIM_BOTH GPM_SIM_NUMBER &operator--(GPM_SIM_NUMBER &a) {
  return a -= GPM_SIM_NUMBER(1.0f);
}

/* Comparisons: `_u` is also true if they are unordered; the masks have 16 bits for each number. */
#define GPM_SIM_COMPARISON(symbol, name)                                                           \
  GPM_SIM_BOTH bool operator symbol(const GPM_SIM_NUMBER &a, const GPM_SIM_NUMBER &b) {            \
    return (float)a symbol(float) b;                                                               \
  }                                                                                                \
  GPM_SIM_BOTH bool operator symbol(const GPM_SIM_PAIR &a, const GPM_SIM_PAIR &b) {                \
    return a.x symbol b.x && a.y symbol b.y;                                                       \
  }                                                                                                \
  GPM_SIM_BOTH bool __h##name(GPM_SIM_NUMBER a, GPM_SIM_NUMBER b) {                                \
    return a symbol b;                                                                             \
  }                                                                                                \
  __device__ bool __h##name##u(GPM_SIM_NUMBER a, GPM_SIM_NUMBER b);                                \
  __device__ GPM_SIM_PAIR __h##name##2(GPM_SIM_PAIR a, GPM_SIM_PAIR b);                            \
  __device__ GPM_SIM_PAIR __h##name##u2(GPM_SIM_PAIR a, GPM_SIM_PAIR b);                           \
  __device__ bool __hb##name##2(GPM_SIM_PAIR a, GPM_SIM_PAIR b);                                   \
  __device__ bool __hb##name##u2(GPM_SIM_PAIR a, GPM_SIM_PAIR b);                                  \
  __device__ unsigned int __h##name##2_mask(GPM_SIM_PAIR a, GPM_SIM_PAIR b);                       \
  __device__ unsigned int __h##name##u2_mask(GPM_SIM_PAIR a, GPM_SIM_PAIR b);
GPM_SIM_COMPARISON(==, eq)
GPM_SIM_COMPARISON(!=, ne)
GPM_SIM_COMPARISON(<, lt)
GPM_SIM_COMPARISON(<=, le)
GPM_SIM_COMPARISON(>, gt)
GPM_SIM_COMPARISON(>=, ge)
#undef GPM_SIM_COMPARISON

GPM_SIM_BOTH bool __hisnan(GPM_SIM_NUMBER a) {
  return (float)a != (float)a;
}
__device__ int __hisinf(GPM_SIM_NUMBER a);
__device__ GPM_SIM_PAIR __hisnan2(GPM_SIM_PAIR a);
GPM_SIM_BOTH GPM_SIM_NUMBER __hneg(GPM_SIM_NUMBER a) {
  return -a;
}
GPM_SIM_BOTH GPM_SIM_PAIR __hneg2(GPM_SIM_PAIR a) {
  return -a;
}
GPM_SIM_BOTH GPM_SIM_NUMBER __habs(GPM_SIM_NUMBER a) {
  return (float)a < 0 ? -a : a;
}
GPM_SIM_BOTH GPM_SIM_PAIR __habs2(GPM_SIM_PAIR a) {
  return GPM_SIM_PAIR(__habs(a.x), __habs(a.y));
}
GPM_SIM_BOTH GPM_SIM_NUMBER __hmin(GPM_SIM_NUMBER a, GPM_SIM_NUMBER b) {
  return b < a ? b : a;
}
GPM_SIM_BOTH GPM_SIM_NUMBER __hmax(GPM_SIM_NUMBER a, GPM_SIM_NUMBER b) {
  return a < b ? b : a;
}
GPM_SIM_BOTH GPM_SIM_PAIR __hmin2(GPM_SIM_PAIR a, GPM_SIM_PAIR b) {
  return GPM_SIM_PAIR(__hmin(a.x, b.x), __hmin(a.y, b.y));
}
GPM_SIM_BOTH GPM_SIM_PAIR __hmax2(GPM_SIM_PAIR a, GPM_SIM_PAIR b) {
  return GPM_SIM_PAIR(__hmax(a.x, b.x), __hmax(a.y, b.y));
}
__device__ GPM_SIM_NUMBER __hmin_nan(GPM_SIM_NUMBER a, GPM_SIM_NUMBER b);
__device__ GPM_SIM_NUMBER __hmax_nan(GPM_SIM_NUMBER a, GPM_SIM_NUMBER b);
__device__ GPM_SIM_PAIR __hmin2_nan(GPM_SIM_PAIR a, GPM_SIM_PAIR b);
__device__ GPM_SIM_PAIR __hmax2_nan(GPM_SIM_PAIR a, GPM_SIM_PAIR b);
GPM_SIM_BOTH GPM_SIM_NUMBER __hfma(GPM_SIM_NUMBER a, GPM_SIM_NUMBER b, GPM_SIM_NUMBER c) {
  return GPM_SIM_NUMBER(__builtin_fmaf((float)a, (float)b, (float)c));
}
GPM_SIM_BOTH GPM_SIM_PAIR __hfma2(GPM_SIM_PAIR a, GPM_SIM_PAIR b, GPM_SIM_PAIR c) {
  return GPM_SIM_PAIR(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
__device__ GPM_SIM_NUMBER __hfma_sat(GPM_SIM_NUMBER a, GPM_SIM_NUMBER b, GPM_SIM_NUMBER c);
__device__ GPM_SIM_NUMBER __hfma_relu(GPM_SIM_NUMBER a, GPM_SIM_NUMBER b, GPM_SIM_NUMBER c);
__device__ GPM_SIM_PAIR __hfma2_sat(GPM_SIM_PAIR a, GPM_SIM_PAIR b, GPM_SIM_PAIR c);
__device__ GPM_SIM_PAIR __hfma2_relu(GPM_SIM_PAIR a, GPM_SIM_PAIR b, GPM_SIM_PAIR c);
__device__ GPM_SIM_PAIR __hcmadd(GPM_SIM_PAIR a, GPM_SIM_PAIR b, GPM_SIM_PAIR c);

#define GPM_SIM_FUNCTION(name)                                                                     \
  __device__ GPM_SIM_NUMBER h##name(GPM_SIM_NUMBER a);                                             \
  __device__ GPM_SIM_PAIR h2##name(GPM_SIM_PAIR a);
GPM_SIM_FUNCTION(ceil)
GPM_SIM_FUNCTION(cos)
GPM_SIM_FUNCTION(exp)
GPM_SIM_FUNCTION(exp10)
GPM_SIM_FUNCTION(exp2)
GPM_SIM_FUNCTION(floor)
GPM_SIM_FUNCTION(log)
GPM_SIM_FUNCTION(log10)
GPM_SIM_FUNCTION(log2)
GPM_SIM_FUNCTION(rcp)
GPM_SIM_FUNCTION(rint)
GPM_SIM_FUNCTION(rsqrt)
GPM_SIM_FUNCTION(sin)
GPM_SIM_FUNCTION(sqrt)
GPM_SIM_FUNCTION(tanh)
GPM_SIM_FUNCTION(tanh_approx)
GPM_SIM_FUNCTION(trunc)
#undef GPM_SIM_FUNCTION

#ifdef __CUDA__ /* what belongs to the device */
GPM_SIM_SHUFFLES(GPM_SIM_NUMBER)
GPM_SIM_SHUFFLES(GPM_SIM_PAIR)
GPM_SIM_ATOMIC(atomicAdd, GPM_SIM_NUMBER)
GPM_SIM_ATOMIC(atomicAdd, GPM_SIM_PAIR)
#endif

#undef GPM_SIM_BOTH
