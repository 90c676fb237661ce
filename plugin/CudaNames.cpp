//===- CudaNames.cpp - cuda_api.def as tables of names --------------------===//
#include "CudaNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace gpumemprof {

static const CudaEntry Entries[] = {
#define GPUMEMPROF_ALLOC(name, ...) {#name, CudaEntryKind::Allocation},
#define GPUMEMPROF_FREE(name, ...) {#name, CudaEntryKind::Free},
#define GPUMEMPROF_RESET(name, ...) {#name, CudaEntryKind::Reset},
#include "gpumemprof/cuda_api.def"
};

static const StringLiteral Queries[] = {
#define GPUMEMPROF_QUERY(name, prototype) #name,
#include "gpumemprof/cuda_api.def"
};

ArrayRef<CudaEntry> cudaEntries() {
  return Entries;
}
ArrayRef<StringLiteral> cudaQueries() {
  return Queries;
}

bool isCudaEntry(StringRef Symbol) {
  if (!Symbol.starts_with("cu")) return false;
  return any_of(Entries, [&](const CudaEntry &E) { return E.Symbol == Symbol; });
}

bool looksLikeCudaApi(StringRef Symbol) {
  if (Symbol.starts_with("__cuda")) return true;
  if (!Symbol.consume_front("cuda") && !Symbol.consume_front("cu")) return false;
  return !Symbol.empty() && isUpper(Symbol.front());
}

StringRef cudaSpelling(StringRef Symbol) {
  for (StringRef Suffix : {"_ptsz", "_ptds", "_v2", "_v3"}) Symbol.consume_back(Suffix);
  return Symbol;
}

bool isAllocationSpelling(StringRef Name) {
  if (!Name.starts_with("cu")) return false;
  Name = cudaSpelling(Name);
  return any_of(Entries, [&](const CudaEntry &E) {
    return E.Kind == CudaEntryKind::Allocation && cudaSpelling(E.Symbol) == Name;
  });
}

} // namespace gpumemprof
