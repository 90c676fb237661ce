/* textures.h - what device code reads from texture objects, and reads from and writes to surface
 * objects. Included by gpumemprof_host_only.h. */
#ifndef GPUMEMPROF_SIM_DEVICE_TEXTURES_H
#define GPUMEMPROF_SIM_DEVICE_TEXTURES_H

#pragma GCC system_header

/* Each fetch returns a value, or writes it to where its first argument points. */
#define GPM_SIM_FETCH(name, ...)                                                                   \
  template <class T> __device__ T name(cudaTextureObject_t texture, __VA_ARGS__);                  \
  template <class T> __device__ void name(T *value, cudaTextureObject_t texture, __VA_ARGS__);
GPM_SIM_FETCH(tex1Dfetch, int x)
GPM_SIM_FETCH(tex1D, float x)
GPM_SIM_FETCH(tex1DLod, float x, float level)
GPM_SIM_FETCH(tex1DGrad, float x, float dx, float dy)
GPM_SIM_FETCH(tex1DLayered, float x, int layer)
GPM_SIM_FETCH(tex1DLayeredLod, float x, int layer, float level)
GPM_SIM_FETCH(tex2D, float x, float y)
GPM_SIM_FETCH(tex2DLod, float x, float y, float level)
GPM_SIM_FETCH(tex2DGrad, float x, float y, float2 dx, float2 dy)
GPM_SIM_FETCH(tex2DLayered, float x, float y, int layer)
GPM_SIM_FETCH(tex2DLayeredLod, float x, float y, int layer, float level)
GPM_SIM_FETCH(tex3D, float x, float y, float z)
GPM_SIM_FETCH(tex3DLod, float x, float y, float z, float level)
GPM_SIM_FETCH(tex3DGrad, float x, float y, float z, float4 dx, float4 dy)
GPM_SIM_FETCH(texCubemap, float x, float y, float z)
GPM_SIM_FETCH(texCubemapLod, float x, float y, float z, float level)
GPM_SIM_FETCH(texCubemapLayered, float x, float y, float z, int layer)
GPM_SIM_FETCH(texCubemapLayeredLod, float x, float y, float z, int layer, float level)
#undef GPM_SIM_FETCH
template <class T>
__device__ T tex2Dgather(cudaTextureObject_t texture, float x, float y, int component = 0);
template <class T>
__device__ void tex2Dgather(T *value, cudaTextureObject_t texture, float x, float y,
                            int component = 0);

#define GPM_SIM_SURFACE(name, ...)                                                                 \
  template <class T>                                                                               \
  __device__ T name##read(cudaSurfaceObject_t surface, __VA_ARGS__,                                \
                          cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);                    \
  template <class T>                                                                               \
  __device__ void name##read(T *value, cudaSurfaceObject_t surface, __VA_ARGS__,                   \
                             cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);                 \
  template <class T>                                                                               \
  __device__ void name##write(T value, cudaSurfaceObject_t surface, __VA_ARGS__,                   \
                              cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
GPM_SIM_SURFACE(surf1D, int x)
GPM_SIM_SURFACE(surf1DLayered, int x, int layer)
GPM_SIM_SURFACE(surf2D, int x, int y)
GPM_SIM_SURFACE(surf2DLayered, int x, int y, int layer)
GPM_SIM_SURFACE(surf3D, int x, int y, int z)
GPM_SIM_SURFACE(surfCubemap, int x, int y, int face)
GPM_SIM_SURFACE(surfCubemapLayered, int x, int y, int layer_and_face)
#undef GPM_SIM_SURFACE

#endif /* GPUMEMPROF_SIM_DEVICE_TEXTURES_H */
