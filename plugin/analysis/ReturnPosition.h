//===- ReturnPosition.h - calls whose result is the function's result -----===//
//
// If a frame stayed open across a tail call, millions of tail calls would become
// millions of machine frames. So a call in return position within a recursion ends
// the caller's activation before the call. Pass.cpp asks here which calls these are;
// nothing is changed here. docs/decisions/01-return-position.md has the argument why
// the answer is right.
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

/// If every execution in which \p Call returns goes from there to one return of the function, and
/// only passes on the call's result on the way: the blocks on the way after the call's own block.
/// The last one ends in the return; none of them calls a function. Otherwise nullopt.
std::optional<llvm::SmallVector<llvm::BasicBlock *, 4>> wayToReturn(llvm::CallInst &Call);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_RETURNPOSITION_H
