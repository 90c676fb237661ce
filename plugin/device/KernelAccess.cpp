//===- KernelAccess.cpp ---------------------------------------------------===//
#include "device/KernelAccess.h"

#include "base/IRQueries.h"
#include "device/AddressFlow.h"

#include "llvm/ADT/bit.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace gpumemprof {
namespace {

/// A text with %s, %-10s and so on.
bool printsStrings(StringRef Format) {
  for (size_t At = Format.find('%'); At != StringRef::npos; At = Format.find('%', At)) {
    StringRef Rest = Format.drop_front(++At);
    Rest = Rest.ltrim("-+ #0123456789.*lhjzt");
    if (Rest.starts_with("s")) return true;
    if (Rest.starts_with("%")) At = Format.size() - Rest.size() + 1;
  }
  return false;
}

class Judge {
public:
  explicit Judge(const Function &Kernel) : Flow(Kernel), Layout(Flow.layout()) {}

  KernelAccess run() {
    for (unsigned W = 0; W < Layout.words(); ++W)
      Found.Words.push_back(
          {Flow.words()[W].Parameter, Flow.words()[W].Offset, 0, !Layout.IsPointer[W]});
    if (!Flow.follow()) {
      open(Reason::TOO_LARGE);
      for (WordAccess &W : Found.Words) W.How = Escapes;
      return Found;
    }
    IsBase.resize(Layout.words());
    judgeAll(true);
    judgeAll(false);
    for (unsigned W = 0; W < Layout.words(); ++W)
      if (Flow.escaped().has(Layout.address(W)) || Flow.escaped().has(Layout.offset(W)))
        Found.Words[W].How |= Escapes;
    return Found;
  }

private:
  void open(Reason Why, StringRef Name = "") {
    unsigned Mask = 1u << unsigned(Why);
    if (!Found.Reasons || Mask < (Found.Reasons & -Found.Reasons)) Found.Name = Name.str();
    Found.Reasons |= Mask;
  }

  void judgeAll(bool Bases) {
    OnlyBases = Bases;
    for (const auto &A : Flow.activations())
      for (const Instruction &I : instructions(*A->F)) judge(*A, I);
  }

  void judge(const Activation &In, const Instruction &I) {
    if (auto *L = dyn_cast<LoadInst>(&I)) access(In, L->getPointerOperand(), Reads);
    else if (auto *S = dyn_cast<StoreInst>(&I)) access(In, S->getPointerOperand(), Writes);
    else if (isa<AtomicRMWInst>(I) || isa<AtomicCmpXchgInst>(I)) {
      access(In, I.getOperand(0), Reads | Writes);
      if (auto *X = dyn_cast<AtomicCmpXchgInst>(&I)) ask(In, X->getCompareOperand());
    } else if (isa<VAArgInst>(I)) open(Reason::LOADED);
    else if (isa<CmpInst>(I)) askAll(In, I);
    else if (isa<SelectInst>(I) || (I.isTerminator() && I.getNumSuccessors() > 1))
      ask(In, I.getOperand(0)); // the condition
    else if (auto *Call = dyn_cast<CallBase>(&I)) judgeCall(In, *Call);
  }

  void judgeCall(const Activation &In, const CallBase &Call) {
    CallEffect Effect = Flow.effectAt(Call);
    for (unsigned I = 0; Effect.Body && I < Call.arg_size(); ++I)
      if (Call.isByValArgument(I)) access(In, Call.getArgOperand(I), Reads); // it is copied
    for (const CallEffect::Touched &T : Effect.Touches)
      access(In, Call.getArgOperand(T.Argument), T.How);
    if (Effect.TakesAll)
      for (const Use &A : Call.args())
        if (A->getType()->isPointerTy()) note(Flow.valueOf(In, A), Reads | Writes);
    if (Effect.Asks) askAll(In, Call);
    if (Effect.Opens && !OnlyBases) open(Effect.Why, Effect.Name);
    if (Effect.Prints && !OnlyBases) judgePrint(In, Call);
  }

  /// What is printed by %s is read.
  void judgePrint(const Activation &In, const CallBase &Call) {
    StringRef Format = cStringAt(Call.getArgOperand(0));
    if (Call.arg_size() < 2 || (!Format.empty() && !printsStrings(Format))) return;
    AddressSet Printed = Flow.contentOf(Flow.valueOf(In, Call.getArgOperand(1)));
    note(Printed, Reads);
    if (Printed.has(From::Loaded) || Printed.has(From::Mixed)) open(Reason::PRINT);
  }

  /// A kernel that only asks which address it was given, or whether it was given any, needs the
  /// block as much as one that reads it: without the block it does something else.
  void ask(const Activation &In, const Value *V) {
    if (OnlyBases) return;
    AddressSet Asked = Flow.valueOf(In, V);
    for (unsigned W = 0; W < Layout.words(); ++W)
      if (Asked.has(Layout.address(W)) || (Layout.IsPointer[W] && Asked.has(Layout.offset(W))))
        Found.Words[W].How |= Reads;
  }

  void askAll(const Activation &In, const User &U) {
    for (const Use &Operand : U.operands()) ask(In, Operand);
  }

  void note(const AddressSet &Address, unsigned How) {
    for (unsigned W = 0; W < Layout.words(); ++W) {
      if (!Address.has(Layout.address(W))) continue;
      Found.Words[W].How |= How;
      Found.Words[W].IsNumber = false;
    }
  }

  /// A word that is the only thing that an address can be based on is an address, whatever its
  /// type.
  void findBase(const AddressSet &Address) {
    unsigned Bases = 0, Last = 0;
    Address.forEach([&](unsigned Bit) {
      if (Layout.isAddress(Bit)) ++Bases, Last = Bit - Layout.address(0);
    });
    if (Bases == 1) IsBase[Last] = true;
  }

  void access(const Activation &In, const Value *Pointer, unsigned How) {
    Type *T = Pointer->getType()->getScalarType();
    unsigned Space = T->isPointerTy() ? T->getPointerAddressSpace() : memory::Generic;
    if (Space != memory::Generic && Space != memory::Global) return;
    AddressSet Address = Flow.valueOf(In, Pointer);
    if (OnlyBases) return findBase(Address);
    note(Address, How);
    if (Address.has(From::Loaded) || Address.has(From::LoadedNumber)) open(Reason::LOADED);
    if (Address.has(From::Result)) open(Reason::RESULT);
    if (Address.has(From::Number)) open(Reason::NUMBER);
    bool Leaps = Address.has(From::Mixed) || Address.has(From::Number);
    for (unsigned W = 0; W < Layout.words(); ++W)
      Leaps |= Address.has(Layout.offset(W)) && (Layout.IsPointer[W] || IsBase[W]);
    if (!Leaps) return;
    // a[b - a] is an access of b.
    for (unsigned W = 0; W < Layout.words(); ++W) {
      if (!Address.has(Layout.offset(W))) continue;
      Found.Words[W].How |= How;
      open(Reason::OFFSET);
    }
    if (Address.has(From::Mixed)) open(Reason::OFFSET);
  }

  AddressFlow Flow;
  const AddressLayout &Layout;
  KernelAccess Found;
  SmallVector<bool, 16> IsBase; // an address is based on the word and on no other
  bool OnlyBases = false;
};

} // namespace

KernelAccess accessOf(const Function &Kernel) {
  return Judge(Kernel).run();
}

} // namespace gpumemprof
