//===- CudaNames.cpp - cuda_api.def as tables of names --------------------===//
#include "names/CudaNames.h"

#include "base/Compat.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace gpumemprof {

static const CudaEntry Entries[] = {
#define GPUMEMPROF_ALLOC(name, ...) {#name, CudaHooks::After, true},
#define GPUMEMPROF_POOL_ALLOC(name, ...) {#name, CudaHooks::After, true},
#define GPUMEMPROF_FREE(name, ...) {#name, CudaHooks::Free, false},
#define GPUMEMPROF_POOL_FREE(name, ...) {#name, CudaHooks::Free, false},
#define GPUMEMPROF_CREATE(name, ...) {#name, CudaHooks::After, true},
#define GPUMEMPROF_AFTER(name, ...) {#name, CudaHooks::After, false},
#define GPUMEMPROF_AROUND(name, ...) {#name, CudaHooks::Around, false},
#define GPUMEMPROF_RECORDED(name, ...) {#name, CudaHooks::AfterNoResult, false},
#define GPUMEMPROF_RESET(name, ...) {#name, CudaHooks::Around, false},
#include "gpumemprof/cuda_api.def"
};

ArrayRef<CudaEntry> cudaEntries() {
  return Entries;
}

static const CudaUse Uses[] = {
#define GPUMEMPROF_USE(name, ...) {#name, false},
#define GPUMEMPROF_KERNEL_HANDLE(name, ...) {#name, true},
#include "gpumemprof/cuda_uses.def"
};

ArrayRef<CudaUse> cudaUses() {
  return Uses;
}

bool isCudaUse(StringRef Symbol) {
  static const StringSet<> Called = [] {
    StringSet<> Names;
    for (const CudaUse &U : Uses) Names.insert(U.Symbol);
    return Names;
  }();
  return Called.contains(Symbol);
}

bool isCudaEntry(StringRef Symbol) {
  static const StringSet<> Called = [] {
    StringSet<> Names;
    for (const CudaEntry &E : Entries)
      if (E.Hooks != CudaHooks::AfterNoResult) Names.insert(E.Symbol);
    return Names;
  }();
  return Called.contains(Symbol);
}

bool isCudaFree(StringRef Symbol) {
  return any_of(Entries, [&](const CudaEntry &E) {
    return E.Hooks == CudaHooks::Free && E.Symbol == Symbol;
  });
}

bool runsNoCodeOfProgram(StringRef Symbol) {
  return any_of(Entries, [&](const CudaEntry &E) {
    return (E.Allocates || E.Hooks == CudaHooks::Free) && E.Symbol == Symbol;
  });
}

bool looksLikeCudaApi(StringRef Symbol) {
  if (Symbol.starts_with("__cuda")) return true;
  if (!Symbol.consume_front("cuda") && !Symbol.consume_front("cu")) return false;
  return !Symbol.empty() && compat::isUpper(Symbol.front());
}

StringRef cudaSpelling(StringRef Symbol) {
  for (StringRef Suffix : {"_ptsz", "_ptds", "_v2", "_v3"}) Symbol.consume_back(Suffix);
  return Symbol;
}

bool isAllocationSpelling(StringRef Name) {
  static const StringSet<> Allocations = [] {
    StringSet<> Names;
    for (const CudaEntry &E : Entries)
      if (E.Allocates) Names.insert(cudaSpelling(E.Symbol));
    return Names;
  }();
  return Allocations.contains(cudaSpelling(Name));
}

} // namespace gpumemprof
