/* half_conversions.h - how numbers of 16 bits are made of others and read, once for __half and once
 * for __nv_bfloat16: cuda_fp16.h and cuda_bf16.h define GPM_SIM_NUMBER, GPM_SIM_PAIR, and
 * GPM_SIM_WORD, which stands for the type in the names of functions, and include it.
 *
 * On the host, conversions round to the nearest, also those that should round otherwise. */
#pragma GCC system_header

#define GPM_SIM_BOTH static inline __host__ __device__
#define GPM_SIM_PASTE(a, b, c) a##b##c
#define GPM_SIM_JOIN(a, b, c) GPM_SIM_PASTE(a, b, c)
#define GPM_SIM_RAW GPM_SIM_JOIN(GPM_SIM_NUMBER, _raw, )

#define GPM_SIM_CONVERSIONS(name, type)                                                            \
  GPM_SIM_BOTH GPM_SIM_NUMBER GPM_SIM_JOIN(__##name##2, GPM_SIM_WORD, _rn)(type a) {               \
    return GPM_SIM_NUMBER((float)a);                                                               \
  }                                                                                                \
  GPM_SIM_BOTH GPM_SIM_NUMBER GPM_SIM_JOIN(__##name##2, GPM_SIM_WORD, _rz)(type a) {               \
    return GPM_SIM_NUMBER((float)a);                                                               \
  }                                                                                                \
  GPM_SIM_BOTH GPM_SIM_NUMBER GPM_SIM_JOIN(__##name##2, GPM_SIM_WORD, _ru)(type a) {               \
    return GPM_SIM_NUMBER((float)a);                                                               \
  }                                                                                                \
  GPM_SIM_BOTH GPM_SIM_NUMBER GPM_SIM_JOIN(__##name##2, GPM_SIM_WORD, _rd)(type a) {               \
    return GPM_SIM_NUMBER((float)a);                                                               \
  }                                                                                                \
  GPM_SIM_BOTH type GPM_SIM_JOIN(__, GPM_SIM_WORD, 2##name##_rn)(GPM_SIM_NUMBER a) {               \
    return (type)(float)a;                                                                         \
  }                                                                                                \
  GPM_SIM_BOTH type GPM_SIM_JOIN(__, GPM_SIM_WORD, 2##name##_rz)(GPM_SIM_NUMBER a) {               \
    return (type)(float)a;                                                                         \
  }                                                                                                \
  GPM_SIM_BOTH type GPM_SIM_JOIN(__, GPM_SIM_WORD, 2##name##_ru)(GPM_SIM_NUMBER a) {               \
    return (type)(float)a;                                                                         \
  }                                                                                                \
  GPM_SIM_BOTH type GPM_SIM_JOIN(__, GPM_SIM_WORD, 2##name##_rd)(GPM_SIM_NUMBER a) {               \
    return (type)(float)a;                                                                         \
  }
GPM_SIM_CONVERSIONS(float, float)
GPM_SIM_CONVERSIONS(double, double)
GPM_SIM_CONVERSIONS(int, int)
GPM_SIM_CONVERSIONS(uint, unsigned int)
GPM_SIM_CONVERSIONS(short, short)
GPM_SIM_CONVERSIONS(ushort, unsigned short)
GPM_SIM_CONVERSIONS(ll, long long)
GPM_SIM_CONVERSIONS(ull, unsigned long long)
#undef GPM_SIM_CONVERSIONS
GPM_SIM_BOTH float GPM_SIM_JOIN(__, GPM_SIM_WORD, 2float)(GPM_SIM_NUMBER a) {
  return a;
}
__device__ signed char GPM_SIM_JOIN(__, GPM_SIM_WORD, 2char_rz)(GPM_SIM_NUMBER a);
__device__ unsigned char GPM_SIM_JOIN(__, GPM_SIM_WORD, 2uchar_rz)(GPM_SIM_NUMBER a);
GPM_SIM_BOTH GPM_SIM_NUMBER GPM_SIM_JOIN(__float2, GPM_SIM_WORD, )(float a) {
  return GPM_SIM_NUMBER(a);
}
GPM_SIM_BOTH GPM_SIM_NUMBER GPM_SIM_JOIN(__double2, GPM_SIM_WORD, )(double a) {
  return GPM_SIM_NUMBER(a);
}

GPM_SIM_BOTH GPM_SIM_PAIR GPM_SIM_JOIN(make_, GPM_SIM_WORD, 2)(GPM_SIM_NUMBER x, GPM_SIM_NUMBER y) {
  return GPM_SIM_PAIR(x, y);
}
GPM_SIM_BOTH GPM_SIM_PAIR GPM_SIM_JOIN(__, GPM_SIM_WORD,
                                       GPM_SIM_JOIN(2, GPM_SIM_WORD, 2))(GPM_SIM_NUMBER a) {
  return GPM_SIM_PAIR(a, a);
}
GPM_SIM_BOTH GPM_SIM_PAIR GPM_SIM_JOIN(__halves2, GPM_SIM_WORD, 2)(GPM_SIM_NUMBER a,
                                                                   GPM_SIM_NUMBER b) {
  return GPM_SIM_PAIR(a, b);
}
GPM_SIM_BOTH GPM_SIM_PAIR GPM_SIM_JOIN(__float2, GPM_SIM_WORD, 2_rn)(float a) {
  return GPM_SIM_PAIR(a, a);
}
GPM_SIM_BOTH GPM_SIM_PAIR GPM_SIM_JOIN(__floats2, GPM_SIM_WORD, 2_rn)(float a, float b) {
  return GPM_SIM_PAIR(a, b);
}
GPM_SIM_BOTH GPM_SIM_PAIR GPM_SIM_JOIN(__float22, GPM_SIM_WORD, 2_rn)(float2 a) {
  return GPM_SIM_PAIR(a.x, a.y);
}
GPM_SIM_BOTH float2 GPM_SIM_JOIN(__, GPM_SIM_WORD, 22float2)(GPM_SIM_PAIR a) {
  return make_float2(a.x, a.y);
}
GPM_SIM_BOTH GPM_SIM_NUMBER GPM_SIM_JOIN(__low2, GPM_SIM_WORD, )(GPM_SIM_PAIR a) {
  return a.x;
}
GPM_SIM_BOTH GPM_SIM_NUMBER GPM_SIM_JOIN(__high2, GPM_SIM_WORD, )(GPM_SIM_PAIR a) {
  return a.y;
}
GPM_SIM_BOTH float __low2float(GPM_SIM_PAIR a) {
  return a.x;
}
GPM_SIM_BOTH float __high2float(GPM_SIM_PAIR a) {
  return a.y;
}
GPM_SIM_BOTH GPM_SIM_PAIR GPM_SIM_JOIN(__low2, GPM_SIM_WORD, 2)(GPM_SIM_PAIR a) {
  return GPM_SIM_PAIR(a.x, a.x);
}
GPM_SIM_BOTH GPM_SIM_PAIR GPM_SIM_JOIN(__high2, GPM_SIM_WORD, 2)(GPM_SIM_PAIR a) {
  return GPM_SIM_PAIR(a.y, a.y);
}
GPM_SIM_BOTH GPM_SIM_PAIR GPM_SIM_JOIN(__lows2, GPM_SIM_WORD, 2)(GPM_SIM_PAIR a, GPM_SIM_PAIR b) {
  return GPM_SIM_PAIR(a.x, b.x);
}
GPM_SIM_BOTH GPM_SIM_PAIR GPM_SIM_JOIN(__highs2, GPM_SIM_WORD, 2)(GPM_SIM_PAIR a, GPM_SIM_PAIR b) {
  return GPM_SIM_PAIR(a.y, b.y);
}
GPM_SIM_BOTH GPM_SIM_PAIR __lowhigh2highlow(GPM_SIM_PAIR a) {
  return GPM_SIM_PAIR(a.y, a.x);
}
GPM_SIM_BOTH short GPM_SIM_JOIN(__, GPM_SIM_WORD, _as_short)(GPM_SIM_NUMBER a) {
  return static_cast<short>(static_cast<GPM_SIM_RAW>(a).x);
}
GPM_SIM_BOTH unsigned short GPM_SIM_JOIN(__, GPM_SIM_WORD, _as_ushort)(GPM_SIM_NUMBER a) {
  return static_cast<GPM_SIM_RAW>(a).x;
}
GPM_SIM_BOTH GPM_SIM_NUMBER GPM_SIM_JOIN(__short_as_, GPM_SIM_WORD, )(short a) {
  return GPM_SIM_RAW{static_cast<unsigned short>(a)};
}
GPM_SIM_BOTH GPM_SIM_NUMBER GPM_SIM_JOIN(__ushort_as_, GPM_SIM_WORD, )(unsigned short a) {
  return GPM_SIM_RAW{a};
}

#undef GPM_SIM_BOTH
#undef GPM_SIM_PASTE
#undef GPM_SIM_JOIN
#undef GPM_SIM_RAW
