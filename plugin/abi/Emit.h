//===- Emit.h - loads and stores of our own data --------------------------===//
#ifndef GPUMEMPROF_PLUGIN_EMIT_H
#define GPUMEMPROF_PLUGIN_EMIT_H

#include "llvm/IR/IRBuilder.h"

namespace gpumemprof {

/// Our loads and stores are of no interest to sanitizers.
template <typename Access> Access *quiet(Access *I, llvm::Align Alignment = llvm::Align(8)) {
  I->setAlignment(Alignment);
  I->setMetadata(llvm::LLVMContext::MD_nosanitize, llvm::MDNode::get(I->getContext(), {}));
  return I;
}

inline llvm::Value *field(llvm::IRBuilder<> &B, llvm::Value *Base, unsigned Offset) {
  return Offset ? B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Base, Offset) : Base;
}

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_EMIT_H
