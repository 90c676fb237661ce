//===- KernelFacts.cpp ----------------------------------------------------===//
#include "device/KernelFacts.h"

#include "base/Compat.h"
#include "device/AddressFlow.h"
#include "device/KernelAccess.h"

#include "gpumemprof/kernel_facts.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gpumemprof {
namespace {

constexpr size_t LongestJoined = 2000; // of what is said about several kernels

constexpr char Letters[] = {
#define GPUMEMPROF_KERNEL_REASON(NAME, letter, text) letter,
#include "gpumemprof/kernel_reasons.def"
};

char letterOf(const WordAccess &Word) {
  static constexpr char Classes[] = GPUMEMPROF_FACTS_CLASSES;
  char Letter = Classes[Word.How & Escapes ? 4 : Word.How];
  return Word.IsNumber ? toUpper(Letter) : Letter;
}

std::string nameOf(const Function &Kernel) {
  KernelAccess Found = accessOf(Kernel);
  std::string Name;
  raw_string_ostream Out(Name);
  Out << GPUMEMPROF_FACTS_PREFIX "$" GPUMEMPROF_FACTS_VERSION "$"
      << format_hex_no_prefix(
             gpumemprof_facts_kernel(Kernel.getName().data(), Kernel.getName().size()), 16)
      << '$';
  for (unsigned R = 0; R < unsigned(Reason::Count); ++R)
    if (Found.Reasons >> R & 1) Out << Letters[R];
  Out << '$';
  size_t Next = 0;
  for (const Argument &A : Kernel.args()) {
    Out << 'p';
    while (Next < Found.Words.size() && Found.Words[Next].Parameter == A.getArgNo()) {
      char Letter = letterOf(Found.Words[Next]);
      size_t First = Next++;
      while (Next < Found.Words.size() && Found.Words[Next].Parameter == A.getArgNo() &&
             letterOf(Found.Words[Next]) == Letter)
        ++Next;
      Out << Letter;
      if (Next > First + 1) Out << Next - First;
    }
  }
  Out << '$';
  for (char C : Found.Name) Out << (isAlnum(C) || C == '_' ? C : '$');
  return Out.str();
}

/// A kernel of that name that does nothing, for the device of \p Like. Weak: a kernel may be in
/// several files that nvlink joins.
void say(Module &M, std::string &Name, const Function &Like) {
  LLVMContext &Ctx = M.getContext();
  if (!M.getNamedValue(Name)) {
    auto *F = Function::Create(FunctionType::get(Type::getVoidTy(Ctx), false),
                               GlobalValue::WeakAnyLinkage, Name, M);
    F->setCallingConv(CallingConv::PTX_Kernel);
    F->setDoesNotThrow();
    for (StringRef Kind : {"target-cpu", "target-features"})
      if (Attribute A = Like.getFnAttribute(Kind); A.isValid()) F->addFnAttr(A);
    ReturnInst::Create(Ctx, BasicBlock::Create(Ctx, "", F));
  }
  Name.clear();
}

} // namespace

PreservedAnalyses KernelFactsPass::run(Module &M, ModuleAnalysisManager &) {
  if (!compat::targetTriple(M).isNVPTX()) return PreservedAnalyses::all();
  SmallVector<std::string, 16> Names;
  const Function *Kernel = nullptr;
  for (const Function &F : M)
    if (compat::isKernel(F) && !F.isDeclaration() &&
        !F.getName().starts_with(GPUMEMPROF_FACTS_PREFIX)) {
      Names.push_back(nameOf(F));
      Kernel = &F;
    }
  std::string Joined;
  for (const std::string &Name : Names) {
    if (Joined.size() + Name.size() > LongestJoined) say(M, Joined, *Kernel);
    Joined += Joined.empty() ? Name : "$" + Name;
  }
  if (!Joined.empty()) say(M, Joined, *Kernel);
  return Names.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace gpumemprof
