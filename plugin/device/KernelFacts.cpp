//===- KernelFacts.cpp ----------------------------------------------------===//
#include "device/KernelFacts.h"

#include "base/Compat.h"
#include "device/AddressFlow.h"
#include "device/KernelAccess.h"

#include "gpumemprof/kernel_facts.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gpumemprof {
namespace {

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

} // namespace

PreservedAnalyses KernelFactsPass::run(Module &M, ModuleAnalysisManager &) {
  if (!compat::targetTriple(M).isNVPTX()) return PreservedAnalyses::all();
  SmallVector<std::string, 16> Names;
  for (const Function &F : M)
    if (compat::isKernel(F) && !F.isDeclaration()) Names.push_back(nameOf(F));
  Type *Byte = Type::getInt8Ty(M.getContext());
  for (const std::string &Name : Names) {
    if (M.getNamedValue(Name)) continue;
    // Weak: a kernel may be in several files that nvlink joins.
    auto *G = new GlobalVariable(M, Byte, false, GlobalValue::WeakAnyLinkage, UndefValue::get(Byte),
                                 Name, nullptr, GlobalValue::NotThreadLocal, memory::Global, true);
    G->setAlignment(Align(1));
  }
  return Names.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace gpumemprof
