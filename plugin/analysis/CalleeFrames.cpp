//===- CalleeFrames.cpp - functions whose frame stays open ----------------===//
#include "analysis/CalleeFrames.h"

#include "analysis/Reachability.h"
#include "analysis/ReturnPosition.h"
#include "analysis/Roles.h"
#include "base/IRQueries.h"
#include "names/CudaNames.h"
#include "names/NameKinds.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace gpumemprof {
namespace {

/// The function that \p Call names itself; null for an alias, which the linker may resolve
/// elsewhere.
const Function *directCallee(const CallBase &Call) {
  return dyn_cast<Function>(Call.getCalledOperand()->stripPointerCasts());
}

/// A call of \p F in this file runs this definition and no other.
bool isExact(const Function &F) {
  return F.hasExactDefinition() && F.isDSOLocal() && !F.hasAvailableExternallyLinkage();
}

/// The activation of \p F may end while a function that it called still runs. Every call within a
/// recursion counts, in return position or not.
bool mayEndEarly(const Function &F, const Reachability &Reach) {
  return any_of(instructions(F), [&](const Instruction &I) {
    auto *Call = dyn_cast<CallInst>(&I);
    if (!Call) return false;
    auto *Callee = calleeOf(*Call);
    return Call->isMustTailCall() || (Callee && Reach.isRecursive(F, *Callee));
  });
}

bool endsBeforeACall(Function &F, const Reachability &Reach) {
  return any_of(instructions(F), [&](Instruction &I) {
    auto *Call = dyn_cast<CallInst>(&I);
    const Function *Callee = Call ? directCallee(*Call) : nullptr;
    return Call && (Call->isMustTailCall() ||
                    (Callee && Reach.isRecursive(F, *Callee) && wayToReturn(*Call)));
  });
}

} // namespace

void CalleeFrames::find(ArrayRef<Function *> Framed, const Roles &FunctionRoles,
                        const Reachability &Reach) {
  for (Function *F : Framed)
    if (endsBeforeACall(*F, Reach)) EndingEarly.insert(F);
  for (const Function *F : Framed)
    if (isExact(*F) && !FunctionRoles.allocator(*F) && !mayEndEarly(*F, Reach)) Staying.insert(F);
}

const Function *CalleeFrames::entered(const CallBase &Call) const {
  const Function *Callee = directCallee(Call);
  return Callee && stays(*Callee) ? Callee : nullptr;
}

StringRef CalleeFrames::declared(const CallBase &Call) const {
  const Function *Callee = directCallee(Call);
  if (!Callee || !Callee->isDeclaration() || Callee->isIntrinsic() || isOurs(Callee->getName()) ||
      isCudaEntry(Callee->getName()))
    return "";
  return Callee->getName();
}

} // namespace gpumemprof
