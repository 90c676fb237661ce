//===- CudaSizes.cpp - reads the parameters that cuda_api.def names -------===//
//
// A line of cuda_api.def has an expression of the requested bytes, such as
// `width * height`, and its parameters, such as `(void **, p), (size_t, width)`. Both are
// read as text when the plugin starts its work. A parameter of type size_t that the
// expression names is a factor of the size. If there is none, the size is in a structure,
// which is the last one named that is no plain number (flags and levels are such numbers).
// The first parameter receives the block and is never a size.
//
//===----------------------------------------------------------------------===//
#include "names/CudaSizes.h"
#include "names/CudaNames.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace gpumemprof {
namespace {

struct Allocation {
  StringLiteral Symbol, Requested, Parameters;
};

const Allocation Allocations[] = {
#define GPUMEMPROF_ALLOC(name, lib, kind, block, acquired, requested, ...)                         \
  {#name, #requested, #__VA_ARGS__},
#define GPUMEMPROF_POOL_ALLOC(name, lib, block, bytes, pool, stream, ...)                          \
  {#name, #bytes, #__VA_ARGS__},
#define GPUMEMPROF_CREATE(name, lib, kind, bytes, ordinal, effect, ...)                            \
  {#name, #bytes, #__VA_ARGS__},
#include "gpumemprof/cuda_api.def"
};

bool isWord(char C) {
  return isAlnum(C) || C == '_';
}

/// `desc->size` names desc and, as it is the member of another, not size.
bool names(StringRef Expression, StringRef Parameter) {
  for (size_t At = Expression.find(Parameter); At != StringRef::npos;
       At = Expression.find(Parameter, At + 1)) {
    StringRef Before = Expression.take_front(At), After = Expression.substr(At + Parameter.size());
    bool Begins = Before.empty() ||
                  !(isWord(Before.back()) || Before.ends_with("->") || Before.ends_with("."));
    if (Begins && (After.empty() || !isWord(After.front()))) return true;
  }
  return false;
}

CudaSize read(const Allocation &Call) {
  CudaSize Size;
  SmallVector<unsigned, 1> Structure;
  SmallVector<StringRef, 8> Parameters; // "(void **, p", " (size_t, n", ""
  Call.Parameters.split(Parameters, ')');
  for (unsigned I = 1; I < Parameters.size(); ++I) {
    auto [Type, Name] = Parameters[I].rsplit(',');
    Type = Type.substr(Type.find('(') + 1).trim();
    Name = Name.trim();
    if (Name.empty() || !names(Call.Requested, Name)) continue;
    if (Type == "size_t") Size.Arguments.push_back(I);
    else if (!Type.starts_with("unsigned")) Structure.assign(1, I);
  }
  Size.Numbers = !Size.Arguments.empty();
  if (!Size.Numbers) Size.Arguments.append(Structure);
  return Size;
}

} // namespace

const CudaSize &cudaSize(StringRef Callee) {
  static const StringMap<CudaSize> Sizes = [] {
    StringMap<CudaSize> Result;
    for (const Allocation &Call : Allocations)
      Result.try_emplace(cudaSpelling(Call.Symbol), read(Call));
    return Result;
  }();
  static const CudaSize None;
  auto It = Sizes.find(Callee);
  return It == Sizes.end() ? None : It->second;
}

} // namespace gpumemprof
