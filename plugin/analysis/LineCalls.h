//===- LineCalls.h - calls that are activations of their line -------------===//
//
// A function without a frame (of a system header, implicit, ignored) may allocate
// and free many times before it returns. What one call of it needs on top is then
// the own peak of the calling line, so the runtime has to know when the call is
// over. Asked by Pass.cpp for each call that gets a site. A callee that moves
// memory once at most, as cudaMalloc<float> does, needs none of this.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_LINECALLS_H
#define GPUMEMPROF_PLUGIN_LINECALLS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <functional>

namespace llvm {
class CallBase;
class Function;
class Instruction;
} // namespace llvm

namespace gpumemprof {

class CalleeFrames;
class Reachability;

class LineCalls {
public:
  /// \p HasFrame: the function defined here enters a scope of its own. \p UnknownHaveFrames: so do
  /// those of other files, as far as they are the user's.
  LineCalls(Reachability &Reach, const CalleeFrames &Callees,
            std::function<bool(const llvm::Function &)> HasFrame, bool UnknownHaveFrames)
      : Reach(Reach), Callees(Callees), HasFrame(std::move(HasFrame)),
        UnknownHaveFrames(UnknownHaveFrames) {}

  /// The runtime has to be told when \p Call is over.
  bool spans(const llvm::CallBase &Call);

private:
  enum Moves : unsigned { Never, Once, Often };
  Moves movesOf(const llvm::CallBase &Call, bool InSystem);
  Moves movesOf(const llvm::Function &F);

  Reachability &Reach;
  const CalleeFrames &Callees;
  std::function<bool(const llvm::Function &)> HasFrame;
  bool UnknownHaveFrames;
  llvm::DenseMap<const llvm::Function *, Moves> Known; // Often while it is being looked at
};

/// Where \p Call has returned: the instruction to put code before. Null where it does not return or
/// the function returns next, so that its exit says as much. May split the edge behind an invoke.
llvm::Instruction *behindCall(llvm::CallBase &Call);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_LINECALLS_H
