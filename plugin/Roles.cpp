//===- Roles.cpp - user functions, transparent functions, our own ---------===//
#include "Roles.h"

#include "Filter.h"
#include "Names.h"
#include "SourceFacts.h"

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
  auto *Text = dyn_cast<GlobalVariable>(Fields->getOperand(1)->stripPointerCasts());
  if (!Text || !Text->hasInitializer()) return "";
  auto *Data = dyn_cast<ConstantDataSequential>(Text->getInitializer());
  return Data && Data->isCString() ? Data->getAsCString() : "";
}

/// Made up by the compiler, but it runs code the user wrote on a line of his.
bool runsUserCode(StringRef Linkage) {
  return Linkage.starts_with("__cxx_global_var_init") || Linkage.contains(".omp_outlined");
}

/// A constructor or destructor that only hands on to another variant of itself, or a destructor
/// that only calls its base's: at -O2 clang makes them aliases.
bool onlyForwards(const Function &F) {
  StringRef Name = F.getName();
  bool Outlined = Name.contains(".omp_outlined");
  if (!Outlined && !Name.starts_with("_ZN")) return false;
  const Function *OnlyCallee = nullptr;
  unsigned Calls = 0;
  for (const Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || isa<IntrinsicInst>(Call)) continue;
    auto *Callee = dyn_cast<Function>(Call->getCalledOperand()->stripPointerCastsAndAliases());
    if (!Callee) return false;
    // With -g, a parallel region is a function around a function.
    if (Outlined && Callee->getName().contains(".omp_outlined_debug__")) return true;
    if (isVariantOf(Name, Callee->getName())) return true;
    OnlyCallee = Callee;
    if (++Calls > 1) break;
  }
  if (Calls == 1) return isDestructor(OnlyCallee->getName()) && isDestructor(Name);
  // A deleting destructor: its second call gives the memory back.
  return false;
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
      if (auto *Call = dyn_cast<CallBase>(&I))
        Add(dyn_cast<Function>(Call->getCalledOperand()->stripPointerCastsAndAliases()));
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
  if (isAdjustorThunk(Linkage) || onlyForwards(F)) return Role::Transparent;
  if (!UserFilter.empty() && UserFilter.excludes(Linkage, displayName(F), Path))
    return Role::Transparent;
  return F.isPresplitCoroutine() ? Role::Coroutine : Role::User;
}

} // namespace gpumemprof
