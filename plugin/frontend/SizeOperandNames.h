//===- SizeOperandNames.h - the operands of a size in the AST -------------===//
//
// Called by AllocationText.cpp for each call that allocates. The other half, which
// finds the operands' values in the IR, is sites/SizeOperandValues.h; what both
// compare is facts/SizeOperands.h.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_SIZEOPERANDNAMES_H
#define GPUMEMPROF_PLUGIN_SIZEOPERANDNAMES_H

#include "facts/SizeOperands.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace clang {
class ASTContext;
class CallExpr;
class Expr;
} // namespace clang

namespace gpumemprof {

/// The operands of the arguments \p Arguments of \p Call. \p Text returns an expression as it is
/// written. The result has no sizes if any part of them is not understood.
SizeOperands findSizeOperands(const clang::CallExpr &Call, llvm::ArrayRef<unsigned> Arguments,
                              clang::ASTContext &Context,
                              llvm::function_ref<std::string(const clang::Expr &)> Text);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_SIZEOPERANDNAMES_H
