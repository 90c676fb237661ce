//===- SizeOperandValues.cpp - match values with names, and tell them -----===//
#include "SizeOperandValues.h"

#include "Emit.h"
#include "RuntimeABI.h"
#include "SiteTable.h"
#include "SizeOperands.h"

#include "gpumemprof/hooks.h"

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"

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

/// The value of the expression itself, one of those that were converted into another: it has the
/// width of its type. Of several they are the same, unless a narrower one is between them: in
/// `(l = (int)m)` the value is not that of m.
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

/// Walks both sides at once: the value at a place of one is that of the same place of the other.
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
  if (!Known || Call.arg_size() != Known->Arguments) return {};
  SizeValues Found;
  Found.Call = &Call;
  for (const SizeOperands::Size &S : Known->Sizes) {
    Value *Size = Call.getArgOperand(S.Argument);
    if (!hasWidth(*Size, 64) || !Match(S.Tree, Found).whole(*Size)) return {};
    Found.Sizes.push_back(Size);
  }
  return Found;
}

/// Tells them. Of its own, so that who compares saves no registers.
static Function *teller(RuntimeABI &ABI, unsigned Count, FunctionType *Type) {
  auto [F, New] = ABI.keeper(("__gpumemprof_keep_tell_operands." + Twine(Count)).str(), Type);
  if (!New) return F;
  F->addFnAttr(Attribute::Cold);
  IRBuilder<> B(&F->getEntryBlock());
  B.SetInsertPoint(B.CreateRetVoid());
  SmallVector<Value *, 6> Arguments;
  for (Argument &A : F->args()) Arguments.push_back(&A);
  Arguments.resize(2 + GPUMEMPROF_OPERANDS, B.getInt64(0));
  llvm::Type *I64 = B.getInt64Ty();
  FunctionType *Hook = ABI.voidOf({ABI.pointer(), I64, I64, I64, I64, I64});
  ABI.callHook(B, ABI.hook("__gpumemprof_operands", Hook), Arguments);
  return F;
}

/// Compares with what is known and tells what is not, for so many operands. Out of line, or code
/// that allocates much would grow by a quarter; its caller keeps all registers.
///
/// Other threads may tell other values meanwhile. `known` is another number after each time, so the
/// same one before and after says that the values are those of one call.
static Function *comparison(RuntimeABI &ABI, LLVMContext &Ctx, unsigned Count) {
  Type *I32 = Type::getInt32Ty(Ctx), *I64 = Type::getInt64Ty(Ctx);
  SmallVector<Type *, 6> Parameters(2 + Count, I64);
  Parameters[0] = ABI.pointer();
  FunctionType *Shape = ABI.voidOf(Parameters);
  auto [F, New] = ABI.keeper(("__gpumemprof_keep_operands." + Twine(Count)).str(), Shape);
  if (!New) return F;
  IRBuilder<> B(&F->getEntryBlock());
  auto Load = [&, F = F](Type *T, unsigned Offset) {
    LoadInst *L = quiet(B.CreateLoad(T, field(B, F->getArg(0), Offset)));
    L->setAlignment(Align(T->getIntegerBitWidth() / 8));
    L->setAtomic(AtomicOrdering::Acquire);
    return L;
  };
  BasicBlock *Tell = BasicBlock::Create(Ctx, "", F), *Same = BasicBlock::Create(Ctx, "", F);
  MDNode *Likely = MDBuilder(Ctx).createLikelyBranchWeights();
  auto GoOnIf = [&, F = F](Value *Holds) {
    BasicBlock *Next = BasicBlock::Create(Ctx, "", F, Tell);
    B.CreateCondBr(Holds, Next, Tell, Likely);
    B.SetInsertPoint(Next);
  };
  constexpr unsigned KnownAt = offsetof(gpumemprof_operands, known);
  Value *KnownBefore = Load(I32, KnownAt);
  GoOnIf(B.CreateIsNotNull(KnownBefore));
  for (unsigned I = 0; I < Count; ++I)
    GoOnIf(B.CreateICmpEQ(F->getArg(2 + I), Load(I64, I * sizeof(uint64_t))));
  if (Count > 1) GoOnIf(B.CreateICmpEQ(KnownBefore, Load(I32, KnownAt)));
  B.CreateBr(Same);

  B.SetInsertPoint(Same);
  B.CreateRetVoid();
  B.SetInsertPoint(Tell);
  B.SetInsertPoint(B.CreateBr(Same));
  SmallVector<Value *, 6> Arguments;
  for (Argument &A : F->args()) Arguments.push_back(&A);
  ABI.callKeeper(B, teller(ABI, Count, Shape), Arguments);
  return F;
}

void tellSizeValues(const SizeValues &Values, Constant *Site, SiteTable &Table, RuntimeABI &ABI) {
  CallBase &Call = *Values.Call;
  unsigned Count = Values.Operands.size(), Signed = 0;
  for (unsigned I = 0; I < Count; ++I) Signed |= unsigned(Values.Operands[I].Signed) << I;
  GlobalVariable *Record = Table.addOperands(Site, Values.Names, Count, Signed);
  IRBuilder<> B(&Call);
  B.SetCurrentDebugLocation(Call.getDebugLoc());
  Value *Bytes = Values.Sizes[0];
  for (Value *Size : drop_begin(Values.Sizes)) Bytes = B.CreateMul(Bytes, Size);
  SmallVector<Value *, 6> Arguments{Record, Bytes};
  for (const SizeValues::Operand &O : Values.Operands)
    Arguments.push_back(B.CreateIntCast(O.Value, B.getInt64Ty(), O.Signed));
  ABI.callKeeper(B, comparison(ABI, Call.getContext(), Count), Arguments);
}

} // namespace gpumemprof
