// A function that has other parameters in CUDA 12 is recorded as it is declared (cuda12.def). Its thunk
// has another name, too, because objects of both versions may be linked together.
// RUN: %clang %gmp %ir -DCUDA=12 %s | FileCheck %s --check-prefixes=BOTH,OF12
// RUN: %clang %gmp %ir -DCUDA=13 %s | FileCheck %s --check-prefixes=BOTH,OF13
typedef unsigned long size;
#if CUDA == 12
int cudaGraphAddNode(void **node, void *graph, const void *after, size count, void *params);
int cudaMemPrefetchAsync(const void *p, size n, int device, void *stream);
#define AFTER after
#define DEVICE 0
#else
struct location {
  int type, id;
};
int cudaGraphAddNode(void **node, void *graph, const void *after, const void *data, size count, void *params);
int cudaMemPrefetchAsync(const void *p, size n, struct location to, unsigned flags, void *stream);
#define AFTER after, 0
#define DEVICE (struct location){1, 0}, 0
#endif
int user(void **node, void *graph, const void *after, void *params) {
  return cudaGraphAddNode(node, graph, AFTER, 1, params) + cudaMemPrefetchAsync(graph, 1, DEVICE, 0);
}
// BOTH-LABEL: define {{.*}}i32 @user(
// OF12: call i32 @__gpumemprof_thunk.cudaGraphAddNode_12(
// OF12: call i32 @__gpumemprof_at.cudaMemPrefetchAsync_12(
// OF13: call i32 @__gpumemprof_thunk.cudaGraphAddNode(
// OF13: call i32 @__gpumemprof_at.cudaMemPrefetchAsync(
// OF12-DAG: call i32 @cudaGraphAddNode(ptr {{[^,]*}}, ptr {{[^,]*}}, ptr {{[^,]*}}, i64 {{[^,]*}}, ptr {{[^,]*}})
// OF12-DAG: call {{.*}}void @__gpumemprof_post_cudaGraphAddNode_12(
// OF12-DAG: call i32 @__gpumemprof_use_cudaMemPrefetchAsync_12(
// OF13-DAG: call {{.*}}void @__gpumemprof_post_cudaGraphAddNode(
// OF13-DAG: call i32 @__gpumemprof_use_cudaMemPrefetchAsync(
// BOTH-NOT: _12_12
