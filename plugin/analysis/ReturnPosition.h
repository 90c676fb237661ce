//===- ReturnPosition.h - calls whose result is the function's result -----===//
//
// A frame that stays open across a tail call turns millions of tail calls into
// millions of machine frames. So a call in return position within a recursion
// ends the caller's activation before the call. Pass.cpp asks here which calls
// these are; nothing is changed here. docs/decisions/01-return-position.md has the
// argument why the answer is right.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_RETURNPOSITION_H
#define GPUMEMPROF_PLUGIN_RETURNPOSITION_H

#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace llvm {
class BasicBlock;
class CallInst;
} // namespace llvm

namespace gpumemprof {

/// Whether every execution in which \p Call returns goes from there to one return of the function,
/// and does nothing on the way but hand on the call's result. If so, the blocks on the way: those
/// after the call's own, the last one ends in the return. They call no function.
std::optional<llvm::SmallVector<llvm::BasicBlock *, 4>> wayToReturn(llvm::CallInst &Call);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_RETURNPOSITION_H
