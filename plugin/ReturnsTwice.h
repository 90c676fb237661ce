//===- ReturnsTwice.h - calls that control may come back to ---------------===//
#ifndef GPUMEMPROF_PLUGIN_RETURNSTWICE_H
#define GPUMEMPROF_PLUGIN_RETURNSTWICE_H

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"

namespace gpumemprof {

/// setjmp and its like. __builtin_setjmp is an intrinsic, which LLVM gives no such attribute.
inline bool returnsTwice(const llvm::CallBase &Call) {
  auto *Intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&Call);
  return Call.hasFnAttr(llvm::Attribute::ReturnsTwice) ||
         (Intrinsic && Intrinsic->getIntrinsicID() == llvm::Intrinsic::eh_sjlj_setjmp);
}

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_RETURNSTWICE_H
