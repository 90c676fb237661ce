//===- IRQueries.h - questions about the IR that LLVM has no function for -===//
//
// Which function a call calls, which text a constant holds, whether a call can
// return twice. Asked in every room above, so that each question has one answer.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_IRQUERIES_H
#define GPUMEMPROF_PLUGIN_IRQUERIES_H

#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace gpumemprof {

/// The function whose address \p V is, also through aliases; null if it is none or not known.
inline const llvm::Function *asFunction(const llvm::Value *V) {
  return llvm::dyn_cast<llvm::Function>(V->stripPointerCastsAndAliases());
}

/// The function that \p Call calls, also through aliases; null for a call through a pointer.
inline const llvm::Function *calleeOf(const llvm::CallBase &Call) {
  return asFunction(Call.getCalledOperand());
}
inline llvm::Function *calleeOf(llvm::CallBase &Call) {
  return llvm::dyn_cast<llvm::Function>(Call.getCalledOperand()->stripPointerCastsAndAliases());
}

inline llvm::Instruction &behindPhis(llvm::BasicBlock &Block) {
  return *llvm::find_if_not(Block,
                            [](const llvm::Instruction &I) { return llvm::isa<llvm::PHINode>(I); });
}

/// The constant text that \p V points to, without its end; "" if it points to none.
inline llvm::StringRef cStringAt(const llvm::Value *V) {
  auto *Text = llvm::dyn_cast<llvm::GlobalVariable>(V->stripPointerCasts());
  auto *Data = Text && Text->hasInitializer()
                   ? llvm::dyn_cast<llvm::ConstantDataSequential>(Text->getInitializer())
                   : nullptr;
  return Data && Data->isCString() ? Data->getAsCString() : "";
}

/// Whether a use of a variable's address is a load, a store to it, or a mark of its lifetime.
inline bool isPlainAccess(const llvm::User &U, const llvm::Value &Variable) {
  auto *Store = llvm::dyn_cast<llvm::StoreInst>(&U);
  auto *Intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&U);
  return llvm::isa<llvm::LoadInst>(U) || (Store && Store->getValueOperand() != &Variable) ||
         (Intrinsic && Intrinsic->isLifetimeStartOrEnd());
}

/// Control may come back to the place behind \p Call although the calls above it did not return, as
/// it does after setjmp. __builtin_setjmp is an intrinsic, and LLVM gives it no such attribute; nor
/// does it to clone(2), whose child may share memory, the shadow stack included, and may end inside
/// a function.
inline bool returnsTwice(const llvm::CallBase &Call) {
  auto *Intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&Call);
  const llvm::Function *Callee = Call.getCalledFunction();
  return Call.hasFnAttr(llvm::Attribute::ReturnsTwice) ||
         (Intrinsic && Intrinsic->getIntrinsicID() == llvm::Intrinsic::eh_sjlj_setjmp) ||
         (Callee && Callee->isDeclaration() && Callee->getName() == "clone");
}

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_IRQUERIES_H
