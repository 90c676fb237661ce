//===- Roles.cpp - annotations, resolvers, functions the compiler made ----===//
//
// A role comes from what the source says (annotations), from the debug information
// (is the file the user's, is the function artificial?) and from the name and calls
// of a function, which tell whether the compiler made it.
//
//===----------------------------------------------------------------------===//
#include "analysis/Roles.h"

#include "base/Filter.h"
#include "base/IRQueries.h"
#include "facts/SourceFacts.h"
#include "names/NameKinds.h"
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
constexpr StringLiteral NotWrapperAnnotation = "gpumemprof.not_wrapper";

StringRef annotationText(const Constant *Entry) {
  auto *Fields = dyn_cast<ConstantStruct>(Entry);
  if (!Fields || Fields->getNumOperands() < 2) return "";
  return cStringAt(Fields->getOperand(1));
}

/// The compiler made the function, but it runs code that the user wrote.
bool runsUserCode(StringRef Linkage) {
  return Linkage.starts_with("__cxx_global_var_init") || Linkage.contains(".omp_outlined");
}

/// Containers and allocators that are often not among the system headers: the user's line has what
/// they allocate, as it has that of std::vector.
bool isOfLibrary(StringRef Linkage) {
  if (!Linkage.consume_front("_ZN")) return false;
  Linkage.consume_front("K");
  return Linkage.starts_with("6thrust") || Linkage.starts_with("3cub") ||
         Linkage.starts_with("3rmm");
}

/// \p V is the object of the member function \p F, or the local variable in which clang keeps it.
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

/// A variant of a destructor may make these calls besides the one that forwards its object: they
/// destroy virtual bases, free the object, and end the program when a clean-up throws.
bool mayAccompanyForwarding(bool OfDestructor, StringRef Callee) {
  return Callee == "__clang_call_terminate" || Callee.starts_with("__ubsan_handle") ||
         (OfDestructor &&
          (isDestructor(Callee) || Callee.starts_with("_ZdlPv") || Callee.contains("dlEPv")));
}

/// What a function is whose calls show that the compiler made it.
enum class Wrapper {
  None,
  ParallelRegion, // with -g, OpenMP wraps the function of a region in another function
  Forwarding,     // passes its object to another variant of the same constructor or destructor
  BaseDestructor  // only destroys a base, whose object is the same
};

/// One walk over the calls of a function, which finds out what wrapper it is. The first call that
/// does not fit rules a kind out; the walk ends when every kind is ruled out.
class WrapperWalk {
public:
  explicit WrapperWalk(const Function &F)
      : F(F), MayBeRegion(F.getName().contains(".omp_outlined")),
        MayForward(F.getName().starts_with("_ZN")), IsDestructor(isDestructor(F.getName())),
        MayDestroyBase(IsDestructor) {}

  Wrapper kind() {
    if (!MayBeRegion && !MayForward) return Wrapper::None; // a destructor's name is a _ZN name
    for (const Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || isa<IntrinsicInst>(Call)) continue;
      visit(*Call);
      if (IsRegion) return Wrapper::ParallelRegion;
      if (!MayBeRegion && !MayForward && !MayDestroyBase) return Wrapper::None;
    }
    if (MayForward && Forwards) return Wrapper::Forwarding;
    return MayDestroyBase && Calls == 1 ? Wrapper::BaseDestructor : Wrapper::None;
  }

private:
  void visit(const CallBase &Call) {
    const Function *Callee = calleeOf(Call);
    StringRef Name = Callee ? Callee->getName() : "";
    ++Calls;
    IsRegion = MayBeRegion && Name.contains(".omp_outlined_debug__");
    bool OfSameObject = Callee && !Call.arg_empty() && isThis(Call.getArgOperand(0), F);
    if (MayForward && OfSameObject && isVariantOf(F.getName(), Name)) Forwards = true;
    else MayForward = MayForward && Callee && mayAccompanyForwarding(IsDestructor, Name);
    MayDestroyBase =
        MayDestroyBase && Calls == 1 && OfSameObject && Name.contains("D2E") && isDestructor(Name);
  }

  const Function &F;
  const bool MayBeRegion;
  bool MayForward;
  const bool IsDestructor;
  bool MayDestroyBase;
  bool IsRegion = false, Forwards = false;
  unsigned Calls = 0;
};

/// Variadic arguments cannot be forwarded, so where the result must be adjusted clang copies the
/// whole function instead of making a thunk. A real thunk of a variadic function is a musttail
/// call.
bool isCloneForVariadicThunk(const Function &F) {
  return F.isVarArg() && none_of(F, [](const BasicBlock &Block) {
           return Block.getTerminatingMustTailCall() != nullptr;
         });
}

} // namespace

Roles::Roles(Module &M, SourceFacts &Facts, const Filter &UserFilter) {
  readAnnotations(M);
  findResolvers(M);
  // llvm.dbg.cu does not show that, because it is empty where lines are only tracked (no -g).
  bool HasDebugInfo = any_of(M, [](const Function &F) { return F.getSubprogram() != nullptr; });
  for (const Function &F : M) RoleOf[&F] = decide(F, HasDebugInfo, Facts, UserFilter);
}

/// Collects the resolvers of ifuncs and the functions that they call, directly or not. A resolver
/// refers to the functions that it chooses from as well, but does not call them.
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

/// A function may have its budget on several declarations, each with the same size.
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
    DenseSet<const Function *> *Marked = Text == ProfileAnnotation      ? &Profiled
                                         : Text == IgnoreAnnotation     ? &Ignored
                                         : Text == NotWrapperAnnotation ? &NotWrappers
                                                                        : nullptr;
    if (!Pool && !Read && !Marked) {
      Others.push_back(Entry);
      continue;
    }
    auto *F = dyn_cast<Function>(Entry->getOperand(0)->stripPointerCasts());
    if (F && Pool) Allocators[F] = *Pool;
    else if (F && Read) addBudget(*F, *Read);
    else if (F) Marked->insert(F);
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
      if (Facts.isSystemFile(Path) || isOfLibrary(Linkage)) return Role::Transparent;
    }
  }
  if (isAdjustorThunk(Linkage) && !isCloneForVariadicThunk(F)) return Role::Transparent;
  Wrapper Kind = WrapperWalk(F).kind();
  bool Asked = Profiled.contains(&F) || budget(F); // the user wants this function as a scope
  if (Kind == Wrapper::BaseDestructor ? !Asked : Kind != Wrapper::None) return Role::Transparent;
  if (!UserFilter.empty() && UserFilter.excludes(Linkage, displayName(F), Path))
    return Role::Transparent;
  return F.isPresplitCoroutine() ? Role::Coroutine : Role::User;
}

} // namespace gpumemprof
