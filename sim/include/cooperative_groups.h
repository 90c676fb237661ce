/* cooperative_groups.h - groups of threads as device code declares and synchronises them. Members
 * that are device functions are declared; host code calls none of them. */
#ifndef GPUMEMPROF_SIM_COOPERATIVE_GROUPS_H
#define GPUMEMPROF_SIM_COOPERATIVE_GROUPS_H

#pragma GCC system_header

#include "cuda_runtime.h"

#ifdef __CUDA__

#include "gpumemprof_host_only.h"

namespace cooperative_groups {

class thread_group {
public:
  __device__ void sync() const;
  __device__ unsigned long long size() const;
  __device__ unsigned long long num_threads() const;
  __device__ unsigned long long thread_rank() const;
  __device__ bool is_valid() const;
};

/* What groups of at most 32 threads can do. */
class warp_group : public thread_group {
public:
  __device__ unsigned int meta_group_size() const;
  __device__ unsigned int meta_group_rank() const;
  template <class T> __device__ T shfl(T value, int rank) const;
  template <class T> __device__ T shfl_up(T value, unsigned int delta) const;
  template <class T> __device__ T shfl_down(T value, unsigned int delta) const;
  template <class T> __device__ T shfl_xor(T value, unsigned int mask) const;
  __device__ int any(int predicate) const;
  __device__ int all(int predicate) const;
  __device__ unsigned int ballot(int predicate) const;
  template <class T> __device__ unsigned int match_any(T value) const;
  template <class T> __device__ unsigned int match_all(T value, int &predicate) const;
};

class coalesced_group : public warp_group {};

class thread_block : public thread_group {
public:
  class arrival_token {};
  __device__ arrival_token barrier_arrive() const;
  __device__ void barrier_wait(arrival_token &&token) const;
  static __device__ void sync();
  static __device__ unsigned int size();
  static __device__ unsigned int num_threads();
  static __device__ unsigned int thread_rank();
  static __device__ dim3 group_index();
  static __device__ dim3 thread_index();
  static __device__ dim3 group_dim();
  static __device__ dim3 dim_threads();
};

class grid_group : public thread_group {
public:
  class arrival_token {};
  __device__ arrival_token barrier_arrive() const;
  __device__ void barrier_wait(arrival_token &&token) const;
  static __device__ dim3 group_dim();
  static __device__ dim3 dim_blocks();
  static __device__ dim3 block_index();
  static __device__ dim3 dim_clusters();
  static __device__ dim3 cluster_index();
  static __device__ unsigned long long num_blocks();
  static __device__ unsigned long long block_rank();
  static __device__ unsigned long long num_clusters();
  static __device__ unsigned long long cluster_rank();
};

class cluster_group : public thread_group {
public:
  class arrival_token {};
  static __device__ void sync();
  static __device__ arrival_token barrier_arrive();
  static __device__ void barrier_wait(arrival_token &&token);
  static __device__ void barrier_wait();
  static __device__ unsigned int query_shared_rank(const void *address);
  template <class T> static __device__ T *map_shared_rank(T *address, int rank);
  static __device__ dim3 block_index();
  static __device__ unsigned int block_rank();
  static __device__ dim3 thread_index();
  static __device__ unsigned int thread_rank();
  static __device__ dim3 dim_blocks();
  static __device__ unsigned int num_blocks();
  static __device__ dim3 dim_threads();
  static __device__ unsigned int num_threads();
};

template <unsigned int Size, class Parent = void> class thread_block_tile : public warp_group {
public:
  thread_block_tile() = default;
  template <class Other> __device__ thread_block_tile(const thread_block_tile<Size, Other> &other);
  static __device__ unsigned int size();
  static __device__ unsigned int num_threads();
};

template <unsigned int Size> struct block_tile_memory {
  char memory[Size];
};

__device__ thread_block this_thread_block();
template <unsigned int Size>
__device__ thread_block this_thread_block(block_tile_memory<Size> &memory);
__device__ grid_group this_grid();
__device__ cluster_group this_cluster();
__device__ coalesced_group coalesced_threads();

__device__ thread_group tiled_partition(const thread_group &parent, unsigned int size);
__device__ coalesced_group tiled_partition(const coalesced_group &parent, unsigned int size);
template <unsigned int Size, class Parent>
__device__ thread_block_tile<Size, Parent> tiled_partition(const Parent &parent);
template <class Group>
__device__ coalesced_group binary_partition(const Group &parent, bool predicate);
template <class Label>
__device__ coalesced_group labeled_partition(const coalesced_group &parent, Label label);
template <unsigned int Size, class Parent, class Label>
__device__ coalesced_group labeled_partition(const thread_block_tile<Size, Parent> &parent,
                                             Label label);

template <class Group> __device__ void sync(const Group &group);
template <class Group> __device__ unsigned long long group_size(const Group &group);
template <class Group> __device__ unsigned long long thread_rank(const Group &group);
template <class Group, class Function> __device__ void invoke_one(const Group &group, Function &&f);
template <class Group, class Function>
__device__ auto invoke_one_broadcast(const Group &group, Function &&f) -> decltype(f());

template <class T> struct plus {
  __host__ __device__ T operator()(T a, T b) const { return a + b; }
};
template <class T> struct less {
  __host__ __device__ T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T> struct greater {
  __host__ __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T> struct bit_and {
  __host__ __device__ T operator()(T a, T b) const { return a & b; }
};
template <class T> struct bit_or {
  __host__ __device__ T operator()(T a, T b) const { return a | b; }
};
template <class T> struct bit_xor {
  __host__ __device__ T operator()(T a, T b) const { return a ^ b; }
};

template <class Group, class T, class Operation>
__device__ T reduce(const Group &group, T value, Operation &&operation);
template <class Group, class T, class Operation>
__device__ T inclusive_scan(const Group &group, T value, Operation &&operation);
template <class Group, class T> __device__ T inclusive_scan(const Group &group, T value);
template <class Group, class T, class Operation>
__device__ T exclusive_scan(const Group &group, T value, Operation &&operation);
template <class Group, class T> __device__ T exclusive_scan(const Group &group, T value);

template <class Group, class To, class From, class Size>
__device__ void memcpy_async(const Group &group, To *to, const From *from, const Size &size);
template <class Group, class To, class From, class ToLayout, class FromLayout>
__device__ void memcpy_async(const Group &group, To *to, const ToLayout &to_layout,
                             const From *from, const FromLayout &from_layout);
template <class Group> __device__ void wait(const Group &group);
template <unsigned int Stages, class Group> __device__ void wait_prior(const Group &group);

} // namespace cooperative_groups

#endif /* __CUDA__ */

#endif /* GPUMEMPROF_SIM_COOPERATIVE_GROUPS_H */
