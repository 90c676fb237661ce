//===- SizeOperandValues.h - the operands of a size in the IR -------------===//
//
// Finds the values in the computation of the argument, as clang wrote it and before
// anything is optimised, and tells the runtime when they are others than those of
// the call before (hooks.h). Nothing is evaluated again and nothing moved: what the
// call's argument is made of exists before the call.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_SIZEOPERANDVALUES_H
#define GPUMEMPROF_PLUGIN_SIZEOPERANDVALUES_H

#include "llvm/ADT/SmallVector.h"
#include <string>

namespace llvm {
class CallBase;
class Constant;
class Value;
} // namespace llvm

namespace gpumemprof {

class RuntimeABI;
class SiteTable;
struct SizeOperands;

struct SizeValues {
  struct Operand {
    llvm::Value *Value;
    bool Signed;
  };
  llvm::CallBase *Call = nullptr;
  llvm::SmallVector<Operand, 4> Operands; // none: not found
  std::string Names;                      // each with a NUL behind it
  llvm::SmallVector<llvm::Value *, 2> Sizes;
};

/// \p Known: what the AST has, or null.
SizeValues findSizeValues(llvm::CallBase &Call, const SizeOperands *Known);

/// Right before the call. \p Site is the call's.
void tellSizeValues(const SizeValues &Values, llvm::Constant *Site, SiteTable &Table,
                    RuntimeABI &ABI);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_SIZEOPERANDVALUES_H
