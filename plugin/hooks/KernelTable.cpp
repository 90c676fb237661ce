//===- KernelTable.cpp ----------------------------------------------------===//
#include "hooks/KernelTable.h"

#include "facts/SourceFacts.h"
#include "names/Names.h"
#include "sites/SiteTable.h"

#include "gpumemprof/capture_uses.h"
#include "gpumemprof/hooks.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include <cstddef>

using namespace llvm;

namespace gpumemprof {
namespace {

// Positions in __cudaRegisterFunction(binary, function, device's name, name, ...).
constexpr unsigned FunctionArgument = 1, SymbolArgument = 2;

GlobalVariable *makeTable(Module &M, Type *Layout, StringRef Name) {
  auto *G = new GlobalVariable(M, Layout, true, GlobalValue::PrivateLinkage, nullptr, Name);
  G->setAlignment(Align(8));
  keepSanitizersOut(*G);
  return G;
}

GlobalVariable *makeWords(Module &M, SiteTable &Table, ArrayRef<KernelWord> Words) {
  LLVMContext &Ctx = M.getContext();
  Type *I16 = Type::getInt16Ty(Ctx), *I32 = Type::getInt32Ty(Ctx);
  StructType *Entry = StructType::get(Ctx, {I16, I16, I32, I32});
  ArrayType *Layout = ArrayType::get(Entry, Words.size());
  GlobalVariable *G = makeTable(M, Layout, "gpumemprof.kernel.words");
  SiteTable::Referring From = Table.referring(G, Words.size() * sizeof(gpumemprof_kernel_word));
  SmallVector<Constant *, 8> Contents;
  for (const KernelWord &W : Words) {
    size_t At =
        Contents.size() * sizeof(gpumemprof_kernel_word) + offsetof(gpumemprof_kernel_word, name);
    Contents.push_back(ConstantStruct::get(
        Entry, ConstantInt::get(I16, W.Parameter), ConstantInt::get(I16, W.Offset),
        ConstantInt::get(I32, W.IsPointer ? GPUMEMPROF_WORD_POINTER : 0),
        W.Name.empty() ? ConstantInt::get(I32, 0) : Table.distanceToText(W.Name, From, At)));
  }
  G->setInitializer(ConstantArray::get(Layout, Contents));
  return G;
}

void emitKernel(Module &M, SiteTable &Table, Function &F, StringRef Symbol,
                const KernelParameters &Parameters) {
  LLVMContext &Ctx = M.getContext();
  Type *I16 = Type::getInt16Ty(Ctx), *I32 = Type::getInt32Ty(Ctx);
  StructType *Layout =
      StructType::get(Ctx, {PointerType::getUnqual(Ctx), I32, I32, I32, I32, I16, I16, I32});
  GlobalVariable *G = makeTable(M, Layout, "gpumemprof.kernel");
  SiteTable::Referring From = Table.referring(G, sizeof(gpumemprof_kernel));
  auto Text = [&](StringRef Text, size_t At) -> Constant * {
    return Text.empty() ? ConstantInt::get(I32, 0) : Table.distanceToText(Text, From, At);
  };
  size_t Words = Parameters.Words.size();
  Constant *Word =
      Words ? distance(makeWords(M, Table, Parameters.Words), G, offsetof(gpumemprof_kernel, word))
            : ConstantInt::get(I32, 0);
  G->setInitializer(ConstantStruct::get(
      Layout, &F, Text(displayName(Symbol), offsetof(gpumemprof_kernel, name)),
      Text(Symbol, offsetof(gpumemprof_kernel, symbol)),
      Text(Parameters.File, offsetof(gpumemprof_kernel, file)),
      ConstantInt::get(I32, Parameters.Line), ConstantInt::get(I16, Words),
      ConstantInt::get(I16, Parameters.TooMany ? GPUMEMPROF_KERNEL_UNKNOWN : 0), Word));
  G->setSection(KernelsSection);
  appendToUsed(M, {G});
}

/// The names in device code that start-up code gives to CUDA. Those of kernels that no other file
/// sees differ from what the front end knows.
DenseMap<const Function *, StringRef> registeredSymbols(Module &M) {
  DenseMap<const Function *, StringRef> Result;
  Function *Register = M.getFunction("__cudaRegisterFunction");
  if (!Register || !Register->isDeclaration()) return Result;
  for (User *U : Register->users()) {
    auto *Call = dyn_cast<CallBase>(U);
    if (!Call || Call->arg_size() <= SymbolArgument) continue;
    auto *F = dyn_cast<Function>(Call->getArgOperand(FunctionArgument)->stripPointerCasts());
    StringRef Symbol;
    if (F && getConstantStringInfo(Call->getArgOperand(SymbolArgument), Symbol)) Result[F] = Symbol;
  }
  return Result;
}

} // namespace

bool emitKernels(Module &M, SiteTable &Table, SourceFacts &Facts) {
  static_assert(sizeof(gpumemprof_kernel) == 32 && sizeof(gpumemprof_kernel_word) == 12);
  DenseMap<const Function *, StringRef> Registered = registeredSymbols(M);
  bool Any = false;
  for (Function &F : M) {
    const KernelParameters *Parameters = F.isDeclaration() ? nullptr : Facts.kernel(F.getName());
    if (!Parameters) continue;
    auto Known = Registered.find(&F);
    emitKernel(M, Table, F, Known == Registered.end() ? Parameters->Symbol : Known->second.str(),
               *Parameters);
    Any = true;
  }
  return Any;
}

} // namespace gpumemprof
