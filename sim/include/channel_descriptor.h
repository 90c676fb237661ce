/* channel_descriptor.h - cudaCreateChannelDesc<T>() for the types arrays are made of. */
#ifndef GPUMEMPROF_SIM_CHANNEL_DESCRIPTOR_H
#define GPUMEMPROF_SIM_CHANNEL_DESCRIPTOR_H

/* System headers: their small functions are the calling line, as those of the toolkit. */
#pragma GCC system_header

#include "cuda_runtime_api.h"

#ifdef __cplusplus

template <class T> inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}

#define GPM_SIM_CHANNELS(type, bits, kind)                                                         \
  template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<type##1>() {                      \
    return cudaCreateChannelDesc(bits, 0, 0, 0, kind);                                             \
  }                                                                                                \
  template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<type##2>() {                      \
    return cudaCreateChannelDesc(bits, bits, 0, 0, kind);                                          \
  }                                                                                                \
  template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<type##4>() {                      \
    return cudaCreateChannelDesc(bits, bits, bits, bits, kind);                                    \
  }
#define GPM_SIM_CHANNEL(type, bits, kind)                                                          \
  template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<type>() {                         \
    return cudaCreateChannelDesc(bits, 0, 0, 0, kind);                                             \
  }

GPM_SIM_CHANNELS(char, 8, cudaChannelFormatKindSigned)
GPM_SIM_CHANNELS(uchar, 8, cudaChannelFormatKindUnsigned)
GPM_SIM_CHANNELS(short, 16, cudaChannelFormatKindSigned)
GPM_SIM_CHANNELS(ushort, 16, cudaChannelFormatKindUnsigned)
GPM_SIM_CHANNELS(int, 32, cudaChannelFormatKindSigned)
GPM_SIM_CHANNELS(uint, 32, cudaChannelFormatKindUnsigned)
GPM_SIM_CHANNELS(float, 32, cudaChannelFormatKindFloat)
GPM_SIM_CHANNEL(char, 8, cudaChannelFormatKindSigned)
GPM_SIM_CHANNEL(signed char, 8, cudaChannelFormatKindSigned)
GPM_SIM_CHANNEL(unsigned char, 8, cudaChannelFormatKindUnsigned)
GPM_SIM_CHANNEL(short, 16, cudaChannelFormatKindSigned)
GPM_SIM_CHANNEL(unsigned short, 16, cudaChannelFormatKindUnsigned)
GPM_SIM_CHANNEL(int, 32, cudaChannelFormatKindSigned)
GPM_SIM_CHANNEL(unsigned int, 32, cudaChannelFormatKindUnsigned)
GPM_SIM_CHANNEL(float, 32, cudaChannelFormatKindFloat)

#undef GPM_SIM_CHANNELS
#undef GPM_SIM_CHANNEL

#endif /* __cplusplus */

#endif /* GPUMEMPROF_SIM_CHANNEL_DESCRIPTOR_H */
