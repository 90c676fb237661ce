//===- WholeProgram.cpp - print the harmless functions of a program =====//
#include "passes/WholeProgram.h"

#include "analysis/Reachability.h"
#include "analysis/Roles.h"
#include "names/NameKinds.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gpumemprof {
namespace {

/// Other files, which do not see the body of \p F, may call it.
bool isForOtherFiles(const Function &F) {
  return !F.isDeclaration() && F.hasExternalLinkage() && !isOurs(F.getName()) &&
         F.getName() != "main";
}

} // namespace

PreservedAnalyses ListHarmlessPass::run(Module &M, ModuleAnalysisManager &) {
  if (wasInstrumented(M)) {
    M.getContext().emitError("gpumemprof-harmless needs the bitcode of a build without gpumemprof");
    return PreservedAnalyses::all();
  }
  Roles FunctionRoles(M, *Context->Facts, Context->UserFilter);
  Reachability Reach(M, FunctionRoles, *Context->Facts, Context->UserFilter, Mode::All);
  for (const Function &F : M)
    if (isForOtherFiles(F) && !Reach.mayAllocate(F)) outs() << "harmless:" << F.getName() << '\n';
  return PreservedAnalyses::none(); // Roles removes its annotations
}

} // namespace gpumemprof
