//===- ReturnPosition.h - calls whose result is the function's result -----===//
//
// A frame that stays open across a tail call turns millions of tail calls into
// millions of machine frames. So a call in return position within a recursion
// ends the caller's activation first: the pass makes its block end in the call
// and a return of its own, and puts the exit before the call.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_RETURNPOSITION_H
#define GPUMEMPROF_PLUGIN_RETURNPOSITION_H

namespace llvm {
class CallInst;
}

namespace gpumemprof {

/// If nothing but handing on its result happens after \p Call, gives the call a return of its own
/// and returns true.
bool giveOwnReturn(llvm::CallInst &Call);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_RETURNPOSITION_H
