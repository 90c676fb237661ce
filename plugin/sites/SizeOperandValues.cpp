//===- SizeOperandValues.cpp - matches values with names ------------------===//
#include "sites/SizeOperandValues.h"

#include "facts/SizeOperands.h"
#include "sites/SiteTable.h"

#include "gpumemprof/hooks.h"

#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace gpumemprof {
namespace {

static_assert(SizeOperands::Most == GPUMEMPROF_OPERANDS);

using Node = SizeOperands::Node;
using Kind = SizeOperands::Kind;

bool hasWidth(const Value &V, unsigned Width) {
  return V.getType()->isIntegerTy(Width);
}

/// What an integer was converted from, or null.
Value *convertedFrom(Value &V) {
  if (!isa<ZExtInst, SExtInst, TruncInst>(V)) return nullptr;
  return cast<CastInst>(V).getOperand(0);
}

Value &withoutConversions(Value &Outer) {
  Value *V = &Outer;
  while (Value *From = convertedFrom(*V)) V = From;
  return *V;
}

/// The value of the operand itself, which is converted until it becomes \p Outer: the value that
/// has the width of the operand's type. If there are several they are equal, unless a narrower one
/// is between them: in `(l = (int)m)` the value is not that of m.
Value *operandValue(Value &Outer, unsigned Width) {
  Value *Found = nullptr;
  bool Narrower = false;
  for (Value *V = &Outer; V; V = convertedFrom(*V)) {
    if (hasWidth(*V, Width)) {
      if (Found && Narrower) return nullptr;
      Found = V;
    }
    Narrower |= Found && V->getType()->getIntegerBitWidth() < Width;
  }
  return Found && !isa<Constant>(Found) ? Found : nullptr;
}

bool isOperator(Instruction::BinaryOps Opcode, const Node &N) {
  switch (N.Operator) {
  case '*':
    return Opcode == Instruction::Mul;
  case '/':
    return Opcode == (N.Signed ? Instruction::SDiv : Instruction::UDiv);
  case '%':
    return Opcode == (N.Signed ? Instruction::SRem : Instruction::URem);
  case '+':
    return Opcode == Instruction::Add;
  case '-':
    return Opcode == Instruction::Sub;
  case '<':
    return Opcode == Instruction::Shl;
  case '>':
    return Opcode == (N.Signed ? Instruction::AShr : Instruction::LShr);
  case '&':
    return Opcode == Instruction::And;
  case '|':
    return Opcode == Instruction::Or;
  default:
    return Opcode == Instruction::Xor;
  }
}

/// Walks the tree and the computation at the same time and pairs each operand with its value.
class Match {
public:
  Match(const std::vector<Node> &Tree, SizeValues &Into) : Tree(Tree), Into(Into) {}

  bool whole(Value &V) { return part(V) && At == Tree.size(); }

private:
  bool part(Value &V) {
    const Node &N = Tree[At++];
    if (N.What == Kind::Constant) return isa<ConstantInt>(withoutConversions(V));
    if (N.What == Kind::Binary) {
      auto *B = dyn_cast<BinaryOperator>(&withoutConversions(V));
      return B && hasWidth(*B, N.Width) && isOperator(B->getOpcode(), N) &&
             part(*B->getOperand(0)) && part(*B->getOperand(1));
    }
    Value *Found = operandValue(V, N.Width);
    if (Found && N.What == Kind::Operand) {
      Into.Operands.push_back({Found, N.Signed});
      Into.Names += N.Text;
      Into.Names += '\0';
    }
    return Found;
  }

  const std::vector<Node> &Tree;
  SizeValues &Into;
  size_t At = 0;
};

} // namespace

SizeValues findSizeValues(CallBase &Call, const SizeOperands *Known) {
  if (!Known) return {};
  unsigned First =
      Known->HasThis; // the first argument that the source has; a hidden result is none
  for (unsigned I = 0; I < Call.arg_size() && I < 2; ++I)
    First += Call.paramHasAttr(I, Attribute::StructRet);
  if (Call.arg_size() != First + Known->Arguments) return {};
  SizeValues Found;
  Found.Call = &Call;
  for (const SizeOperands::Size &S : Known->Sizes) {
    Value *Size = Call.getArgOperand(First + S.Argument);
    if (!Size->getType()->isIntegerTy() || !Match(S.Tree, Found).whole(*Size)) return {};
  }
  return Found;
}

void describe(const SizeValues &Values, Site &S) {
  S.OperandNames = Values.Names;
  S.Operands = Values.Operands.size();
  for (unsigned I = 0; I < S.Operands; ++I) S.SignedOperands |= Values.Operands[I].Signed << I;
}

SmallVector<Value *, 4> extendSizeValues(const SizeValues &Values) {
  SmallVector<Value *, 4> Extended;
  if (Values.Operands.empty()) return Extended;
  IRBuilder<> B(Values.Call);
  B.SetCurrentDebugLocation(Values.Call->getDebugLoc());
  for (const SizeValues::Operand &O : Values.Operands)
    Extended.push_back(B.CreateIntCast(O.Value, B.getInt64Ty(), O.Signed));
  return Extended;
}

} // namespace gpumemprof
