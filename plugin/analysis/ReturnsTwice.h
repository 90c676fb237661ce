//===- ReturnsTwice.h - calls that control may come back to ---------------===//
#ifndef GPUMEMPROF_PLUGIN_RETURNSTWICE_H
#define GPUMEMPROF_PLUGIN_RETURNSTWICE_H

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"

namespace gpumemprof {

/// setjmp and its like. __builtin_setjmp is an intrinsic, which LLVM gives no such attribute; nor
/// has clone(2), whose child may share memory, shadow stack included, and end inside a function.
inline bool returnsTwice(const llvm::CallBase &Call) {
  auto *Intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&Call);
  const llvm::Function *Callee = Call.getCalledFunction();
  return Call.hasFnAttr(llvm::Attribute::ReturnsTwice) ||
         (Intrinsic && Intrinsic->getIntrinsicID() == llvm::Intrinsic::eh_sjlj_setjmp) ||
         (Callee && Callee->isDeclaration() && Callee->getName() == "clone");
}

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_RETURNSTWICE_H
