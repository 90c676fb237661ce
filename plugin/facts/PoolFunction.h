//===- PoolFunction.h - what gpumemprof_alloc says about a function -------===//
//
// The front end (PoolAttributes.cpp) knows parameters as they are written and
// says what it found in the text of an annotation; the pass (PoolHooks.cpp) and
// the collector of texts (AllocationText.cpp) read it again. In one line, so
// that clang carries it through templates, precompiled headers and modules.
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
  unsigned Pointer = 0;         // frees: what is freed; allocations: where it is left, 0: returned
  StatusKind Status = NoStatus; // what is returned instead
  bool HasThis = false;
  bool HasHandle = false; // the first parameter points to the allocator
  bool IsStaticMember = false;
  bool Dependent = false;  // the types of some parameters were not known yet
  unsigned Parameters = 0; // how many are written
  std::string Name;        // of the handle's type

  std::string text() const;
  /// None: not an annotation of this kind.
  static std::optional<PoolFunction> parse(llvm::StringRef Text);
};

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_POOLFUNCTION_H
