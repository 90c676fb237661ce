//===- Assumptions.cpp - the tables of assumed names and of movers --------===//
#include "hooks/Assumptions.h"

#include "analysis/LibraryCallbacks.h"
#include "analysis/Reachability.h"
#include "base/IRQueries.h"
#include "names/StandardLibrary.h"
#include "sites/SiteTable.h"

#include "gpumemprof/hooks.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace gpumemprof {
namespace {

/// FNV-1a, as hooks.h says.
uint32_t hashOf(StringRef Name) {
  uint32_t Hash = 2166136261u;
  for (char C : Name) Hash = (Hash ^ uint8_t(C)) * 16777619u;
  return Hash;
}

struct Mover {
  Constant *Scope;
  StringRef Name; // to compare with what other objects assumed; "": it is not called by its name
  StringRef Word; // its name in the filter file; "": that of the function
  bool Always;    // every object assumes that it is harmless
};

/// Whether the libraries themselves call the function, so that a program's own definition replaces
/// theirs.
bool isAllocatorOfLibraries(StringRef Name) {
  static const StringLiteral Names[] = {
      "malloc",   "calloc", "realloc",        "free",         "aligned_alloc",
      "memalign", "valloc", "posix_memalign", "reallocarray", "malloc_usable_size"};
  return isOperatorNewOrDelete(Name) || is_contained(Names, Name);
}

class Emitter {
public:
  Emitter(Module &M, Reachability &Reach, SiteTable &Table,
          const DenseMap<const Function *, Constant *> &Scopes, bool Assumes)
      : M(M), Reach(Reach), Harmless(Reach.harmlessCalls()), Table(Table), Scopes(Scopes),
        Assumes(Assumes) {}

  void run() {
    for (const Function &F : M) {
      Constant *Scope = Scopes.lookup(&F);
      if (!Scope) continue;
      if (Assumes && Reach.isWronglyTrusted(F)) Movers.push_back({Scope, "", F.getName(), true});
      else if (isForOtherFiles(F) && Reach.mayMove(F)) addNamed(Scope, F.getName());
    }
    for (const GlobalAlias &A : M.aliases()) {
      const Function *F = asFunction(&A);
      Constant *Scope = F ? Scopes.lookup(F) : nullptr;
      if (Scope && !A.hasLocalLinkage() && Reach.mayMove(*F)) addNamed(Scope, A.getName());
    }
    add(HarmlessCalls::Streams, StreamsWord);
    add(HarmlessCalls::Exceptions, ExceptionsWord);
    if (Assumes) emitAssumed();
    emitMovers();
  }

private:
  static bool isForOtherFiles(const Function &F) {
    return !F.hasLocalLinkage() && !F.hasLinkOnceLinkage() && F.getName() != "main";
  }

  /// With `ld --wrap=f`, calls of f in other objects are calls of __wrap_f.
  void addNamed(Constant *Scope, StringRef Name) {
    bool Wraps = Name.consume_front("__wrap_"), Listed = Harmless.isOfTheLists(Name);
    if (Wraps && Listed)
      Movers.push_back({Scope, "", Name, true}); // the loader finds another function of this name
    else Movers.push_back({Scope, Name, Listed ? Name : "", isAllocatorOfLibraries(Name)});
  }

  void add(HarmlessCalls::Indirectly Way, StringRef Word) {
    SmallPtrSet<const Function *, 8> Seen;
    SmallVector<const Function *, 8> Work = functionsCalledBy(M, Way);
    while (!Work.empty()) {
      const Function *F = Work.pop_back_val();
      if (F->isIntrinsic() || !Seen.insert(F).second) continue;
      if (F->isDeclarationForLinker()) {
        // It is another file's, which has it among its movers if memory may move in it.
        if (!Harmless.isOfTheLists(F->getName())) Harmless.assume(F->getName());
        continue;
      }
      if (!Reach.mayMove(*F)) continue;
      if (Constant *Scope = Scopes.lookup(F)) {
        Movers.push_back({Scope, "", Word, true});
        continue;
      }
      for (const Instruction &I : instructions(*F)) // the compiler made it; what it calls counts
        if (auto *Call = dyn_cast<CallBase>(&I))
          if (const Function *Callee = asFunction(Call->getCalledOperand())) Work.push_back(Callee);
    }
  }

  GlobalVariable *table(Type *Layout, Constant *Content, StringRef Name) {
    auto *G = new GlobalVariable(M, Layout, true, GlobalValue::PrivateLinkage, Content,
                                 (Name + ".table").str());
    G->setSection(Name);
    keepSanitizersOut(*G);
    // Only the symbols of its section's ends refer to it.
    appendToUsed(M, {G});
    return G;
  }

  void emitAssumed() {
    std::vector<uint32_t> Hashes;
    for (const auto &Entry : Harmless.assumed()) Hashes.push_back(hashOf(Entry.getKey()));
    if (Hashes.empty()) return;
    sort(Hashes);
    Constant *Content = ConstantDataArray::get(M.getContext(), Hashes);
    table(Content->getType(), Content, AssumedSection)->setAlignment(Align(4));
  }

  void emitMovers() {
    if (Movers.empty()) return;
    LLVMContext &Ctx = M.getContext();
    Type *I32 = Type::getInt32Ty(Ctx);
    auto *Layout = StructType::get(Ctx, {I32, I32, I32, I32});
    auto *All = ArrayType::get(Layout, Movers.size());
    GlobalVariable *G = table(All, nullptr, MoversSection);
    SiteTable::Referring From = Table.referring(G, Movers.size() * sizeof(gpumemprof_mover));
    SmallVector<Constant *, 8> Contents;
    for (const Mover &Each : Movers) {
      auto Number = [&](uint64_t N) { return ConstantInt::get(I32, N); };
      size_t At = Contents.size() * sizeof(gpumemprof_mover);
      Contents.push_back(ConstantStruct::get(
          Layout, Number(Each.Name.empty() ? 0 : hashOf(Each.Name)), Number(Each.Always),
          distance(Each.Scope, G, At + offsetof(gpumemprof_mover, site)),
          Each.Word.empty()
              ? Number(0)
              : Table.distanceToText(Each.Word, From, At + offsetof(gpumemprof_mover, word))));
    }
    G->setInitializer(ConstantArray::get(All, Contents));
    G->setAlignment(Align(4));
  }

  Module &M;
  Reachability &Reach;
  HarmlessCalls &Harmless;
  SiteTable &Table;
  const DenseMap<const Function *, Constant *> &Scopes;
  const bool Assumes;
  SmallVector<Mover, 0> Movers;
};

} // namespace

void emitAssumptions(Module &M, Reachability &Reach, SiteTable &Table,
                     const DenseMap<const Function *, Constant *> &Scopes, Mode WhichFunctions) {
  // mode=every: each call has a line, whatever it may do.
  Emitter(M, Reach, Table, Scopes, WhichFunctions != Mode::Every).run();
}

} // namespace gpumemprof
