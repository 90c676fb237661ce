//===- AllocationTable.cpp - looks an allocation call up by its location --===//
#include "frontend/AllocationTable.h"

#include "names/NameKinds.h"

#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace gpumemprof {

void AllocationTable::add(StringRef Path, unsigned Line, unsigned Column, StringRef Function,
                          const AllocationText &Text, const void *Call) {
  Lines[(Path + ":" + Twine(Line)).str()].push_back({Column, Function.str(), Text, Call});
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
