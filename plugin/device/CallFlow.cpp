//===- CallFlow.cpp - addresses that are passed and returned --------------===//
#include "device/AddressFlow.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace gpumemprof {
namespace {

unsigned spaceOf(const Value *Pointer) {
  Type *T = Pointer->getType()->getScalarType();
  return T->isPointerTy() ? T->getPointerAddressSpace() : memory::Generic;
}

} // namespace

AddressSet AddressFlow::resultOfCall(Activation &In, const CallBase &Call) {
  if (Call.getIntrinsicID() == Intrinsic::ptrmask) return maskOf(In, cast<Operator>(Call));
  CallEffect Effect = effectAt(Call);
  if (Effect.Body) return enter(In, Call, *Effect.Body);
  letTouch(In, Call, Effect);
  return Call.getType()->isVoidTy() ? AddressSet() : resultFrom(In, Call, Effect);
}

Activation *AddressFlow::activationOf(Activation &In, const CallBase &Call,
                                      const Function &Callee) {
  Activation *&Known = OneForEach ? Only[&Callee] : In.Callees[&Call];
  for (const Activation *A = &In; A && !Known; A = A->Caller)
    if (A->F == &Callee) Known = const_cast<Activation *>(A); // it calls itself
  if (Known) return Known;
  Activations.push_back(std::make_unique<Activation>(&Callee, &In));
  Changed = true;
  return Known = Activations.back().get();
}

AddressSet AddressFlow::enter(Activation &In, const CallBase &Call, const Function &Callee) {
  Activation &Its = *activationOf(In, Call, Callee);
  for (unsigned I = 0; I < Call.arg_size(); ++I) {
    AddressSet Passed = valueOf(In, Call.getArgOperand(I));
    if (I >= Callee.arg_size()) { // found by va_arg
      escape(Passed);
      continue;
    }
    const Argument *A = Callee.getArg(I);
    if (Call.isByValArgument(I)) {
      AddressSet Copy = pointerTo(objectOf(Its, *A), 0);
      copy(Copy, memory::Generic, Passed, spaceOf(Call.getArgOperand(I)),
           Data.getTypeAllocSize(Call.getParamByValType(I)), Call.getParamAlign(I));
      Passed = Copy;
    }
    grow(Its.Values[A], Passed);
  }
  return Its.Returned;
}

void AddressFlow::letTouch(const Activation &In, const CallBase &Call, const CallEffect &Effect) {
  auto Argument = [&](unsigned I) { return valueOf(In, Call.getArgOperand(I)); };
  if (Effect.Copies) {
    auto *Length = dyn_cast<ConstantInt>(Call.getArgOperand(2));
    copy(Argument(0), spaceOf(Call.getArgOperand(0)), Argument(1), spaceOf(Call.getArgOperand(1)),
         Length ? std::optional(Length->getZExtValue()) : std::nullopt, Call.getParamAlign(1));
    return;
  }
  AddressSet Written = From::Number; // what is not used as an address
  if (Effect.Fills) {
    auto *Byte = dyn_cast<ConstantInt>(Call.getArgOperand(1));
    if (Byte && Byte->isZero()) Written = From::Null;
  }
  for (unsigned I = 0; I < Call.arg_size(); ++I) {
    bool IsAddress = false;
    for (const CallEffect::Touched &T : Effect.Touches) IsAddress |= T.Argument == I;
    IsAddress &= !is_contained(Effect.Values, I);
    if (!IsAddress && !Effect.Fills) Written.unite(Argument(I));
  }
  if (Effect.FromShared) Written.unite(InShared);
  for (const CallEffect::Touched &T : Effect.Touches)
    if (T.How & Reads)
      Written.unite(contentOf(Argument(T.Argument), spaceOf(Call.getArgOperand(T.Argument))));
  for (const CallEffect::Touched &T : Effect.Touches)
    if (T.How & Writes)
      store(shifted(Argument(T.Argument), std::nullopt), spaceOf(Call.getArgOperand(T.Argument)),
            Written, 16);
  if (Effect.ToShared) grow(InShared, Written);
  if (Effect.ToAny) escape(Written);
  if (!Effect.TakesAll) return;
  for (const Use &A : Call.args()) escape(valueOf(In, A));
  escape(InShared);
  grow(InShared, From::Loaded);
}

AddressSet AddressFlow::resultFrom(const Activation &In, const CallBase &Call,
                                   const CallEffect &Effect) {
  AddressSet Arguments, Result;
  Type &T = *Call.getType();
  for (const Use &A : Call.args()) Arguments.unite(valueOf(In, A));
  auto AddLoaded = [&] {
    for (const CallEffect::Touched &Touched : Effect.Touches)
      if (Touched.How & Reads)
        Result.unite(load(valueOf(In, Call.getArgOperand(Touched.Argument)),
                          spaceOf(Call.getArgOperand(Touched.Argument)), T));
  };
  switch (Effect.Result) {
  case ResultOf::Driver:
    return From::Driver;
  case ResultOf::Allocator:
    return From::Heap;
  case ResultOf::Shared:
    return From::Shared;
  case ResultOf::Unknown:
    Result.add(T.isPtrOrPtrVectorTy() ? From::Result : From::LoadedNumber);
    if (T.isAggregateType()) Result.add(From::Result);
    break;
  case ResultOf::Nothing:
    break;
  case ResultOf::Kept:
    Result = Arguments;
    break;
  case ResultOf::Computed:
    Result = numberFrom(Layout, Arguments);
    break;
  case ResultOf::Assembly:
    Result = Arguments;
    Result.unite(numberFrom(Layout, Arguments));
    AddLoaded();
    break;
  case ResultOf::Load:
    AddLoaded();
    break;
  }
  if (Effect.FromShared) Result.unite(load(From::Shared, memory::Shared, T));
  bool IsShort = T.isIntegerTy() && T.getIntegerBitWidth() < 64;
  if (IsShort) Result = numberFrom(Layout, Result);
  if (Result.empty()) Result.add(From::Number);
  return Result;
}

} // namespace gpumemprof
