//===- CompatPipeline.h - LLVM versions: how passes get into the pipeline -===//
//
// The part of Compat.h that needs the headers of passes.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_COMPATPIPELINE_H
#define GPUMEMPROF_PLUGIN_COMPATPIPELINE_H

#include "llvm/Config/llvm-config.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#if LLVM_VERSION_MAJOR >= 22
#include "llvm/Plugins/PassPlugin.h"
#else
#include "llvm/Passes/PassPlugin.h"
#endif

#if LLVM_VERSION_MAJOR < 18
#include <dlfcn.h>
#include <functional>
#endif

namespace gpumemprof::compat {

/// Before LLVM 18 clang has copied its options when the plugin sees them, and writes no lines that
/// were not asked for.
constexpr bool ClangWritesLines = LLVM_VERSION_MAJOR >= 18;

/// Before LLVM 18 clang adds passes of plugins only by their file, and this module is one. Its
/// llvmGetPassPluginInfo takes what the front end has left here.
#if LLVM_VERSION_MAJOR < 18
inline std::function<void(llvm::PassBuilder &)> &leftByFrontEnd() {
  static std::function<void(llvm::PassBuilder &)> Add;
  return Add;
}
#endif

/// Calls \p Add when clang makes its pipeline.
template <typename Options, typename Callable> void atPipeline(Options &CodeGen, Callable Add) {
#if LLVM_VERSION_MAJOR >= 18
  CodeGen.PassBuilderCallbacks.push_back(Add);
#else
  Dl_info Info;
  if (!dladdr(reinterpret_cast<void *>(&leftByFrontEnd), &Info)) return;
  leftByFrontEnd() = Add;
  CodeGen.PassPlugins.push_back(Info.dli_fname);
#endif
}

/// In llvmGetPassPluginInfo's function: whether the front end has added its passes by it.
inline bool addLeftByFrontEnd([[maybe_unused]] llvm::PassBuilder &PB) {
#if LLVM_VERSION_MAJOR < 18
  if (!leftByFrontEnd()) return false;
  leftByFrontEnd()(PB);
  return true;
#else
  return false;
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

#endif // GPUMEMPROF_PLUGIN_COMPATPIPELINE_H
