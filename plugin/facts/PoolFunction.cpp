//===- PoolFunction.cpp - to an annotation's text and back ----------------===//
#include "facts/PoolFunction.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace gpumemprof {

static constexpr StringLiteral Prefix = "gpumemprof.pool:";

std::string PoolFunction::text() const {
  std::string Text = Prefix.str();
  for (unsigned Number :
       {unsigned(Allocates), Size, Count, Pointer, unsigned(Status), unsigned(HasThis),
        unsigned(HasHandle), unsigned(IsStaticMember), unsigned(Dependent), Parameters})
    Text += utostr(Number) + ":";
  return Text + Name;
}

std::optional<PoolFunction> PoolFunction::parse(StringRef Text) {
  if (!Text.consume_front(Prefix)) return std::nullopt;
  SmallVector<StringRef, 11> Fields;
  Text.split(Fields, ':', /*MaxSplit=*/10);
  unsigned Numbers[10];
  if (Fields.size() != 11) return std::nullopt;
  for (unsigned I = 0; I < 10; ++I)
    if (Fields[I].getAsInteger(10, Numbers[I])) return std::nullopt;
  PoolFunction P;
  P.Allocates = Numbers[0];
  P.Size = Numbers[1];
  P.Count = Numbers[2];
  P.Pointer = Numbers[3];
  P.Status = StatusKind(Numbers[4]);
  P.HasThis = Numbers[5];
  P.HasHandle = Numbers[6];
  P.IsStaticMember = Numbers[7];
  P.Dependent = Numbers[8];
  P.Parameters = Numbers[9];
  P.Name = Fields[10].str();
  return P;
}

} // namespace gpumemprof
