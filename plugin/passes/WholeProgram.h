//===- WholeProgram.h - the functions of a program that move no memory ----===//
//
// One file knows nothing about the others: a call into another file is a reason for a
// frame even if the callee only adds two numbers. Where all files can be seen together
// (their bitcode linked by llvm-link, before any optimisation), this pass prints the
// functions that reach no allocation as lines of a filter file (Filter.h), which the
// next build reads:
//
//   opt -load-pass-plugin gpumemprof-pass.so -passes=gpumemprof-harmless
//
// The list is checked: each compilation compares it with the functions that it
// defines, so a list that is too old is an error and not a missing line.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_WHOLEPROGRAM_H
#define GPUMEMPROF_PLUGIN_WHOLEPROGRAM_H

#include "passes/Pass.h"

namespace gpumemprof {

/// Prints the list to standard output. Only annotations are removed from the module.
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
