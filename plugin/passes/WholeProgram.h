//===- WholeProgram.h - which functions a whole program never needs -------===//
//
// One file knows nothing of the others: a call into another file keeps a frame
// though it may only add two numbers. Where all files can be seen at once (their
// bitcode linked by llvm-link, before any optimisation) this pass prints the
// functions that reach no allocation as lines of a filter file (Filter.h), and
// the next build knows them:
//
//   opt -load-pass-plugin gpumemprof-pass.so -passes=gpumemprof-harmless
//
// Nobody has to trust the list. Each compilation checks the functions it defines
// against it, so a list that got too old is an error and not a missing line.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_WHOLEPROGRAM_H
#define GPUMEMPROF_PLUGIN_WHOLEPROGRAM_H

#include "passes/Pass.h"

namespace gpumemprof {

/// Prints to standard output and changes nothing that matters.
class ListHarmlessPass : public llvm::PassInfoMixin<ListHarmlessPass> {
public:
  explicit ListHarmlessPass(std::shared_ptr<PassContext> Context) : Context(std::move(Context)) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  std::shared_ptr<PassContext> Context;
};

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_WHOLEPROGRAM_H
