//===- Roles.cpp - user functions, transparent functions, our own ---------===//
#include "analysis/Roles.h"

#include "base/Filter.h"
#include "base/IRQueries.h"
#include "facts/SourceFacts.h"
#include "names/Names.h"

#include "gpumemprof/hooks.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gpumemprof {
namespace {

constexpr StringLiteral ProfileAnnotation = "gpumemprof.profile";
constexpr StringLiteral IgnoreAnnotation = "gpumemprof.ignore";

StringRef annotationText(const Constant *Entry) {
  auto *Fields = dyn_cast<ConstantStruct>(Entry);
  if (!Fields || Fields->getNumOperands() < 2) return "";
  return cStringAt(Fields->getOperand(1));
}

/// Made up by the compiler, but it runs code the user wrote on a line of his.
bool runsUserCode(StringRef Linkage) {
  return Linkage.starts_with("__cxx_global_var_init") || Linkage.contains(".omp_outlined");
}

/// With -g, a parallel region is a function around a function.
bool isAroundParallelRegion(const Function &F) {
  return F.getName().contains(".omp_outlined") && any_of(instructions(F), [](const Instruction &I) {
           auto *Call = dyn_cast<CallBase>(&I);
           const Function *Callee = Call ? calleeOf(*Call) : nullptr;
           return Callee && Callee->getName().contains(".omp_outlined_debug__");
         });
}

/// The object of the member function \p F, or the local variable that clang keeps it in.
bool isThis(const Value *V, const Function &F) {
  if (F.arg_empty()) return false;
  const Argument *This = F.getArg(0);
  if (V->stripPointerCasts() == This) return true;
  auto *Load = dyn_cast<LoadInst>(V->stripPointerCasts());
  auto *Kept = Load ? dyn_cast<AllocaInst>(Load->getPointerOperand()) : nullptr;
  return Kept && all_of(Kept->users(), [&](const User *U) {
           auto *Store = dyn_cast<StoreInst>(U);
           return Store ? Store->getValueOperand() == This : isa<LoadInst, IntrinsicInst>(U);
         });
}

/// What a destructor's other variants do besides: they destroy virtual bases, give memory back, and
/// end the program when a clean-up throws.
bool mayStandBesideForwarding(const Function &Forwarding, StringRef Callee) {
  return Callee == "__clang_call_terminate" || Callee.starts_with("__ubsan_handle") ||
         (isDestructor(Forwarding.getName()) &&
          (isDestructor(Callee) || Callee.starts_with("_ZdlPv") || Callee.contains("dlEPv")));
}

/// A constructor or destructor that hands its own object on to another variant of itself, and does
/// nothing else: at -O2 clang makes it an alias.
bool onlyForwards(const Function &F) {
  StringRef Name = F.getName();
  if (!Name.starts_with("_ZN")) return false;
  bool Forwards = false;
  for (const Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || isa<IntrinsicInst>(Call)) continue;
    const Function *Callee = calleeOf(*Call);
    if (!Callee) return false;
    if (isVariantOf(Name, Callee->getName()) && !Call->arg_empty() &&
        isThis(Call->getArgOperand(0), F))
      Forwards = true;
    else if (!mayStandBesideForwarding(F, Callee->getName())) return false;
  }
  return Forwards;
}

/// A destructor that does nothing but call that of a base, whose object is the same: another alias.
bool onlyCallsBaseDestructor(const Function &F) {
  if (!isDestructor(F.getName())) return false;
  unsigned Calls = 0;
  for (const Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || isa<IntrinsicInst>(Call)) continue;
    const Function *Callee = calleeOf(*Call);
    if (!Callee || ++Calls > 1 || !isDestructor(Callee->getName()) || Call->arg_empty() ||
        !Callee->getName().contains("D2E") || !isThis(Call->getArgOperand(0), F))
      return false;
  }
  return Calls == 1;
}

/// Where the arguments cannot be handed on and the result is another type's, clang makes a copy of
/// the whole function instead of a thunk. Real thunks of variadic functions are musttail calls.
bool isCloneForVariadicThunk(const Function &F) {
  return F.isVarArg() && none_of(F, [](const BasicBlock &Block) {
           return Block.getTerminatingMustTailCall() != nullptr;
         });
}

} // namespace

Roles::Roles(Module &M, SourceFacts &Facts, const Filter &UserFilter) {
  readAnnotations(M);
  findResolvers(M);
  // Not llvm.dbg.cu: it is empty where lines are only tracked (no -g).
  bool HasDebugInfo = any_of(M, [](const Function &F) { return F.getSubprogram() != nullptr; });
  for (const Function &F : M) RoleOf[&F] = decide(F, HasDebugInfo, Facts, UserFilter);
}

/// Resolvers of ifuncs and what they call, directly or not. The functions that they choose from are
/// mentioned by them too, but not called.
void Roles::findResolvers(const Module &M) {
  SmallVector<const Function *, 4> Work;
  auto Add = [&](const Function *F) {
    if (F && !F->isDeclaration() && Resolvers.insert(F).second) Work.push_back(F);
  };
  for (const GlobalIFunc &I : M.ifuncs()) Add(I.getResolverFunction());
  while (!Work.empty())
    for (const Instruction &I : instructions(Work.pop_back_val()))
      if (auto *Call = dyn_cast<CallBase>(&I)) Add(calleeOf(*Call));
}

/// On several declarations the size is the same.
void Roles::addBudget(const Function &F, const Budget &Read) {
  Budget &B = Budgets[&F];
  if (Read.Flags & GPUMEMPROF_SITE_BUDGET)
    B.Size = B.Flags & GPUMEMPROF_SITE_BUDGET && B.Size != Read.Size ? "" : Read.Size;
  B.Flags |= Read.Flags;
}

void Roles::readAnnotations(Module &M) {
  GlobalVariable *Table = M.getNamedGlobal("llvm.global.annotations");
  auto *Entries =
      Table && Table->hasInitializer() ? dyn_cast<ConstantArray>(Table->getInitializer()) : nullptr;
  if (!Entries) return;
  SmallVector<Constant *, 8> Others;
  for (Use &U : Entries->operands()) {
    auto *Entry = cast<Constant>(U.get());
    StringRef Text = annotationText(Entry);
    std::optional<PoolFunction> Pool = PoolFunction::parse(Text);
    std::optional<Budget> Read = Budget::parse(Text);
    if (!Pool && !Read && Text != ProfileAnnotation && Text != IgnoreAnnotation) {
      Others.push_back(Entry);
      continue;
    }
    auto *F = dyn_cast<Function>(Entry->getOperand(0)->stripPointerCasts());
    if (F && Pool) Allocators[F] = *Pool;
    else if (F && Read) addBudget(*F, *Read);
    else if (F) (Text == ProfileAnnotation ? Profiled : Ignored).insert(F);
  }
  if (Others.size() == Entries->getNumOperands()) return;
  std::string Name = Table->getName().str(), Section = Table->getSection().str();
  Table->setName("");
  if (!Others.empty()) {
    auto *Type = ArrayType::get(Others[0]->getType(), Others.size());
    auto *Rest = new GlobalVariable(M, Type, Table->isConstant(), Table->getLinkage(),
                                    ConstantArray::get(Type, Others), Name);
    Rest->setSection(Section);
  }
  Table->eraseFromParent();
}

Role Roles::decide(const Function &F, bool HasDebugInfo, SourceFacts &Facts,
                   const Filter &UserFilter) const {
  StringRef Linkage = F.getName();
  if (isOurs(Linkage)) return Role::Ours;
  if (F.isDeclaration() || F.hasFnAttribute(Attribute::Naked) || Resolvers.contains(&F) ||
      Ignored.contains(&F))
    return Role::Transparent;
  std::string Path;
  if (HasDebugInfo) {
    const DISubprogram *SP = F.getSubprogram();
    if (!SP) return Role::Transparent;
    Path = absolutePath(SP->getDirectory(), SP->getFilename());
    if (!Profiled.contains(&F) && !budget(F)) {
      if (SP->isArtificial() && !runsUserCode(Linkage)) return Role::Transparent;
      if (Facts.isSystemFile(Path)) return Role::Transparent;
    }
  }
  if ((isAdjustorThunk(Linkage) && !isCloneForVariadicThunk(F)) || isAroundParallelRegion(F) ||
      onlyForwards(F))
    return Role::Transparent;
  if (!Profiled.contains(&F) && !budget(F) && onlyCallsBaseDestructor(F)) return Role::Transparent;
  if (!UserFilter.empty() && UserFilter.excludes(Linkage, displayName(F), Path))
    return Role::Transparent;
  return F.isPresplitCoroutine() ? Role::Coroutine : Role::User;
}

} // namespace gpumemprof
