//===- SizeOperandValues.h - the operands of a size in the IR -------------===//
//
// Finds the values in the computation of the argument, as clang wrote it and before
// anything is optimised. Nothing is evaluated twice and nothing is moved: the operands
// of the call's argument exist before the call. The store before the call also stores
// them (SiteStores.h), so the runtime finds them in the frame (hooks.h).
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_SIZEOPERANDVALUES_H
#define GPUMEMPROF_PLUGIN_SIZEOPERANDVALUES_H

#include "llvm/ADT/SmallVector.h"
#include <string>

namespace llvm {
class CallBase;
class Value;
} // namespace llvm

namespace gpumemprof {

struct Site;
struct SizeOperands;

struct SizeValues {
  struct Operand {
    llvm::Value *Value;
    bool Signed;
  };
  llvm::CallBase *Call = nullptr;
  llvm::SmallVector<Operand, 4> Operands; // empty: not found
  std::string Names;                      // each with a NUL behind it
};

/// \p Known: the operands that the AST has, or null.
SizeValues findSizeValues(llvm::CallBase &Call, const SizeOperands *Known);

/// Puts the names and kinds of the operands into the site of the call.
void describe(const SizeValues &Values, Site &S);

/// The operands extended to 64 bits, right before the call.
llvm::SmallVector<llvm::Value *, 4> extendSizeValues(const SizeValues &Values);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_SIZEOPERANDVALUES_H
