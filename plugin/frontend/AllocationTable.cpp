//===- AllocationTable.cpp - looks an allocation call up by its location --===//
#include "frontend/AllocationTable.h"

#include "names/NameKinds.h"

#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace gpumemprof {

/// Leaves what two calls have in common.
static void keepCommon(AllocationText &One, AllocationText &Other) {
  for (std::string AllocationText::*Part :
       {&AllocationText::Variable, &AllocationText::Type, &AllocationText::SizeExpr})
    if (One.*Part != Other.*Part) {
      (One.*Part).clear();
      (Other.*Part).clear();
    }
}

void AllocationTable::add(StringRef Path, unsigned Line, unsigned Column, StringRef Function,
                          const AllocationText &Text, const void *Call) {
  std::vector<Entry> &Here = Lines[(Path + ":" + Twine(Line)).str()];
  Entry New = {Column, Function.str(), Text, Call};
  // A macro may make several calls, which have its location. Which is which is not known later.
  for (Entry &E : Here)
    if (E.Column == Column && E.Function == Function && E.Call != Call)
      keepCommon(E.Text, New.Text);
  Here.push_back(std::move(New));
}

const AllocationText *AllocationTable::find(StringRef Path, unsigned Line, unsigned Column,
                                            StringRef Function, bool Exact) const {
  auto It = Lines.find((Path + ":" + Twine(Line)).str());
  if (It == Lines.end()) return nullptr;
  auto Score = [&](const Entry &E) {
    return (E.Column == Column ? 4 : 0) + (E.Function == Function ? 2 : E.Function.empty() ? 1 : 0);
  };
  const Entry *Best = nullptr;
  for (const Entry &E : It->second)
    if (!Best || Score(E) > Score(*Best)) Best = &E;
  return Exact && Best->Column != Column ? nullptr : &Best->Text;
}

const SizeOperands *AllocationTable::findOperands(StringRef Path, unsigned Line, unsigned Column,
                                                  StringRef Function, StringRef Callee) const {
  auto It = Lines.find((Path + ":" + Twine(Line)).str());
  if (It == Lines.end()) return nullptr;
  const Entry *Here = nullptr, *Only = nullptr;
  bool SeveralHere = false, Several = false;
  for (const Entry &E : It->second) {
    if (E.Column != Column) continue;
    Several |= Only && Only->Call != E.Call;
    Only = &E;
    if (E.Function != Function && !isVariantOf(E.Function, Function)) continue;
    SeveralHere |= Here && Here->Call != E.Call;
    Here = &E;
  }
  // The function may have another name in the IR than in the AST. Then only one call may fit,
  // because it is not known which instance of a template is meant.
  const Entry *Found = Here ? (SeveralHere ? nullptr : Here) : Several ? nullptr : Only;
  if (!Found || Found->Text.Operands.Sizes.empty() || Found->Text.Operands.Callee != Callee)
    return nullptr;
  return &Found->Text.Operands;
}

} // namespace gpumemprof
