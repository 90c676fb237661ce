// A launch of a kernel that the file defines calls a copy of the stub with a record: site, kernel, a word of the runtime. Behind the
// call that pops the configuration the copy reports the values, which are one after the other in memory. A launch through a pointer,
// and one of more than eight words, goes by the thunks. Nothing calls CUDA but what is among the thunks.
// RUN: %clangxx %gmp -x cuda --cuda-host-only -nocudainc -nocudalib --no-offload-new-driver -Xclang -target-sdk-version=11.8 -Wno-unknown-cuda-version -fvisibility=hidden -g %ir %s | FileCheck %s
// RUN: %clangxx %gmp -x cuda --cuda-host-only -nocudainc -nocudalib --no-offload-new-driver -Xclang -target-sdk-version=11.8 -Wno-unknown-cuda-version -O2 -c %s -o /dev/null
// RUN: %clangxx %gmp -x cuda --cuda-host-only -nocudainc -nocudalib --no-offload-new-driver -Xclang -target-sdk-version=11.8 -Wno-unknown-cuda-version -fplugin-arg-gpumemprof-runtime=weak %ir %s | FileCheck %s --check-prefix=WEAK
#define __global__ __attribute__((global))
struct dim3 {
  unsigned x, y, z;
  dim3(unsigned n) : x(n), y(1), z(1) {}
};
typedef struct CUstream_st *cudaStream_t;
extern "C" int cudaConfigureCall(dim3, dim3, unsigned long, cudaStream_t);
extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, unsigned long = 0, void * = nullptr);
extern "C" int cudaLaunchKernel(const void *, dim3, dim3, void **, unsigned long, cudaStream_t);
struct Pair {
  char tag;
  float *first, *second;
};
struct Many {
  float *values[9];
};
__global__ void step(float *, int, Pair, long) {}
__global__ void many(Many) {}
// CHECK: @gpumemprof.launch = private global { ptr, ptr, i64 } { ptr @gpumemprof.sites{{.*}}, ptr @_Z19__device_stub__stepPfi4Pairl, i64 0 }
// CHECK: @gpumemprof.launch.[[SECOND:[0-9]+]] = private global { ptr, ptr, i64 } { ptr @gpumemprof.sites{{.*}}, ptr @_Z19__device_stub__stepPfi4Pairl, i64 0 }
// CHECK-NOT: @gpumemprof.launch.
// CHECK-LABEL: define hidden void @_Z6directPf(
// CHECK: call i32 @__gpumemprof_jump.__cudaPushCallConfiguration(
// CHECK: call void @__gpumemprof_launch._Z19__device_stub__stepPfi4Pairl({{.*}} @gpumemprof.launch{{(.[0-9]+)?}})
void direct(float *p) {
  step<<<1, 1>>>(p, 1, {'a', p, p}, 5);
}
// CHECK-LABEL: define hidden void @_Z9by_thunksPfPFvS_i4PairlE(
// CHECK: call i32 @__gpumemprof_at.__cudaPushCallConfiguration(
// CHECK: call void @_Z19__device_stub__many4Many(
// CHECK: call i32 @__gpumemprof_at.__cudaPushCallConfiguration(
// CHECK: call void %
// CHECK: call i32 @__gpumemprof_jump.__cudaPushCallConfiguration(
// CHECK: call void @__gpumemprof_launch._Z19__device_stub__stepPfi4Pairl({{.*}} @gpumemprof.launch{{(.[0-9]+)?}})
void by_thunks(float *p, void (*kernel)(float *, int, Pair, long)) {
  many<<<1, 1>>>({p});
  kernel<<<1, 1>>>(p, 1, {'a', p, p}, 5);
  step<<<1, 1>>>(p, 1, {'a', p, p}, 5);
}
// The first and the last word are parameters, those between are copied.
// CHECK-LABEL: define internal void @__gpumemprof_launch._Z19__device_stub__stepPfi4Pairl(
// CHECK: [[VALUES:%.*]] = alloca [4 x i64], align 16
// CHECK-DAG: [[FIRST:%.*]] = getelementptr inbounds [4 x i64], ptr [[VALUES]], i32 0, i32 0
// CHECK-DAG: [[LAST:%.*]] = getelementptr inbounds [4 x i64], ptr [[VALUES]], i32 0, i32 3
// CHECK: store ptr [[FIRST]], ptr
// CHECK: store ptr [[LAST]], ptr
// CHECK: call i32 @__cudaPopCallConfiguration(ptr {{.*}}, ptr {{.*}}, ptr {{.*}}, ptr [[STREAM:%.*]])
// CHECK: @__gpumemprof_clock
// CHECK-COUNT-2: load i64, ptr {{.*}}, align 1
// CHECK: [[HANDLE:%.*]] = load ptr, ptr [[STREAM]]
// CHECK: call void @__gpumemprof_launch_4(ptr [[VALUES]], ptr [[HANDLE]], ptr %{{.*}})
// CHECK: call {{.*}}i32 @__gpumemprof_jump.cudaLaunchKernel({{.*}}@_Z19__device_stub__stepPfi4Pairl
// CHECK-LABEL: define linkonce_odr hidden i32 @__gpumemprof_jump.cudaLaunchKernel({{.*}} section "gpumemprof_thunks"
// CHECK: tail call i32 @cudaLaunchKernel(
// WEAK: icmp {{eq|ne}} {{\(?}}ptr @__gpumemprof_launch_4, {{(ptr )?}}null
// WEAK: declare extern_weak void @__gpumemprof_launch_4(ptr, ptr, ptr)
