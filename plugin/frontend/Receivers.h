//===- Receivers.h - the variable that a call gives memory to --------------===//
//
// A call of an allocation wrapper gives memory to a variable: to the one that its result
// initializes, to an argument `&p` or one that is passed by reference, or to the object of
// which it is a method. AllocationText.cpp asks for the name in a report.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_RECEIVERS_H
#define GPUMEMPROF_PLUGIN_RECEIVERS_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"

namespace gpumemprof {

/// False of an error code or a sum, which hold no memory. A `CUdeviceptr` is an integer.
bool mayHoldMemory(clang::QualType Type, const clang::ASTContext &Context);

/// The argument `&p`, rather that of a pointer than of a structure, or null.
const clang::Expr *addressArgument(clang::CallExpr::const_arg_range Arguments);

/// The object of which the call is a method or an assignment, or else the only argument that it
/// may change through a reference, or null.
const clang::Expr *changedObject(const clang::Expr &Call);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_RECEIVERS_H
