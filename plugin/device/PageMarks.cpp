//===- PageMarks.cpp ------------------------------------------------------===//
//
// The accesses of a part of a block that runs from begin to end are checked together, at
// its end: by then the program's own loads are under way, and there is one branch.
//
//   for each: page = pages.words[window] + page number      constant memory, as the epoch;
//             word = page.read or page.written                of a window without words: none
//   if (any word is older than the epoch)
//     for each: if (it is older, and the lane before does not have the same page)
//                 word = max(word, epoch), atomically         nothing waits for that
//
// A word may be read late, from a cache; then it is updated once more. A lane that leaves
// its page to the lane before relies on that one's update, or on that of the one before it.
// Atomics of words that lie close together wait for each other, so what many threads access
// is marked early by one of them (markEarly). What a loop accesses in steps is marked before
// it (LoopMarks.cpp).
//
//===----------------------------------------------------------------------===//
#include "device/PageMarks.h"

#include "base/Compat.h"
#include "device/Accesses.h"
#include "device/LoopMarks.h"
#include "device/PageCode.h"

#include "gpumemprof/pages.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace gpumemprof {
namespace {

constexpr unsigned GlobalMemory = 1; // an address space

/// Whether all code of the module is for devices on which threads of a warp can find each other.
bool canWorkTogether(const Module &M) {
  for (const Function &F : M) {
    StringRef Device = F.getFnAttribute("target-cpu").getValueAsString();
    unsigned Number = 0;
    if (F.isDeclaration()) continue;
    if (!Device.consume_front("sm_") || Device.take_while(isdigit).getAsInteger(10, Number) ||
        Number < 80)
      return false;
  }
  return true;
}

class PageMarker {
public:
  PageMarker(Module &M, FunctionAnalysisManager &Analyses)
      : M(M), Ctx(M.getContext()), Analyses(Analyses) {}

  void run() {
    DenseMap<const Function *, Accesses> All;
    SmallVector<Function *, 16> Functions;
    for (Function &F : M)
      if (!F.isDeclaration()) {
        All[&F] = accessesOf(F);
        Functions.push_back(&F);
      }
    Code = addPageCode(M, canWorkTogether(M));
    for (Function *F : Functions)
      if (compat::isKernel(*F) && usesUnseen(*F, All)) declareUnseen(*F);
    for (Function *F : Functions)
      if (!All[F].Seen.empty()) mark(*F, All[F].Seen);
    removeUnused(M);
  }

private:
  /// Whether a function that the kernel may call does something that is not seen.
  static bool usesUnseen(const Function &Kernel, const DenseMap<const Function *, Accesses> &All) {
    SmallVector<const Function *, 16> Work{&Kernel};
    DenseMap<const Function *, bool> Known{{&Kernel, true}};
    while (!Work.empty()) {
      const Accesses &A = All.find(Work.pop_back_val())->second;
      if (A.Unseen) return true;
      for (const Function *Callee : A.Calls)
        if (Known.try_emplace(Callee, true).second) Work.push_back(Callee);
      if (!A.CallsPointers) continue;
      for (const auto &[F, Its] : All)
        if (F->hasAddressTaken() && Known.try_emplace(F, true).second) Work.push_back(F);
    }
    return false;
  }

  void declareUnseen(const Function &Kernel) {
    auto *G = new GlobalVariable(M, Type::getInt8Ty(Ctx), false, GlobalValue::WeakAnyLinkage,
                                 ConstantInt::get(Type::getInt8Ty(Ctx), 1),
                                 (GPUMEMPROF_PAGES_UNSEEN + Kernel.getName()).str(), nullptr,
                                 GlobalValue::NotThreadLocal, GlobalMemory, true);
    G->setAlignment(Align(1));
  }

  void mark(Function &F, SmallVectorImpl<Access> &Seen) {
    markLoops(F, Seen, Code, Analyses);
    const LoopInfo &Loops = Analyses.getResult<LoopAnalysis>(F);
    SmallPtrSet<const Instruction *, 8> Once; // where parts end that are in no loop
    for (const Access &A : Seen)
      if (!Loops.getLoopFor(A.Before->getParent())) Once.insert(A.Before);
    for (size_t First = 0, End; First < Seen.size(); First = End) {
      for (End = First + 1; End < Seen.size() && Seen[End].Before == Seen[First].Before;) ++End;
      ArrayRef<Access> Together = ArrayRef(Seen).slice(First, End - First);
      if (Once.contains(Together[0].Before)) markEarly(Together);
      check(Together);
    }
    // The function now has other memory effects than were found.
    F.removeFnAttr(Attribute::Memory);
    F.removeFnAttr(Attribute::NoSync);
    F.addFnAttr(Attribute::Convergent);
    for (User *U : F.users())
      if (auto *Call = dyn_cast<CallBase>(U); Call && Call->getCalledFunction() == &F) {
        Call->removeFnAttr(Attribute::Memory);
        Call->removeFnAttr(Attribute::NoSync);
      }
    for (Argument &A : F.args())
      for (auto Kind : {Attribute::ReadNone, Attribute::ReadOnly, Attribute::WriteOnly})
        if (A.hasAttribute(Kind) && !A.hasByValAttr()) A.removeAttr(Kind);
  }

  /// A page that an access uses. An access that may reach into the next page has two.
  struct Checked {
    Value *Address = nullptr; // of its struct gpumemprof_page
    Value *Older[2] = {};     // whether the words `read` and `written` are; null: not used
    Value *First = nullptr;   // of the second page: the address of the first
  };

  /// The value, computed before \p At if it is not there yet. Null: it takes what is accessed
  /// later.
  Value *valueAt(Value *V, Instruction *At, DenseMap<Value *, Value *> &Known, unsigned Depth = 0) {
    auto *I = dyn_cast<Instruction>(V);
    if (!I || I->getParent() != At->getParent() || I->comesBefore(At)) return V;
    if (Value *Copy = Known.lookup(V)) return Copy;
    if (Depth > 16 || isa<PHINode>(I) || I->mayReadOrWriteMemory() || I->mayHaveSideEffects() ||
        !isSafeToSpeculativelyExecute(I))
      return nullptr;
    SmallVector<Value *, 4> Operands;
    for (Value *Operand : I->operands()) {
      Operands.push_back(valueAt(Operand, At, Known, Depth + 1));
      if (!Operands.back()) return nullptr;
    }
    Instruction *Copy = I->clone();
    for (unsigned N = 0; N < Operands.size(); ++N) Copy->setOperand(N, Operands[N]);
    Copy->insertInto(At->getParent(), At->getIterator());
    return Known[V] = Copy;
  }

  /// Where no launch has marked the pages yet, the thread that accesses the first bytes of one does
  /// it at once, before the part waits for what it loads. So threads that access others of its
  /// bytes mostly find it marked at their check.
  void markEarly(ArrayRef<Access> Together) {
    Instruction *At = Together[0].Begin;
    while (At != Together[0].Before && !At->mayReadOrWriteMemory()) At = At->getNextNode();
    SmallVector<std::pair<const Access *, Value *>, 8> Known; // with the base, as it is known there
    DenseMap<Value *, Value *> Copies;
    SmallPtrSet<const Value *, 8> Seen[4]; // by bits
    for (const Access &A : Together) {
      // What this thread accesses elsewhere in the same memory, others mostly access as this one.
      if (A.Length || A.Begin != Together[0].Begin ||
          !Seen[A.Bits].insert(getUnderlyingObject(A.Base, 0)).second)
        continue;
      if (Value *Base = valueAt(A.Base, At, Copies)) Known.push_back({&A, Base});
    }
    if (Known.empty()) return;
    IRBuilder<> B(At);
    Value *Fresh = B.CreateLoad(
        I32, B.CreateConstInBoundsGEP2_32(Code.Pages->getValueType(), Code.Pages, 0, 1));
    B.SetInsertPoint(SplitBlockAndInsertIfThen(B.CreateICmpNE(Fresh, B.getInt32(0)), At, false));
    SmallVector<Value *, 8> Addresses, First;
    for (auto [A, Base] : Known) {
      Addresses.push_back(
          B.CreateAdd(B.CreatePtrToInt(Base, I64), ConstantInt::getSigned(I64, A->From)));
      Value *InPage = B.CreateAnd(B.CreateTrunc(Addresses.back(), I32), GPUMEMPROF_PAGE_SIZE - 1);
      uint32_t Bytes = A->InOnePage ? uint32_t(A->To - A->From) : 4; // 4: of the first of several
      First.push_back(B.CreateICmpULT(InPage, B.getInt32(Bytes)));
    }
    B.SetInsertPoint(SplitBlockAndInsertIfThen(B.CreateOr(First), &*B.GetInsertPoint(), false));
    Value *Epoch = B.CreateLoad(I32, Code.Pages);
    for (size_t I = 0; I < Known.size(); ++I) {
      Instruction *End = &*B.GetInsertPoint();
      B.SetInsertPoint(SplitBlockAndInsertIfThen(First[I], End, false));
      Checked Page;
      Page.Address = pageOf(B, Addresses[I]);
      for (unsigned Word : {0, 1})
        if (Known[I].first->Bits >> Word & 1) mark(B, wordOf(B, Page, Word), Epoch);
      B.SetInsertPoint(End);
    }
  }

  /// Checks what was accessed before one instruction.
  void check(ArrayRef<Access> Together) {
    SmallVector<Checked, 8> Pages;
    Instruction *Before = Together[0].Before;
    IRBuilder<> B(Before);
    Value *Epoch = nullptr, *Older = nullptr;
    for (const Access &A : Together) {
      Value *Base = B.CreatePtrToInt(A.Base, I64);
      if (A.Length) {
        B.CreateCall(Code.Range, {Base, B.CreateZExtOrTrunc(A.Length, I64), B.getInt32(A.Bits)});
        continue;
      }
      if (!Epoch) Epoch = B.CreateLoad(I32, Code.Pages);
      for (int64_t Byte : {A.From, A.To - 1}) {
        if (A.InOnePage && Byte != A.From) break;
        Checked Page;
        Page.Address =
            pageOf(B, Byte ? B.CreateAdd(Base, ConstantInt::getSigned(I64, Byte)) : Base);
        if (Byte != A.From) Page.First = Pages.back().Address;
        for (unsigned Word : {0, 1}) {
          if (!(A.Bits >> Word & 1)) continue;
          Value *When = B.CreateLoad(I32, wordOf(B, Page, Word));
          Page.Older[Word] = B.CreateICmpULT(When, Epoch);
          Older = Older ? B.CreateOr(Older, Page.Older[Word]) : Page.Older[Word];
        }
        Pages.push_back(Page);
      }
    }
    if (!Older) return;
    MDNode *Rare = MDBuilder(Ctx).createBranchWeights(1, 1000);
    B.SetInsertPoint(SplitBlockAndInsertIfThen(Older, Before, false, Rare));
    SmallVector<Value *, 8> Others = doneByOthers(B, Pages);
    for (size_t I = 0; I < Pages.size(); ++I)
      for (unsigned Word : {0, 1}) {
        Value *Mine = Pages[I].Older[Word];
        if (!Mine) continue;
        if (Others[I]) Mine = B.CreateAnd(Mine, B.CreateNot(Others[I]));
        Instruction *End = &*B.GetInsertPoint();
        B.SetInsertPoint(SplitBlockAndInsertIfThen(Mine, End, false));
        mark(B, wordOf(B, Pages[I], Word), Epoch);
        B.SetInsertPoint(End);
      }
  }

  Value *wordOf(IRBuilder<> &B, const Checked &Page, unsigned Word) {
    return Word ? B.CreateConstGEP1_32(I32, Page.Address, Word) : Page.Address;
  }

  /// For each page whether it need not be marked: the lane before this one is here and has the same
  /// one, or it is that of the access's first byte. The lower halves of the addresses of words are
  /// all different (pages.h). Null: that is not known.
  SmallVector<Value *, 8> doneByOthers(IRBuilder<> &B, ArrayRef<Checked> Pages) {
    auto Call = [&](Intrinsic::ID Id, ArrayRef<Value *> Arguments = {}) {
      return B.CreateIntrinsic(I32, Id, Arguments);
    };
    SmallVector<Value *, 8> Done;
    Value *Here = nullptr, *IsThere = nullptr;
    if (Code.Together) {
      Here = compat::activeLanes(B);
      Value *Lane = Call(Intrinsic::nvvm_read_ptx_sreg_laneid);
      IsThere = B.CreateTrunc(B.CreateLShr(B.CreateShl(Here, 1), Lane), B.getInt1Ty());
    }
    for (const Checked &Page : Pages) {
      if (Page.First) {
        Done.push_back(B.CreateICmpEQ(Page.First, Page.Address));
      } else if (!Code.Together) {
        Done.push_back(nullptr);
      } else {
        Value *Low = B.CreatePtrToInt(Page.Address, I32);
        Value *Before =
            Call(Intrinsic::nvvm_shfl_sync_up_i32, {Here, Low, B.getInt32(1), B.getInt32(0)});
        Done.push_back(B.CreateAnd(B.CreateICmpEQ(Before, Low), IsThere));
      }
    }
    return Done;
  }

  /// Only raises the word, so that kernels with different epochs may do so at the same time.
  void mark(IRBuilder<> &B, Value *Word, Value *Epoch) {
    B.CreateAtomicRMW(AtomicRMWInst::UMax, Word, Epoch, Align(4), AtomicOrdering::Monotonic,
                      Ctx.getOrInsertSyncScopeID("device"));
  }

  /// The address of its struct gpumemprof_page.
  Value *pageOf(IRBuilder<> &B, Value *Address) {
    Value *Window = B.CreateAnd(B.CreateLShr(Address, GPUMEMPROF_PAGES_WINDOW_BITS),
                                GPUMEMPROF_PAGES_WINDOWS - 1);
    Value *Words = B.CreateLoad(I64, B.CreateGEP(Code.Pages->getValueType(), Code.Pages,
                                                 {B.getInt64(0), B.getInt32(2), Window}));
    constexpr uint32_t InWindow =
        uint32_t(GPUMEMPROF_PAGES_IN_WINDOW - 1) * sizeof(gpumemprof_page);
    Value *Distance =
        B.CreateAnd(B.CreateTrunc(B.CreateLShr(Address, GPUMEMPROF_PAGE_BITS - 3), I32), InWindow);
    Value *Flag = B.CreateAnd(B.CreateTrunc(Words, I32), GPUMEMPROF_PAGES_NONE);
    Distance = B.CreateSelect(B.CreateICmpEQ(Flag, B.getInt32(0)), Distance, B.getInt32(0));
    return B.CreateIntToPtr(B.CreateAdd(Words, B.CreateZExt(Distance, I64)),
                            PointerType::get(Ctx, GlobalMemory));
  }

  Module &M;
  LLVMContext &Ctx;
  FunctionAnalysisManager &Analyses;
  Type *I32 = Type::getInt32Ty(Ctx), *I64 = Type::getInt64Ty(Ctx);
  PageCode Code = {};
};

} // namespace

PreservedAnalyses MarkPagesPass::run(Module &M, ModuleAnalysisManager &Analyses) {
  if (!compat::targetTriple(M).isNVPTX() || M.getNamedValue(GPUMEMPROF_PAGES_SYMBOL))
    return PreservedAnalyses::all();
  PageMarker(M, Analyses.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager()).run();
  return PreservedAnalyses::none();
}

} // namespace gpumemprof
