/* mma.h - products of small matrices by a warp, as device code declares them. */
#ifndef GPUMEMPROF_SIM_MMA_H
#define GPUMEMPROF_SIM_MMA_H

#pragma GCC system_header

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#ifdef __CUDA__

namespace nvcuda {
namespace wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32 {};
struct u4 {};
struct s4 {};
struct b1 {};
} // namespace precision
namespace experimental {
namespace precision = ::nvcuda::wmma::precision;
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
} // namespace experimental

/* The type that an element is kept in. */
template <class T> struct element {
  typedef T type;
};
template <> struct element<precision::tf32> {
  typedef float type;
};
template <> struct element<precision::u4> {
  typedef unsigned int type;
};
template <> struct element<precision::s4> {
  typedef int type;
};
template <> struct element<precision::b1> {
  typedef unsigned int type;
};

template <class Use, int M, int N, int K, class T, class Layout = void> struct fragment {
  typedef typename element<T>::type element_type;
  typedef element_type storage_element_type;
  static const int num_elements = 16, num_storage_elements = 16;
  element_type x[num_elements];
};

template <class Fragment, class T>
__device__ void load_matrix_sync(Fragment &to, const T *from, unsigned int stride);
template <class Fragment, class T>
__device__ void load_matrix_sync(Fragment &to, const T *from, unsigned int stride, layout_t layout);
template <class T, class Fragment>
__device__ void store_matrix_sync(T *to, const Fragment &from, unsigned int stride,
                                  layout_t layout);
template <class Fragment, class T> __device__ void fill_fragment(Fragment &to, const T &value);
template <class D, class A, class B, class C>
__device__ void mma_sync(D &d, const A &a, const B &b, const C &c, bool saturate = false);
template <class D, class A, class B, class C>
__device__ void bmma_sync(D &d, const A &a, const B &b, const C &c,
                          experimental::bmmaBitOp operation = experimental::bmmaBitOpXOR,
                          experimental::bmmaAccumulateOp sum = experimental::bmmaAccumulateOpPOPC);
__device__ float __float_to_tf32(float x);

} // namespace wmma
} // namespace nvcuda

#endif /* __CUDA__ */

#endif /* GPUMEMPROF_SIM_MMA_H */
