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

/// `*` stands for any letters.
bool fits(StringRef Name, StringRef Pattern) {
  auto [Head, Rest] = Pattern.split('*');
  if (Head.size() == Pattern.size()) return Name == Pattern;
  if (!Name.consume_front(Head)) return false;
  for (size_t I = 0; I <= Name.size(); ++I)
    if (fits(Name.drop_front(I), Rest)) return true;
  return false;
}

constexpr struct {
  StringLiteral Pattern;
  gpumemprof_library_use Use;
} LibraryUses[] = {
#define GPUMEMPROF_LIBRARY(name, use) {name, GPUMEMPROF_LIBRARY_##use},
#include "names/LibraryUses.def"
};

} // namespace

gpumemprof_library_use libraryUseOf(StringRef Name, const Filter &UserFilter) {
  if (isCudaEntry(Name)) return GPUMEMPROF_LIBRARY_NOTHING;
  for (const auto &Line : LibraryUses)
    if (fits(Name, Line.Pattern)) return Line.Use;
  return UserFilter.isLibrary(Name) ? GPUMEMPROF_LIBRARY_KEEPS : GPUMEMPROF_LIBRARY_NOTHING;
}

bool isSampledCall(StringRef Name, const Filter &UserFilter) {
  if (!UserFilter.SamplesLibraries || isCudaEntry(Name)) return false;
  return startsWithOne(Name, Libraries) || startsWithOne(Name, Calls) || UserFilter.isLibrary(Name);
}

} // namespace gpumemprof
