//===- Receivers.h - the variable that a call gives memory to --------------===//
//
// A call of an allocation wrapper gives memory to a variable: to the one that its result
// initializes, to the pointer that an argument refers to, or to the object of which it is a
// method. AllocationText.cpp asks for the name in a report. Where two could be meant, or the
// result goes on to another call, it is none: no name is better than a wrong one.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_RECEIVERS_H
#define GPUMEMPROF_PLUGIN_RECEIVERS_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"

namespace gpumemprof {

/// How surely a variable of a type holds what a call allocates that initializes it.
enum class Holds {
  No,    // an error code, a sum, a text, or a reference to what was there before
  Maybe, // a structure, which may be the status; a number, which may be a CUdeviceptr
  Yes    // a pointer
};
Holds holdsMemory(clang::QualType Type, const clang::ASTContext &Context);

/// The only argument through which the call may set a pointer, `&p` or `p` by reference; null if
/// there is none, or are several. \p Address is set to whether it is `&p`.
const clang::Expr *pointerArgument(const clang::Expr &Call, bool &Address);

/// The object in which the memory of a call stays that returns none: that of a method or of an
/// assignment, or else the only one that the call may change; null if there is none, or are
/// several.
const clang::Expr *changedObject(const clang::Expr &Call);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_RECEIVERS_H
