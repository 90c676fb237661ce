//===- Sites.cpp - scope sites and call sites -----------------------------===//
#include "sites/Sites.h"

#include "base/IRQueries.h"
#include "facts/Budget.h"
#include "facts/SourceFacts.h"
#include "names/CudaNames.h"
#include "names/Names.h"

#include "gpumemprof/hooks.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace gpumemprof {
namespace {

/// Clean-ups that the compiler made may have no line; they get that of the code before them.
const DILocation *locationOf(const Instruction &I) {
  for (const Instruction *At = &I; At; At = At->getPrevNode())
    if (const DILocation *Loc = At->getDebugLoc(); Loc && Loc->getLine()) return Loc;
  return nullptr;
}

std::string filePath(const DIScope *Scope) {
  return Scope && Scope->getFile() ? absolutePath(Scope->getDirectory(), Scope->getFilename()) : "";
}

bool isAllocation(StringRef Callee) {
  return isAllocationSpelling(Callee.take_until([](char C) { return C == '<'; }));
}

/// The location of a call and who calls whom there.
Site placeOf(const CallBase &Call, StringRef FunctionName, SourceFacts &Facts, unsigned &Column) {
  Site S;
  S.Function = FunctionName.str();
  if (auto *Callee = calleeOf(Call))
    if (!Callee->isIntrinsic()) S.Callee = displayName(*Callee);
  if (const DILocation *Loc = locationOf(Call)) {
    S.Line = Loc->getLine();
    Column = Loc->getColumn();
    S.File = filePath(Loc->getScope());
  } else if (const DISubprogram *SP = Call.getFunction()->getSubprogram()) {
    S.Line = SP->getLine();
    S.File = filePath(SP);
  }
  if (Facts.columnsAreReal()) S.Column = Column;
  return S;
}

} // namespace

Site scopeSite(const Function &F, StringRef DisplayName, uint16_t Flags, const Budget *May) {
  Site S;
  S.Kind = GPUMEMPROF_SITE_FUNCTION;
  S.Flags = May ? Flags | May->Flags : Flags;
  if (May) S.SizeExpr = May->Size;
  S.Function = DisplayName.str();
  if (const DISubprogram *SP = F.getSubprogram()) {
    S.Line = SP->getLine();
    S.File = filePath(SP);
  }
  return S;
}

Site callSite(const CallBase &Call, StringRef FunctionName, SourceFacts &Facts, bool WithText,
              bool OfAllocator) {
  unsigned Column = 0;
  Site S = placeOf(Call, FunctionName, Facts, Column);
  S.Kind = GPUMEMPROF_SITE_CALL;
  StringRef Caller = Call.getFunction()->getName();
  bool Known = OfAllocator || isAllocation(S.Callee) || S.Callee == "gpumemprof_pool_alloc";
  // The callee of a call through a vtable is not known, but the front end may know that it
  // allocates.
  bool Indirect = S.Callee.empty();
  if (Known || Indirect) {
    if (Known) S.Flags |= GPUMEMPROF_SITE_ALLOCATES;
    if (const AllocationText *Text =
            Facts.allocationAt(S.File, S.Line, Column, Caller, /*Exact=*/Indirect)) {
      S.Flags |= GPUMEMPROF_SITE_ALLOCATES;
      S.Variable = Text->Variable;
      S.Type = Text->Type;
      if (WithText) S.SizeExpr = Text->SizeExpr;
    }
  }
  // The tool shows these where memory of the callee is charged to this call.
  if (const AllocationText *Text = S.Flags & GPUMEMPROF_SITE_ALLOCATES
                                       ? nullptr
                                       : Facts.callAt(S.File, S.Line, Column, Caller)) {
    S.Variable = Text->Variable;
    S.Type = Text->Type;
    if (WithText) S.SizeExpr = Text->SizeExpr;
  }
  if (WithText && S.Line) S.SourceLine = Facts.lineText(S.File, S.Line, Column);
  return S;
}

Site useSite(const CallBase &Call, StringRef FunctionName, SourceFacts &Facts, bool WithText) {
  unsigned Column = 0;
  Site S = placeOf(Call, FunctionName, Facts, Column);
  S.Kind = GPUMEMPROF_SITE_USE;
  if (WithText && S.Line) S.SourceLine = Facts.lineText(S.File, S.Line, Column);
  return S;
}

const SizeOperands *sizeOperandsOf(const CallBase &Call, SourceFacts &Facts) {
  const DILocation *Loc = Call.getDebugLoc();
  auto *Callee = calleeOf(Call);
  if (!Loc || !Loc->getLine() || Loc->getInlinedAt() || !Callee || Callee->isIntrinsic())
    return nullptr;
  std::string Name = displayName(*Callee);
  StringRef Spelling = StringRef(Name).take_until([](char C) { return C == '<'; });
  return Facts.operandsAt(
      filePath(Loc->getScope()), Loc->getLine(), Loc->getColumn(), Call.getFunction()->getName(),
      isAllocationSpelling(Spelling) ? cudaSpelling(Spelling) : Callee->getName());
}

} // namespace gpumemprof
