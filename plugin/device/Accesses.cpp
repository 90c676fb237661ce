//===- Accesses.cpp -------------------------------------------------------===//
#include "device/Accesses.h"

#include "base/IRQueries.h"

#include "gpumemprof/pages.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gpumemprof {
namespace {

constexpr unsigned GenericMemory = 0, DeviceMemory = 1; // address spaces of NVIDIA devices

/// Whether a block may be there: not the thread's own memory, shared or constant memory, the
/// kernel's parameters, or a variable.
bool mayBeBlock(const Value *Pointer) {
  unsigned Space = Pointer->getType()->getPointerAddressSpace();
  if (Space != GenericMemory && Space != DeviceMemory) return false;
  const Value *Object = getUnderlyingObject(Pointer, 0);
  auto *A = dyn_cast<Argument>(Object);
  unsigned From =
      Object->getType()->isPointerTy() ? Object->getType()->getPointerAddressSpace() : 0;
  return !isa<AllocaInst>(Object) && !isa<GlobalVariable>(Object) && (!A || !A->hasByValAttr()) &&
         (From == GenericMemory || From == DeviceMemory);
}

/// Functions of device code without a body that use no memory of blocks, or, as printf, only what
/// the program's own code has read before.
bool isHarmless(StringRef Name) {
  for (StringRef Known : {"vprintf", "malloc", "free", "__assertfail", "__assert_fail", "__trap"})
    if (Name == Known) return true;
  return Name.starts_with("__nv_") || Name.starts_with("__nvvm_reflect");
}

/// Whether the text may access memory other than the registers that it names.
bool usesMemory(StringRef Assembly) {
  for (StringRef Word : {"ld", "st", "atom", "red", "cp", "tex", "su", "tld4", "multimem", "mma",
                         "prefetch", "call", "mapa", "tensor", "discard"})
    for (size_t At = Assembly.find(Word); At != StringRef::npos; At = Assembly.find(Word, At + 1)) {
      bool Begins = At == 0 || !(isalnum(Assembly[At - 1]) || Assembly[At - 1] == '.' ||
                                 Assembly[At - 1] == '_' || Assembly[At - 1] == '%');
      StringRef After = Assembly.drop_front(At + Word.size());
      if (Begins && (After.starts_with(".") || After.starts_with("ld.") ||
                     After.starts_with("st.") || Word == "call" || Word == "mma"))
        return true;
    }
  return false;
}

class AccessFinder {
public:
  explicit AccessFinder(Function &F) : F(F), Layout(F.getParent()->getDataLayout()) {}

  Accesses find() {
    for (BasicBlock &Block : F) {
      OpenFrom = Found.Seen.size();
      Begin = &behindPhis(Block);
      for (Instruction &I : Block) visit(I);
      close(*Block.getTerminator());
    }
    return std::move(Found);
  }

private:
  void visit(Instruction &I) {
    if (auto *L = dyn_cast<LoadInst>(&I))
      add(I, L->getPointerOperand(), GPUMEMPROF_PAGE_READ, L->getType(), L->getAlign());
    else if (auto *S = dyn_cast<StoreInst>(&I))
      add(I, S->getPointerOperand(), GPUMEMPROF_PAGE_WRITTEN, S->getValueOperand()->getType(),
          S->getAlign());
    else if (auto *R = dyn_cast<AtomicRMWInst>(&I))
      add(I, R->getPointerOperand(), Both, R->getType(), R->getAlign());
    else if (auto *C = dyn_cast<AtomicCmpXchgInst>(&I))
      add(I, C->getPointerOperand(), Both, C->getCompareOperand()->getType(), C->getAlign());
    else if (auto *Call = dyn_cast<CallBase>(&I)) visitCall(*Call);
    else if (isa<VAArgInst>(I)) Found.Unseen = true;
  }

  void visitCall(CallBase &Call) {
    if (auto *Assembly = dyn_cast<InlineAsm>(Call.getCalledOperand())) {
      if (usesMemory(Assembly->getAsmString())) Found.Unseen = true;
      return;
    }
    const Function *Callee = calleeOf(Call);
    if (Callee && Callee->isIntrinsic()) return visitIntrinsic(Call, *Callee);
    OpenFrom = Found.Seen.size();                  // it may not return
    for (unsigned I = 0; I < Call.arg_size(); ++I) // a copy of the structure is made here
      if (Call.isByValArgument(I))
        addRange(Call, Call.getArgOperand(I),
                 ConstantInt::get(Type::getInt64Ty(F.getContext()),
                                  Layout.getTypeStoreSize(Call.getParamByValType(I))),
                 GPUMEMPROF_PAGE_READ);
    close(Call); // it may not return
    Begin = Call.getNextNode();
    if (!Callee) Found.CallsPointers = true;
    else if (!Callee->isDeclaration()) Found.Calls.push_back(Callee);
    else if (!isHarmless(Callee->getName())) Found.Unseen = true;
  }

  void visitIntrinsic(CallBase &Call, const Function &Callee) {
    if (auto *Copy = dyn_cast<AnyMemTransferInst>(&Call)) {
      addRange(Call, Copy->getRawSource(), Copy->getLength(), GPUMEMPROF_PAGE_READ);
      addRange(Call, Copy->getRawDest(), Copy->getLength(), GPUMEMPROF_PAGE_WRITTEN);
      return;
    }
    if (auto *Fill = dyn_cast<AnyMemSetInst>(&Call))
      return addRange(Call, Fill->getRawDest(), Fill->getLength(), GPUMEMPROF_PAGE_WRITTEN);
    if (!Call.mayReadOrWriteMemory() || cast<IntrinsicInst>(Call).isAssumeLikeIntrinsic()) return;
    StringRef Name = Callee.getName();
    if (Name.consume_front(
            "llvm.nvvm.cp.async.c")) { // .ca and .cg: asynchronous copies to shared memory
      unsigned Bytes = 0;
      StringRef Digits = Name.substr(Name.find(".shared.global.") + 15).take_while(isdigit);
      if (Name.contains(".shared.global.") && !Digits.getAsInteger(10, Bytes))
        return addBytes(Call, Call.getArgOperand(1), GPUMEMPROF_PAGE_READ, Bytes, Align(Bytes));
    }
    Name = Callee.getName();
    if (Name.starts_with("llvm.nvvm.ldu.") || Name.starts_with("llvm.nvvm.ldg."))
      return add(Call, Call.getArgOperand(0), GPUMEMPROF_PAGE_READ, Call.getType(), Align(1));
    if (Name.starts_with("llvm.nvvm.prefetch") || Name.starts_with("llvm.nvvm.barrier") ||
        Name.starts_with("llvm.nvvm.membar") || Name.starts_with("llvm.nvvm.fence"))
      return;
    bool Handles =
        any_of(ArrayRef<StringRef>{"tex", "tld4", "suld", "sust", "sured"},
               [&](StringRef W) { return Name.starts_with(("llvm.nvvm." + W + ".").str()); });
    for (const Use &U : Call.args())
      if (U->getType()->isPointerTy() && mayBeBlock(U)) Handles = true;
    if (Handles) Found.Unseen = true;
  }

  void add(Instruction &I, Value *Pointer, unsigned Bits, Type *T, Align Alignment) {
    addBytes(I, Pointer, Bits, Layout.getTypeStoreSize(T).getFixedValue(), Alignment);
  }

  void addBytes(Instruction &I, Value *Pointer, unsigned Bits, uint64_t Bytes, Align Alignment) {
    if (!Bytes || !mayBeBlock(Pointer)) return;
    APInt Offset(Layout.getIndexTypeSizeInBits(Pointer->getType()), 0);
    Value *Base = Pointer->stripAndAccumulateConstantOffsets(Layout, Offset, true);
    if (Base->getType() != Pointer->getType()) {
      Base = Pointer;
      Offset.clearAllBits();
    }
    int64_t From = Offset.getSExtValue(), To = From + int64_t(Bytes);
    for (size_t At = OpenFrom; At < Found.Seen.size(); ++At) {
      Access &Other = Found.Seen[At];
      int64_t Least = std::min(From, Other.From), Most = std::max(To, Other.To);
      if (Other.Length || Other.Base != Base || Other.Bits != Bits ||
          Most - Least > int64_t(GPUMEMPROF_PAGE_SIZE))
        continue;
      if (Least != Other.From || Most != Other.To) Other.InOnePage = false;
      Other.From = Least;
      Other.To = Most;
      return;
    }
    bool InOnePage =
        isPowerOf2_64(Bytes) && Alignment.value() >= Bytes && Bytes <= GPUMEMPROF_PAGE_SIZE;
    Found.Seen.push_back({Begin, &I, Base, From, To, Bits, InOnePage});
  }

  void addRange(Instruction &I, Value *Pointer, Value *Length, unsigned Bits) {
    if (mayBeBlock(Pointer)) Found.Seen.push_back({Begin, &I, Pointer, 0, 0, Bits, false, Length});
  }

  /// Ends what runs from begin to end: it is checked before \p Last.
  void close(Instruction &Last) {
    joinKinds();
    for (size_t I = OpenFrom; I < Found.Seen.size(); ++I) Found.Seen[I].Before = &Last;
    OpenFrom = Found.Seen.size();
  }

  /// What is both read and written needs one check.
  void joinKinds() {
    for (size_t A = OpenFrom; A < Found.Seen.size(); ++A)
      for (size_t B = A + 1; B < Found.Seen.size();) {
        Access &First = Found.Seen[A], &Second = Found.Seen[B];
        bool Same = !First.Length && !Second.Length && First.Base == Second.Base &&
                    First.From == Second.From && First.To == Second.To;
        if (!Same) {
          ++B;
          continue;
        }
        First.Bits |= Second.Bits;
        First.InOnePage |= Second.InOnePage;
        Found.Seen.erase(&Second);
      }
  }

  static constexpr unsigned Both = GPUMEMPROF_PAGE_READ | GPUMEMPROF_PAGE_WRITTEN;
  Function &F;
  const DataLayout &Layout;
  Accesses Found;
  size_t OpenFrom = 0; // accesses from here on are checked together
  Instruction *Begin = nullptr;
};

} // namespace

Accesses accessesOf(Function &F) {
  return AccessFinder(F).find();
}

} // namespace gpumemprof
