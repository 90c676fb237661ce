//===- AddressFlow.cpp - the values of instructions -----------------------===//
#include "device/AddressFlow.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace gpumemprof {
namespace {

constexpr unsigned MostRounds = 200, MostActivations = 400;

/// Where a type has pointers.
void findPointers(Type *T, const DataLayout &Data, uint64_t At, SmallVectorImpl<uint64_t> &Found) {
  if (T->isPointerTy()) Found.push_back(At);
  else if (auto *S = dyn_cast<StructType>(T)) {
    const StructLayout *Fields = Data.getStructLayout(S);
    for (unsigned I = 0; I < S->getNumElements(); ++I)
      findPointers(S->getElementType(I), Data, At + uint64_t(Fields->getElementOffset(I)), Found);
  } else if (auto *A = dyn_cast<ArrayType>(T)) {
    uint64_t Bytes = Data.getTypeAllocSize(A->getElementType());
    SmallVector<uint64_t, 4> InOne;
    findPointers(A->getElementType(), Data, 0, InOne);
    for (uint64_t I = 0; !InOne.empty() && I < A->getNumElements(); ++I)
      for (uint64_t Pointer : InOne) Found.push_back(At + I * Bytes + Pointer);
  }
}

/// Whether an address that is masked with this is the same but for its low bits.
bool alignsAddress(const ConstantInt &Mask) {
  constexpr unsigned LowBits = 16;
  return Mask.isNegative() && (~Mask.getValue()).isIntN(LowBits);
}

} // namespace

AddressFlow::AddressFlow(const Function &Kernel)
    : Kernel(Kernel), Data(Kernel.getParent()->getDataLayout()) {
  for (const Argument &A : Kernel.args()) {
    Type *T = A.hasByValAttr() ? A.getParamByValType() : A.getType();
    uint64_t Bytes = Data.getTypeAllocSize(T);
    if (T->isFloatingPointTy() || Bytes < WordBytes) continue;
    SmallVector<uint64_t, 8> Pointers;
    findPointers(T, Data, 0, Pointers);
    for (uint64_t At = 0; At < Bytes; At += WordBytes) {
      Words.push_back({A.getArgNo(), unsigned(At)});
      Layout.IsPointer.push_back(is_contained(Pointers, At));
    }
  }
}

bool AddressFlow::follow() {
  do {
    Activations.clear();
    Objects.clear();
    Places.clear();
    PlaceOf.clear();
    ObjectOf.clear();
    Only.clear();
    TablesSeen.clear();
    InShared = InTables = Escaped = AddressSet();
    Activations.push_back(std::make_unique<Activation>(&Kernel));
    Activation &Top = *Activations.front();
    if (OneForEach) Only[&Kernel] = &Top;
    unsigned Word = 0;
    for (const Argument &A : Kernel.args()) {
      unsigned First = Word;
      while (Word < Words.size() && Words[Word].Parameter == A.getArgNo()) ++Word;
      if (A.hasByValAttr()) {
        unsigned Number = objectOf(Top, A);
        Objects[Number].FirstWord = First;
        Objects[Number].Words = Word - First;
        Top.Values[&A] = pointerTo(Number, 0);
        continue;
      }
      AddressSet Value;
      if (First == Word) Value.add(From::Number);
      for (unsigned W = First; W < Word; ++W) Value.add(Layout.address(W));
      Top.Values[&A] = Value;
    }
    Changed = true;
    bool TooMany = false;
    for (unsigned Round = 0; Changed && !TooMany; ++Round) {
      if (Round == MostRounds) return false;
      Changed = false;
      for (size_t I = 0; I < Activations.size(); ++I) { // calls add some
        Activation &In = *Activations[I];
        for (const Instruction &Inst : instructions(*In.F)) apply(In, Inst);
        TooMany = !OneForEach && Activations.size() > MostActivations;
        if (TooMany) break;
      }
      escapeObjects();
    }
    if (!TooMany) return true;
    OneForEach = true;
  } while (true);
}

CallEffect AddressFlow::effectAt(const CallBase &Call) {
  auto Known = Effects.find(&Call);
  if (Known == Effects.end()) Known = Effects.try_emplace(&Call, effectOf(Call)).first;
  return Known->second;
}

// ---- values

AddressSet AddressFlow::valueOf(const Activation &In, const Value *V) {
  if (auto *C = dyn_cast<Constant>(V)) return constantValue(*C);
  auto Known = In.Values.find(V);
  return Known == In.Values.end() ? AddressSet() : Known->second;
}

AddressSet AddressFlow::constantValue(const Constant &C) {
  if (isa<ConstantPointerNull>(C)) return From::Null;
  if (isa<UndefValue>(C)) return {};
  if (auto *A = dyn_cast<GlobalAlias>(&C)) return constantValue(*A->getAliasee());
  if (auto *V = dyn_cast<GlobalVariable>(&C)) {
    if (V->getAddressSpace() == memory::Shared) return From::Shared;
    if (V->isConstant() && V->hasDefinitiveInitializer()) {
      if (TablesSeen.insert(V).second) grow(InTables, constantValue(*V->getInitializer()));
      return From::Table;
    }
    bool IsConstant = V->isConstant() || V->getAddressSpace() == memory::Constant;
    return IsConstant ? From::Constant : From::Static;
  }
  if (isa<Function>(C)) return From::Constant;
  Activation Nowhere;
  if (isa<ConstantAggregate>(C)) return unionOf(Nowhere, C);
  return isa<ConstantExpr>(C) ? resultOf(Nowhere, C) : From::Number;
}

AddressSet AddressFlow::unionOf(const Activation &In, const User &U) {
  AddressSet All;
  for (const Use &Operand : U.operands()) All.unite(valueOf(In, Operand));
  return All;
}

AddressSet AddressFlow::addressOf(const Activation &In, const GEPOperator &Address) {
  const Value *Base = Address.getPointerOperand();
  APInt Constant(Data.getIndexTypeSizeInBits(Base->getType()->getScalarType()), 0);
  bool IsKnown =
      !Address.getType()->isVectorTy() && Address.accumulateConstantOffset(Data, Constant);
  // A number that is turned into an address may look like this.
  AddressSet Start = isa<ConstantPointerNull>(Base) ? AddressSet(From::Number) : valueOf(In, Base);
  AddressSet Moved =
      shifted(Start, IsKnown ? std::optional(Constant.getSExtValue()) : std::nullopt);
  if (IsKnown) return Constant.isSignedIntN(AddressBits) ? Moved : numberFrom(Layout, Start);
  AddressSet Index = From::Number;
  for (const Use &I : Address.indices())
    if (!isa<ConstantInt>(I)) Index = sumOf(Layout, Index, valueOf(In, I));
  return sumOf(Layout, Moved, Index);
}

AddressSet AddressFlow::castOf(const Operator &Cast, const AddressSet &Of) {
  Type *To = Cast.getType()->getScalarType();
  if (To->isPointerTy() && To->getPointerAddressSpace() == memory::Shared) return From::Shared;
  bool Shortens = To->isIntegerTy() && To->getIntegerBitWidth() < 64;
  return Shortens ? numberFrom(Layout, Of) : Of;
}

/// An address without its low bits is still based on it. They are an offset, and what else a mask
/// leaves is a number: an address may have had a tag.
AddressSet AddressFlow::maskOf(const Activation &In, const Operator &And) {
  AddressSet Number = numberFrom(Layout, unionOf(In, And));
  bool Aligns = false, IsKnown = false;
  for (const Use &Operand : And.operands())
    if (auto *Mask = dyn_cast<ConstantInt>(Operand)) {
      IsKnown = true;
      Aligns |= alignsAddress(*Mask);
    }
  if (IsKnown && !Aligns) return Number;
  AddressSet Based = sumOf(Layout, valueOf(In, And.getOperand(0)), valueOf(In, And.getOperand(1)));
  if (!IsKnown) Based.unite(Number);
  return Based;
}

/// What adds the tag of an address, or takes it away, adds no offset.
bool AddressFlow::addsTag(const User &Sum) {
  return any_of(Sum.operands(), [](const Use &Operand) {
    auto *Number = dyn_cast<ConstantInt>(Operand);
    return Number && !Number->getValue().isSignedIntN(AddressBits);
  });
}

AddressSet AddressFlow::resultOf(Activation &In, const User &U) {
  auto &Op = cast<Operator>(U);
  auto Value = [&](unsigned I) { return valueOf(In, U.getOperand(I)); };
  switch (Op.getOpcode()) {
  case Instruction::GetElementPtr:
    return addressOf(In, cast<GEPOperator>(U));
  case Instruction::Add:
  case Instruction::Or:
    if (addsTag(U)) return numberFrom(Layout, unionOf(In, U));
    return sumOf(Layout, Value(0), Value(1));
  case Instruction::Sub:
    if (addsTag(U)) return numberFrom(Layout, unionOf(In, U));
    return differenceOf(Layout, Value(0), Value(1));
  case Instruction::And:
    return maskOf(In, Op);
  case Instruction::AddrSpaceCast:
  case Instruction::BitCast:
  case Instruction::IntToPtr:
  case Instruction::PtrToInt:
  case Instruction::Trunc:
  case Instruction::ZExt:
  case Instruction::SExt:
    return castOf(Op, Value(0));
  case Instruction::Select: {
    AddressSet Either = Value(1);
    Either.unite(Value(2));
    return Either;
  }
  case Instruction::InsertElement:
  case Instruction::ShuffleVector: {
    AddressSet Either = Value(0);
    Either.unite(Value(1));
    return Either;
  }
  case Instruction::ExtractElement:
    return Value(0);
  case Instruction::PHI:
  case Instruction::Freeze:
  case Instruction::ExtractValue:
  case Instruction::InsertValue:
    return unionOf(In, U);
  case Instruction::ICmp:
  case Instruction::FCmp:
    return From::Number;
  default:
    return numberFrom(Layout, unionOf(In, U));
  }
}

/// What is copied from the host is searched for addresses at multiples of 4 bytes, so one that is
/// loaded from anywhere else counts as a number that is made into an address.
void AddressFlow::addUnaligned(MaybeAlign Alignment, AddressSet &Loaded) {
  bool Anywhere = Loaded.has(From::Loaded) || Loaded.has(From::LoadedNumber);
  if (Anywhere && Alignment.valueOrOne() < Align(4)) Loaded.add(From::Number);
}

void AddressFlow::apply(Activation &In, const Instruction &I) {
  auto Space = [](const Value *Pointer) {
    return Pointer->getType()->getScalarType()->getPointerAddressSpace();
  };
  AddressSet Result;
  if (auto *L = dyn_cast<LoadInst>(&I)) {
    const Value *Pointer = L->getPointerOperand();
    Result = load(valueOf(In, Pointer), Space(Pointer), *L->getType());
    addUnaligned(L->getAlign(), Result);
  } else if (auto *S = dyn_cast<StoreInst>(&I)) {
    const Value *Pointer = S->getPointerOperand(), *Stored = S->getValueOperand();
    store(valueOf(In, Pointer), Space(Pointer), valueOf(In, Stored),
          Data.getTypeStoreSize(Stored->getType()));
  } else if (isa<AtomicRMWInst>(I) || isa<AtomicCmpXchgInst>(I)) {
    const Value *Pointer = I.getOperand(0), *Stored = I.getOperand(I.getNumOperands() - 1);
    AddressSet Value = valueOf(In, Stored);
    if (auto *R = dyn_cast<AtomicRMWInst>(&I); R && R->getOperation() != AtomicRMWInst::Xchg)
      Value.unite(numberFrom(Layout, Value));
    store(valueOf(In, Pointer), Space(Pointer), Value, Data.getTypeStoreSize(Stored->getType()));
    Result = load(valueOf(In, Pointer), Space(Pointer), *Stored->getType());
  } else if (auto *Call = dyn_cast<CallBase>(&I)) Result = resultOfCall(In, *Call);
  else if (isa<AllocaInst>(I)) Result = pointerTo(objectOf(In, I), 0);
  else if (auto *R = dyn_cast<ReturnInst>(&I)) {
    if (R->getReturnValue()) grow(In.Returned, valueOf(In, R->getReturnValue()));
  } else if (isa<VAArgInst>(I)) Result = From::Loaded;
  else if (!I.getType()->isVoidTy()) Result = resultOf(In, I);
  if (!I.getType()->isVoidTy()) grow(In.Values[&I], Result);
}

} // namespace gpumemprof
