//===- CalleeFrames.h - which frame must be above a call? -----------------===//
//
// While a call is under way, the frame above its caller's is normally that of the
// function it calls. Where that is certain, the call's site says so, and the runtime
// (stale.c) notices when another function's frame is there: then the site belongs to
// an earlier call, and the program is inside a later one that stored no site.
//
// It is certain only where all of this holds, so that a correct line is never called
// wrong: the call is direct; the callee has a frame, which begins before the first
// call in it and ends with its last (FrameSpan.h); no call in the callee ends its
// activation early (a tail call of a recursion, musttail); the linker cannot put
// another definition in the callee's place (no inline function, no template, nothing
// that another shared object may replace); and the callee is no allocator of the
// program's own, whose hooks run outside of its frame.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_CALLEEFRAMES_H
#define GPUMEMPROF_PLUGIN_CALLEEFRAMES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class CallBase;
class Function;
} // namespace llvm

namespace gpumemprof {

class Reachability;
class Roles;

class CalleeFrames {
public:
  /// Looks at the untouched functions that will get a frame.
  void find(llvm::ArrayRef<llvm::Function *> Framed, const Roles &FunctionRoles,
            const Reachability &Reach);

  /// The frame of \p F is there as long as \p F runs any call.
  bool stays(const llvm::Function &F) const { return Staying.contains(&F); }

  /// A call in return position within a recursion goes on when the activation of \p F is over.
  bool handsOn(const llvm::Function &F) const { return HandingOn.contains(&F); }

  /// The function of this file whose frame must be above while \p Call is under way, or null.
  const llvm::Function *entered(const llvm::CallBase &Call) const;

  /// The linkage name of the function of another file that \p Call calls directly, else "".
  llvm::StringRef declared(const llvm::CallBase &Call) const;

private:
  llvm::DenseSet<const llvm::Function *> Staying, HandingOn;
};

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_CALLEEFRAMES_H
