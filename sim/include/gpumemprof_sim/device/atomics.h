/* atomics.h - atomic functions for the types that each of them has, at the scopes of a block,
 * the device and the system. Included by gpumemprof_host_only.h. */
#ifndef GPUMEMPROF_SIM_DEVICE_ATOMICS_H
#define GPUMEMPROF_SIM_DEVICE_ATOMICS_H

#pragma GCC system_header

#define GPM_SIM_ATOMIC(name, type)                                                                 \
  __device__ type name(type *address, type value);                                                 \
  __device__ type name##_block(type *address, type value);                                         \
  __device__ type name##_system(type *address, type value);
#define GPM_SIM_ATOMIC_CAS(type)                                                                   \
  __device__ type atomicCAS(type *address, type compare, type value);                              \
  __device__ type atomicCAS_block(type *address, type compare, type value);                        \
  __device__ type atomicCAS_system(type *address, type compare, type value);
#define GPM_SIM_ATOMIC_BITS(type)                                                                  \
  GPM_SIM_ATOMIC(atomicAnd, type) GPM_SIM_ATOMIC(atomicOr, type) GPM_SIM_ATOMIC(atomicXor, type)
#define GPM_SIM_ATOMIC_ORDER(type) GPM_SIM_ATOMIC(atomicMin, type) GPM_SIM_ATOMIC(atomicMax, type)

GPM_SIM_ATOMIC(atomicAdd, int)
GPM_SIM_ATOMIC(atomicAdd, unsigned int)
GPM_SIM_ATOMIC(atomicAdd, unsigned long long)
GPM_SIM_ATOMIC(atomicAdd, float)
GPM_SIM_ATOMIC(atomicAdd, double)
GPM_SIM_ATOMIC(atomicAdd, float2)
GPM_SIM_ATOMIC(atomicAdd, float4)
GPM_SIM_ATOMIC(atomicSub, int)
GPM_SIM_ATOMIC(atomicSub, unsigned int)
GPM_SIM_ATOMIC(atomicExch, int)
GPM_SIM_ATOMIC(atomicExch, unsigned int)
GPM_SIM_ATOMIC(atomicExch, unsigned long long)
GPM_SIM_ATOMIC(atomicExch, float)
GPM_SIM_ATOMIC(atomicInc, unsigned int)
GPM_SIM_ATOMIC(atomicDec, unsigned int)
GPM_SIM_ATOMIC_ORDER(int)
GPM_SIM_ATOMIC_ORDER(unsigned int)
GPM_SIM_ATOMIC_ORDER(long long)
GPM_SIM_ATOMIC_ORDER(unsigned long long)
GPM_SIM_ATOMIC_BITS(int)
GPM_SIM_ATOMIC_BITS(unsigned int)
GPM_SIM_ATOMIC_BITS(unsigned long long)
GPM_SIM_ATOMIC_CAS(unsigned short)
GPM_SIM_ATOMIC_CAS(int)
GPM_SIM_ATOMIC_CAS(unsigned int)
GPM_SIM_ATOMIC_CAS(unsigned long long)

#undef GPM_SIM_ATOMIC_ORDER
#undef GPM_SIM_ATOMIC_BITS
#undef GPM_SIM_ATOMIC_CAS

#endif /* GPUMEMPROF_SIM_DEVICE_ATOMICS_H */
