//===- StaticMemory.cpp - finds the registrations of variables ------------===//
#include "hooks/StaticMemory.h"

#include "abi/RuntimeABI.h"
#include "facts/SourceFacts.h"
#include "names/Names.h"
#include "sites/SiteTable.h"

#include "gpumemprof/hooks.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gpumemprof {
namespace {

// Positions in __cudaRegisterVar(binary, shadow, address, name, ext, size, constant, global) and
// __cudaRegisterManagedVar, whose second argument is the shadow's address.
constexpr unsigned Binary = 0, Shadow = 1, Size = 5, Arguments = 8;

/// The variable of the host that represents the device's.
const GlobalVariable *shadowOf(const CallBase &Call) {
  return dyn_cast<GlobalVariable>(Call.getArgOperand(Shadow)->stripPointerCasts());
}

Site siteOf(const GlobalVariable *Variable, SourceFacts &Facts, bool WithText) {
  Site S;
  S.Kind = GPUMEMPROF_SITE_CALL;
  S.Function = "(static)";
  if (!Variable) return S;
  // clang gives a managed variable's own name to the pointer to it.
  StringRef Name = Variable->getName();
  Name.consume_back(".managed");
  S.Variable = displayName(Name);
  SourceFacts::Declaration Place = Facts.variableAt(Name);
  S.File = Place.Path;
  S.Line = Place.Line;
  SmallVector<DIGlobalVariableExpression *, 1> Debug;
  Variable->getDebugInfo(Debug);
  if (!S.Line && !Debug.empty()) {
    const DIGlobalVariable *V = Debug[0]->getVariable();
    S.File = absolutePath(V->getDirectory(), V->getFilename());
    S.Line = V->getLine();
  }
  if (WithText && S.Line) S.SourceLine = Facts.lineText(S.File, S.Line, S.Column);
  return S;
}

} // namespace

bool reportStaticMemory(Module &M, RuntimeABI &ABI, SiteTable &Table, SourceFacts &Facts,
                        bool WithText) {
  SmallVector<CallInst *, 8> Calls;
  SmallVector<Site, 8> Sites;
  for (StringRef Name : {"__cudaRegisterVar", "__cudaRegisterManagedVar"}) {
    Function *Register = M.getFunction(Name);
    if (!Register || !Register->isDeclaration()) continue;
    for (User *U : Register->users()) {
      auto *Call = dyn_cast<CallInst>(U);
      if (!Call || Call->arg_size() != Arguments) continue;
      Calls.push_back(Call);
      Sites.push_back(siteOf(shadowOf(*Call), Facts, WithText));
    }
  }
  if (Calls.empty()) return false;
  SmallVector<Constant *, 8> Addresses = Table.add(Sites);
  Type *I64 = Type::getInt64Ty(M.getContext()), *I32 = Type::getInt32Ty(M.getContext());
  Function *Hook =
      ABI.hook("__gpumemprof_variable", ABI.voidOf({ABI.pointer(), ABI.pointer(), I64, I32}));
  for (unsigned I = 0; I < Calls.size(); ++I) {
    IRBuilder<> B(Calls[I]->getNextNode());
    Value *Bytes = B.CreateZExtOrTrunc(Calls[I]->getArgOperand(Size), I64);
    bool Managed = Calls[I]->getCalledFunction()->getName() == "__cudaRegisterManagedVar";
    ABI.callHook(
        B, Hook,
        {Calls[I]->getArgOperand(Binary), Addresses[I], Bytes, ConstantInt::get(I32, Managed)});
  }
  return true;
}

} // namespace gpumemprof
