//===- LineCalls.h - calls that are activations of their line -------------===//
//
// A function without a frame (of a system header, implicit, ignored) may allocate
// and free many times before it returns. The memory that one call of it needs in
// addition is then the own peak of the calling line, so the runtime has to know when
// the call ends. Pass.cpp asks for each call that gets a site. A callee that moves
// memory at most once, as cudaMalloc<float> does, does not need this.
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
  /// \p HasFrame returns whether a function defined here has a scope of its own. \p
  /// UnknownHaveFrames: the user's functions of other files have scopes, too.
  LineCalls(Reachability &Reach, const CalleeFrames &Callees,
            std::function<bool(const llvm::Function &)> HasFrame, bool UnknownHaveFrames)
      : Reach(Reach), Callees(Callees), HasFrame(std::move(HasFrame)),
        UnknownHaveFrames(UnknownHaveFrames) {}

  /// The runtime must be notified when \p Call ends.
  bool spans(const llvm::CallBase &Call);

private:
  enum Moves : unsigned { Never, Once, Often };
  Moves movesOf(const llvm::CallBase &Call, bool InSystem);
  Moves movesOf(const llvm::Function &F);

  Reachability &Reach;
  const CalleeFrames &Callees;
  std::function<bool(const llvm::Function &)> HasFrame;
  bool UnknownHaveFrames;
  // A function that is being examined has the value Often.
  llvm::DenseMap<const llvm::Function *, Moves> Known;
};

/// The instruction before which code runs when \p Call has returned. Null where the call does not
/// return or the function returns next, because the function's exit then ends the call, too. May
/// split the edge behind an invoke.
llvm::Instruction *behindCall(llvm::CallBase &Call);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_LINECALLS_H
