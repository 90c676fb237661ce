//===- PoolFunction.h - a function that gpumemprof_alloc marks ------------===//
//
// The front end (PoolAttributes.cpp) knows the parameters as the source has them and
// writes what it found into the text of an annotation, which clang carries through
// templates, precompiled headers and modules. The pass (PoolHooks.cpp) and the
// collector of texts (AllocationText.cpp) read it.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_POOLFUNCTION_H
#define GPUMEMPROF_PLUGIN_POOLFUNCTION_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace gpumemprof {

/// Parameters are counted from 1 as in the source, without `this`; 0: none.
struct PoolFunction {
  enum StatusKind { NoStatus, ZeroIsGood, NonzeroIsGood };
  bool Allocates = false;
  unsigned Size = 0, Count = 0; // allocations: bytes are their product
  unsigned Pointer = 0;         // frees: what is freed; allocations: receives it, 0: it is returned
  StatusKind Status = NoStatus; // what an allocation returns that does not return the pointer
  bool HasThis = false;
  bool HasHandle = false; // the first parameter points to the allocator
  bool IsStaticMember = false;
  bool Dependent = false;  // some parameters have types that the front end did not know yet
  unsigned Parameters = 0; // how many the source has
  std::string Name;        // of the handle's type

  std::string text() const;
  /// Nullopt if the text is no annotation of this kind.
  static std::optional<PoolFunction> parse(llvm::StringRef Text);
};

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_POOLFUNCTION_H
