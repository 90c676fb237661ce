//===- CalleeFrames.h - which frame must be above a call? -----------------===//
//
// While a call runs, the frame above its caller's is normally that of the function
// that it calls. Where that is certain, the call's site says so, and the runtime
// (stale.c) notices when the frame of another function is there: then the site belongs
// to an earlier call, and the program is inside a later one that stored no site.
//
// It is certain only if all of this holds, so that a correct line is never reported as
// wrong: the call is direct; the callee has a frame, which begins before the first
// call in it and ends after its last (FrameSpan.h); no call in the callee ends its
// activation early (a tail call of a recursion, musttail); the linker cannot replace
// the callee by another definition (it is no inline function, no template, and no
// other shared object may replace it); and the callee is no allocator of the program,
// whose hooks run outside of its frame.
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
  /// Examines the functions that will get a frame, before they are changed.
  void find(llvm::ArrayRef<llvm::Function *> Framed, const Roles &FunctionRoles,
            const Reachability &Reach);

  /// The frame of \p F is open during every call that \p F makes.
  bool stays(const llvm::Function &F) const { return Staying.contains(&F); }

  /// \p F has a call that goes on after the activation of \p F ended: a call in return position
  /// within a recursion, or musttail.
  bool endsEarly(const llvm::Function &F) const { return EndingEarly.contains(&F); }

  /// The function of this file whose frame must be the next one while \p Call runs, or null.
  const llvm::Function *entered(const llvm::CallBase &Call) const;

  /// The linkage name of the function of another file that \p Call calls directly, else "".
  llvm::StringRef declared(const llvm::CallBase &Call) const;

private:
  llvm::DenseSet<const llvm::Function *> Staying, EndingEarly;
};

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_CALLEEFRAMES_H
