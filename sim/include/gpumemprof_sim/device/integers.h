/* integers.h - intrinsics of integers: bits, products of 24 and 64 bits, and words that hold two
 * or four numbers. Included by gpumemprof_host_only.h. */
#ifndef GPUMEMPROF_SIM_DEVICE_INTEGERS_H
#define GPUMEMPROF_SIM_DEVICE_INTEGERS_H

#pragma GCC system_header

__device__ int __clz(int x);
__device__ int __clzll(long long x);
__device__ int __ffs(int x);
__device__ int __ffsll(long long x);
__device__ int __popc(unsigned int x);
__device__ int __popcll(unsigned long long x);
__device__ unsigned int __brev(unsigned int x);
__device__ unsigned long long __brevll(unsigned long long x);
__device__ unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector);
__device__ unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int shift);
__device__ unsigned int __funnelshift_lc(unsigned int low, unsigned int high, unsigned int shift);
__device__ unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift);
__device__ unsigned int __funnelshift_rc(unsigned int low, unsigned int high, unsigned int shift);

__device__ int __mul24(int x, int y);
__device__ unsigned int __umul24(unsigned int x, unsigned int y);
__device__ int __mulhi(int x, int y);
__device__ unsigned int __umulhi(unsigned int x, unsigned int y);
__device__ long long __mul64hi(long long x, long long y);
__device__ unsigned long long __umul64hi(unsigned long long x, unsigned long long y);
__device__ int __hadd(int x, int y);
__device__ int __rhadd(int x, int y);
__device__ unsigned int __uhadd(unsigned int x, unsigned int y);
__device__ unsigned int __urhadd(unsigned int x, unsigned int y);
__device__ unsigned int __sad(int x, int y, unsigned int z);
__device__ unsigned int __usad(unsigned int x, unsigned int y, unsigned int z);
__device__ int __dp2a_hi(int a, int b, int c);
__device__ unsigned int __dp2a_hi(unsigned int a, unsigned int b, unsigned int c);
__device__ int __dp2a_lo(int a, int b, int c);
__device__ unsigned int __dp2a_lo(unsigned int a, unsigned int b, unsigned int c);
__device__ int __dp4a(int a, int b, int c);
__device__ unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c);
__device__ int __dp4a(char4 a, char4 b, int c);
__device__ unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c);

/* A word holds two numbers of 16 bits (name##2) or four of 8 bits (name##4). */
#define GPM_SIM_WORDS_1(name)                                                                      \
  __device__ unsigned int name##2(unsigned int a);                                                 \
  __device__ unsigned int name##4(unsigned int a);
#define GPM_SIM_WORDS_2(name)                                                                      \
  __device__ unsigned int name##2(unsigned int a, unsigned int b);                                 \
  __device__ unsigned int name##4(unsigned int a, unsigned int b);
#define GPM_SIM_COMPARISON(name)                                                                   \
  GPM_SIM_WORDS_2(__vcmp##name)                                                                    \
  GPM_SIM_WORDS_2(__vset##name)
GPM_SIM_WORDS_1(__vabs)
GPM_SIM_WORDS_1(__vabsss)
GPM_SIM_WORDS_1(__vneg)
GPM_SIM_WORDS_1(__vnegss)
GPM_SIM_WORDS_2(__vabsdiffs)
GPM_SIM_WORDS_2(__vabsdiffu)
GPM_SIM_WORDS_2(__vadd)
GPM_SIM_WORDS_2(__vaddss)
GPM_SIM_WORDS_2(__vaddus)
GPM_SIM_WORDS_2(__vavgs)
GPM_SIM_WORDS_2(__vavgu)
GPM_SIM_WORDS_2(__vhaddu)
GPM_SIM_WORDS_2(__vmaxs)
GPM_SIM_WORDS_2(__vmaxu)
GPM_SIM_WORDS_2(__vmins)
GPM_SIM_WORDS_2(__vminu)
GPM_SIM_WORDS_2(__vsads)
GPM_SIM_WORDS_2(__vsadu)
GPM_SIM_WORDS_2(__vsub)
GPM_SIM_WORDS_2(__vsubss)
GPM_SIM_WORDS_2(__vsubus)
GPM_SIM_COMPARISON(eq)
GPM_SIM_COMPARISON(ne)
GPM_SIM_COMPARISON(ges)
GPM_SIM_COMPARISON(geu)
GPM_SIM_COMPARISON(gts)
GPM_SIM_COMPARISON(gtu)
GPM_SIM_COMPARISON(les)
GPM_SIM_COMPARISON(leu)
GPM_SIM_COMPARISON(lts)
GPM_SIM_COMPARISON(ltu)
#undef GPM_SIM_COMPARISON
#undef GPM_SIM_WORDS_2
#undef GPM_SIM_WORDS_1

/* The larger or smaller of several numbers, also after an addition; `_relu`: or zero. */
#define GPM_SIM_EXTREMES(minimum_or_maximum)                                                       \
  __device__ int __vi##minimum_or_maximum##_s32_relu(int a, int b);                                \
  __device__ unsigned int __vi##minimum_or_maximum##_s16x2_relu(unsigned int a, unsigned int b);   \
  GPM_SIM_EXTREMES_OF_3(__vi##minimum_or_maximum##3)                                               \
  GPM_SIM_EXTREMES_OF_3(__viadd##minimum_or_maximum)
#define GPM_SIM_EXTREMES_OF_3(name)                                                                \
  __device__ int name##_s32(int a, int b, int c);                                                  \
  __device__ int name##_s32_relu(int a, int b, int c);                                             \
  __device__ unsigned int name##_u32(unsigned int a, unsigned int b, unsigned int c);              \
  __device__ unsigned int name##_s16x2(unsigned int a, unsigned int b, unsigned int c);            \
  __device__ unsigned int name##_s16x2_relu(unsigned int a, unsigned int b, unsigned int c);       \
  __device__ unsigned int name##_u16x2(unsigned int a, unsigned int b, unsigned int c);
GPM_SIM_EXTREMES(min)
GPM_SIM_EXTREMES(max)
#undef GPM_SIM_EXTREMES_OF_3
#undef GPM_SIM_EXTREMES

/* These also say which of the two it was. */
#define GPM_SIM_EXTREMES(name)                                                                     \
  __device__ int name##_s32(int a, int b, bool *first);                                            \
  __device__ unsigned int name##_u32(unsigned int a, unsigned int b, bool *first);                 \
  __device__ unsigned int name##_s16x2(unsigned int a, unsigned int b, bool *first_high,           \
                                       bool *first_low);                                           \
  __device__ unsigned int name##_u16x2(unsigned int a, unsigned int b, bool *first_high,           \
                                       bool *first_low);
GPM_SIM_EXTREMES(__vibmin)
GPM_SIM_EXTREMES(__vibmax)
#undef GPM_SIM_EXTREMES

#endif /* GPUMEMPROF_SIM_DEVICE_INTEGERS_H */
