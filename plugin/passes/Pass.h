//===- Pass.h - the module pass and its place in the pipeline -------------===//
//
// Used by Plugin.cpp (one flag for clang) and PassPlugin.cpp (opt, lld).
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_PASS_H
#define GPUMEMPROF_PLUGIN_PASS_H

#include "base/Filter.h"
#include "base/Options.h"
#include "facts/SourceFacts.h"

#include "llvm/IR/PassManager.h"
#include <memory>

namespace llvm {
class PassBuilder;
}

namespace gpumemprof {

/// What the passes of one compilation share.
struct PassContext {
  Options Settings;
  Filter UserFilter;
  std::unique_ptr<SourceFacts> Facts = std::make_unique<NoSourceFacts>();
  bool CoroutinesWillBeSplit = true; // false: no later pass runs, so they get no frames
};

/// At PipelineStart: scopes, sites, thunks, registration.
class InstrumentPass : public llvm::PassInfoMixin<InstrumentPass> {
public:
  explicit InstrumentPass(std::shared_ptr<PassContext> Context) : Context(std::move(Context)) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  std::shared_ptr<PassContext> Context;
};

/// At OptimizerLast: the parts of coroutines.
class InstrumentCoroutinesPass : public llvm::PassInfoMixin<InstrumentCoroutinesPass> {
public:
  explicit InstrumentCoroutinesPass(std::shared_ptr<PassContext> Context)
      : Context(std::move(Context)) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  std::shared_ptr<PassContext> Context;
};

/// An InstrumentPass has run on the module.
bool wasInstrumented(const llvm::Module &M);

void addPasses(llvm::PassBuilder &PB, std::shared_ptr<PassContext> Context);
void addDevicePasses(llvm::PassBuilder &PB, const Options &Settings);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_PASS_H
