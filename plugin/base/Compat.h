//===- Compat.h - the one place that knows LLVM versions ------------------===//
//
// Every difference between the supported LLVM versions (llvm_versions.def) has a
// name here; no other file of the plugin looks at LLVM_VERSION_MAJOR.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_COMPAT_H
#define GPUMEMPROF_PLUGIN_COMPAT_H

#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#if LLVM_VERSION_MAJOR >= 22
#include "llvm/Plugins/PassPlugin.h"
#else
#include "llvm/Passes/PassPlugin.h"
#endif

namespace gpumemprof::compat {

constexpr int BuiltForMajor = LLVM_VERSION_MAJOR;

inline llvm::Triple targetTriple(const llvm::Module &M) {
  return llvm::Triple(M.getTargetTriple());
}

/// Whether \p F is a kernel of device code. Before LLVM 21 an annotation of the module said so.
inline bool isKernel(const llvm::Function &F) {
  if (F.getCallingConv() == llvm::CallingConv::PTX_Kernel) return true;
#if LLVM_VERSION_MAJOR < 21
  const llvm::NamedMDNode *All = F.getParent()->getNamedMetadata("nvvm.annotations");
  for (unsigned I = 0; All && I < All->getNumOperands(); ++I) {
    const llvm::MDNode *One = All->getOperand(I);
    if (One->getNumOperands() < 2) continue;
    auto *Value = llvm::dyn_cast_or_null<llvm::ValueAsMetadata>(One->getOperand(0).get());
    auto *Kind = llvm::dyn_cast_or_null<llvm::MDString>(One->getOperand(1).get());
    if (Value && Kind && Value->getValue() == &F && Kind->getString() == "kernel") return true;
  }
#endif
  return false;
}

inline llvm::Function *intrinsic(llvm::Module &M, llvm::Intrinsic::ID ID,
                                 llvm::ArrayRef<llvm::Type *> Types = {}) {
#if LLVM_VERSION_MAJOR >= 20
  return llvm::Intrinsic::getOrInsertDeclaration(&M, ID, Types);
#else
  return llvm::Intrinsic::getDeclaration(&M, ID, Types);
#endif
}

/// Calls \p Add at the end of the optimisation pipeline, at every -O level.
template <typename Callable> void atOptimizerLast(llvm::PassBuilder &PB, Callable Add) {
#if LLVM_VERSION_MAJOR >= 20
  PB.registerOptimizerLastEPCallback([Add](llvm::ModulePassManager &MPM, llvm::OptimizationLevel,
                                           llvm::ThinOrFullLTOPhase) { Add(MPM); });
#else
  PB.registerOptimizerLastEPCallback(
      [Add](llvm::ModulePassManager &MPM, llvm::OptimizationLevel) { Add(MPM); });
#endif
}

inline llvm::SCEVExpander expander(llvm::ScalarEvolution &Evolution,
                                   [[maybe_unused]] const llvm::DataLayout &Layout) {
#if LLVM_VERSION_MAJOR >= 22
  return llvm::SCEVExpander(Evolution, "gpumemprof");
#else
  return llvm::SCEVExpander(Evolution, Layout, "gpumemprof");
#endif
}

} // namespace gpumemprof::compat

#endif // GPUMEMPROF_PLUGIN_COMPAT_H
