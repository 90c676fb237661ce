//===- LibraryCallbacks.cpp - overridden members and registered functions -===//
#include "analysis/LibraryCallbacks.h"

#include "base/IRQueries.h"
#include "names/StandardLibrary.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gpumemprof {
namespace {

/// Visits all globals that the constant \p Root refers to.
void eachGlobal(const Constant *Root, function_ref<void(const GlobalValue &)> Visit) {
  SmallVector<const Constant *, 8> Work{Root};
  while (!Work.empty()) {
    const Constant *C = Work.pop_back_val();
    if (auto *G = dyn_cast<GlobalValue>(C)) Visit(*G);
    else
      for (const Use &U : C->operands())
        if (auto *Operand = dyn_cast<Constant>(U.get())) Work.push_back(Operand);
  }
}

/// \p TypeInfo (_ZTI...) is of a class that is or derives from a stream buffer or a facet.
bool derivesFromStreams(const GlobalValue &TypeInfo, SmallPtrSetImpl<const GlobalValue *> &Seen) {
  StringRef Name = TypeInfo.getName();
  if (!Name.consume_front("_ZTI") || !Seen.insert(&TypeInfo).second) return false;
  if (standardClass(Name) == StandardFunction::Stream) return true;
  auto *Variable = dyn_cast<GlobalVariable>(&TypeInfo);
  if (!Variable || !Variable->hasInitializer()) return false;
  bool Found = false;
  eachGlobal(Variable->getInitializer(),
             [&](const GlobalValue &G) { Found |= derivesFromStreams(G, Seen); });
  return Found;
}

/// \p Table holds the virtual functions of a stream buffer or facet of the program.
bool isTableOfUsersStream(const GlobalVariable &Table) {
  StringRef Name = Table.getName();
  if (!Name.consume_front("_ZTV") || !Table.hasInitializer()) return false;
  if (standardClass(Name) == StandardFunction::Stream) return false;
  bool Found = false;
  eachGlobal(Table.getInitializer(), [&](const GlobalValue &G) {
    SmallPtrSet<const GlobalValue *, 8> Seen;
    Found |= derivesFromStreams(G, Seen);
  });
  return Found;
}

/// Adds the functions that calls of \p Name, which has three parameters, pass as \p Argument.
void addGiven(const Module &M, StringRef Name, unsigned Argument,
              SmallVectorImpl<const Function *> &Found) {
  const Function *Takes = M.getFunction(Name);
  if (!Takes) return;
  for (const User *U : Takes->users())
    if (auto *Call = dyn_cast<CallBase>(U); Call && Call->arg_size() == 3)
      if (const Function *F = asFunction(Call->getArgOperand(Argument))) Found.push_back(F);
}

} // namespace

SmallVector<const Function *, 8> functionsCalledBy(const Module &M, HarmlessCalls::Indirectly Way) {
  SmallVector<const Function *, 8> Found;
  if (Way == HarmlessCalls::Exceptions) { // their destructors
    addGiven(M, "__cxa_throw", 2, Found);
    addGiven(M, "__cxa_init_primary_exception", 2, Found);
    return Found;
  }
  // std::ios_base::register_callback(): any function of a stream may call these.
  addGiven(M, "_ZNSt8ios_base17register_callbackEPFvNS_5eventERS_iEi", 1, Found);
  for (const GlobalVariable &V : M.globals())
    if (isTableOfUsersStream(V))
      eachGlobal(V.getInitializer(), [&](const GlobalValue &G) {
        if (const Function *F = asFunction(&G)) Found.push_back(F);
      });
  return Found;
}

} // namespace gpumemprof
