//===- LibraryCalls.cpp - names of CUDA's libraries -----------------------===//
#include "names/LibraryCalls.h"

#include "base/Filter.h"
#include "names/CudaNames.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace gpumemprof {
namespace {

// Any call of a library may make it allocate: cublasCreate its workspace, a first cublasSgemm its
// kernels, ncclAllReduce its channels.
constexpr StringLiteral Libraries[] = {"cublas", "cudnn",    "cufft",  "cusolver",   "cusparse",
                                       "curand", "cutensor", "cudss",  "custatevec", "nccl",
                                       "pnccl",  "nvshmem",  "nvjpeg", "npp",        "nvrtc",
                                       "cufile", "cuFile",   "nvml"};

// These make contexts, load modules (also lazily, at a kernel's first launch), and size heaps for
// device code.
constexpr StringLiteral Calls[] = {"cuModuleLoad",          "cuLibraryLoad",
                                   "cuLibraryGetModule",    "cudaLibraryLoad",
                                   "cuLinkComplete",        "cuCtxCreate",
                                   "cuCtxSetLimit",         "cuDevicePrimaryCtxRetain",
                                   "cudaSetDevice",         "cudaInitDevice",
                                   "cudaDeviceSetLimit",    "cudaDeviceEnablePeerAccess",
                                   "cuCtxEnablePeerAccess", "cudaLaunchKernel",
                                   "__cudaLaunchKernel",    "cudaLaunchCooperativeKernel",
                                   "cuLaunchKernel",        "cuLaunchCooperativeKernel",
                                   "cudaStreamCreate",      "cuStreamCreate"};

bool startsWithOne(StringRef Name, ArrayRef<StringLiteral> Prefixes) {
  return any_of(Prefixes, [&](StringRef P) { return Name.starts_with(P); });
}

} // namespace

bool isSampledCall(StringRef Name, const Filter &UserFilter) {
  if (!UserFilter.SamplesLibraries || isCudaEntry(Name)) return false;
  return startsWithOne(Name, Libraries) || startsWithOne(Name, Calls) || UserFilter.isLibrary(Name);
}

} // namespace gpumemprof
