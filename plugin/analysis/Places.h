//===- Places.h - where an address of the IR points to --------------------===//
//
// For the two walks of Wrappers.cpp, which see the module as clang wrote it: parameters and
// variables are memory of the function (allocas). The order of instructions is ignored: a
// variable holds whatever is stored into it anywhere.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_PLACES_H
#define GPUMEMPROF_PLUGIN_PLACES_H

#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <optional>

namespace llvm {
class AllocaInst;
class DataLayout;
class GEPOperator;
class Value;
} // namespace llvm

namespace gpumemprof {

constexpr int64_t NotConstant = -1; // an offset

/// What an address is in: a variable of the function, the memory that an argument points to, an
/// object that the function made (the call that returned its address), or something else; and at
/// which offset.
struct Place {
  const llvm::Value *Base;
  int64_t Offset;
};

/// Answers for all functions of a module, which must not change meanwhile. Each pointer variable is
/// followed once.
class Places {
public:
  explicit Places(const llvm::DataLayout &Layout) : Layout(Layout) {}

  Place of(const llvm::Value *Address);
  std::optional<int64_t> constantOffset(const llvm::GEPOperator &GEP) const;

private:
  std::optional<Place> pointedTo(const llvm::AllocaInst &Variable);
  std::optional<Place> findPointedTo(const llvm::AllocaInst &Variable);

  const llvm::DataLayout &Layout;
  llvm::DenseMap<const llvm::AllocaInst *, std::optional<Place>> Known;
};

/// \p V is the result of malloc(), of new, or of a function with such a name, as xcalloc().
bool makesAnObject(const llvm::Value *V);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_PLACES_H
