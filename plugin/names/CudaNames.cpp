//===- CudaNames.cpp - cuda_api.def as tables of names --------------------===//
#include "names/CudaNames.h"

#include "base/Compat.h"
#include "gpumemprof/parameters.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace gpumemprof {

static constexpr StringLiteral Cuda12Suffix = "_12";

static const CudaEntry Entries[] = {
#define GPUMEMPROF_ALLOC(name, lib, kind, block, acquired, requested, ...)                         \
  {#name, GPUMEMPROF_COUNT(__VA_ARGS__), CudaHooks::After, true},
#define GPUMEMPROF_POOL_ALLOC(name, lib, block, bytes, pool, stream, ...)                          \
  {#name, GPUMEMPROF_COUNT(__VA_ARGS__), CudaHooks::After, true},
#define GPUMEMPROF_FREE(name, lib, block, ...)                                                     \
  {#name, GPUMEMPROF_COUNT(__VA_ARGS__), CudaHooks::Free, false},
#define GPUMEMPROF_POOL_FREE(name, lib, block, stream, ...)                                        \
  {#name, GPUMEMPROF_COUNT(__VA_ARGS__), CudaHooks::Free, false},
#define GPUMEMPROF_CREATE(name, lib, kind, bytes, ordinal, effect, ...)                            \
  {#name, GPUMEMPROF_COUNT(__VA_ARGS__), CudaHooks::After, true},
#define GPUMEMPROF_AFTER(name, lib, effect, ...)                                                   \
  {#name, GPUMEMPROF_COUNT(__VA_ARGS__), CudaHooks::After, false},
#define GPUMEMPROF_AROUND(name, lib, before, after, ...)                                           \
  {#name, GPUMEMPROF_COUNT(__VA_ARGS__), CudaHooks::Around, false},
#define GPUMEMPROF_RECORDED(name, lib, effect, ...)                                                \
  {#name, GPUMEMPROF_COUNT(__VA_ARGS__), CudaHooks::AfterNoResult, false},
#define GPUMEMPROF_RESET(name, lib) {#name, 0, CudaHooks::Around, false},
#include "gpumemprof/cuda_api.def"
};

ArrayRef<CudaEntry> cudaEntries() {
  return Entries;
}

static const CudaUse Uses[] = {
#define GPUMEMPROF_USE(name, effect, ...) {#name, GPUMEMPROF_COUNT(__VA_ARGS__), false},
#define GPUMEMPROF_KERNEL_HANDLE(name, handle, kernel_function, ...)                               \
  {#name, GPUMEMPROF_COUNT(__VA_ARGS__), true},
#include "gpumemprof/cuda_uses.def"
};

ArrayRef<CudaUse> cudaUses() {
  return Uses;
}

std::string hookName(StringRef Symbol, unsigned Parameters) {
  static const StringMap<unsigned> OfCuda12 = [] {
    StringMap<unsigned> Names;
    for (const CudaEntry &E : Entries)
      if (E.Symbol.ends_with(Cuda12Suffix)) Names[E.Symbol] = E.Parameters;
    for (const CudaUse &U : Uses)
      if (U.Symbol.ends_with(Cuda12Suffix)) Names[U.Symbol] = U.Parameters;
    return Names;
  }();
  std::string Older = (Symbol + Cuda12Suffix).str();
  auto It = OfCuda12.find(Older);
  return It != OfCuda12.end() && It->second == Parameters ? Older : Symbol.str();
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
  Symbol.consume_back(Cuda12Suffix);
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
