//===- WholeProgram.cpp - print harmless functions, check what was printed ===//
#include "passes/WholeProgram.h"

#include "analysis/Reachability.h"
#include "analysis/Roles.h"
#include "names/Names.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gpumemprof {
namespace {

/// Only such functions are called from files that do not see their body.
bool isForOtherFiles(const Function &F) {
  return !F.isDeclaration() && F.hasExternalLinkage() && !isOurs(F.getName()) &&
         F.getName() != "main";
}

std::string placeOf(const Instruction &I) {
  const DILocation *Loc = I.getDebugLoc();
  return Loc ? (" (" + Loc->getFilename() + ":" + Twine(Loc->getLine()) + ")").str() : "";
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
  return PreservedAnalyses::none(); // Roles takes its annotations
}

void checkPromises(Module &M, Reachability &Reach) {
  for (const Function &F : M) {
    if (!Reach.isPromisedInVain(F)) continue;
    for (const Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || !Reach.mayAllocate(*Call)) continue;
      M.getContext().emitError("the gpumemprof filter file says that '" + displayName(F) +
                               "' is harmless, but it " + Reach.reason(*Call) + placeOf(*Call));
      break;
    }
  }
}

} // namespace gpumemprof
