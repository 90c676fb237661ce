//===- Emit.h - loads and stores of the profiler's own data ---------------===//
//
// Used wherever code is inserted that reads or writes a structure of hooks.h.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_EMIT_H
#define GPUMEMPROF_PLUGIN_EMIT_H

#include "llvm/IR/IRBuilder.h"

namespace gpumemprof {

/// Marks a load or store of ours, so that sanitizers leave it alone.
template <typename Access> Access *quiet(Access *I, llvm::Align Alignment = llvm::Align(8)) {
  I->setAlignment(Alignment);
  I->setMetadata(llvm::LLVMContext::MD_nosanitize, llvm::MDNode::get(I->getContext(), {}));
  return I;
}

/// The address of the field at \p Offset bytes from \p Base.
inline llvm::Value *field(llvm::IRBuilder<> &B, llvm::Value *Base, unsigned Offset) {
  return Offset ? B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Base, Offset) : Base;
}

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_EMIT_H
