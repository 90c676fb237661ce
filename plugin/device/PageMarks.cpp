//===- PageMarks.cpp ------------------------------------------------------===//
//
//   page = address >> 12
//   if (page != last)                   in loops: the page of the same access before
//     words = pages.words[window]       constant memory, as the epoch
//     if (words)
//       word = words[page]
//       if (a bit is missing, or the epoch is an older one)
//         one thread of those of the warp that are here for the same word updates it
//
// A word may be read late, from a cache, but then it has less than it should, and the
// update is atomic. Its epoch only grows.
//
//===----------------------------------------------------------------------===//
#include "device/PageMarks.h"

#include "base/Compat.h"
#include "device/Accesses.h"

#include "gpumemprof/pages.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

#include <cstddef>

using namespace llvm;

namespace gpumemprof {
namespace {

constexpr unsigned Global = 1, Constants = 4; // address spaces

bool isKernel(const Function &F) {
  return F.getCallingConv() == CallingConv::PTX_Kernel;
}

/// match.sync needs a device of this compute capability, in tenths.
bool hasMatch(const Function &F) {
  StringRef Device = F.getFnAttribute("target-cpu").getValueAsString();
  unsigned Number = 0;
  return Device.consume_front("sm_") && !Device.take_while(isdigit).getAsInteger(10, Number) &&
         Number >= 70;
}

class PageMarker {
public:
  explicit PageMarker(Module &M) : M(M), Ctx(M.getContext()) {}

  void run() {
    DenseMap<const Function *, Accesses> All;
    for (Function &F : M)
      if (!F.isDeclaration()) All[&F] = accessesOf(F);
    SmallVector<Function *, 16> Functions;
    for (Function &F : M)
      if (!F.isDeclaration()) Functions.push_back(&F);
    Pages = pages();
    for (Function *F : Functions)
      if (isKernel(*F) && usesUnseen(*F, All)) declareUnseen(*F);
    for (Function *F : Functions)
      if (!All[F].Seen.empty()) mark(*F, All[F].Seen);
    for (Function *F : Touch)
      if (F && F->use_empty()) F->eraseFromParent(); // all its calls were inlined
  }

private:
  GlobalVariable *pages() {
    auto *Layout = StructType::get(Ctx, {I32, I32, ArrayType::get(I64, GPUMEMPROF_PAGES_WINDOWS)});
    auto *G = new GlobalVariable(M, Layout, false, GlobalValue::WeakAnyLinkage,
                                 ConstantAggregateZero::get(Layout), GPUMEMPROF_PAGES_SYMBOL,
                                 nullptr, GlobalValue::NotThreadLocal, Constants, true);
    G->setAlignment(Align(8));
    return G;
  }

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
                                 GlobalValue::NotThreadLocal, Global, true);
    G->setAlignment(Align(1));
  }

  void mark(Function &F, ArrayRef<Access> Seen) {
    SmallVector<AllocaInst *, 16> Latest;
    {
      DominatorTree Tree(F);
      LoopInfo Loops(Tree);
      IRBuilder<> Entry(&*F.getEntryBlock().getFirstInsertionPt());
      for (const Access &A : Seen) {
        bool InLoop = !A.Length && Loops.getLoopFor(A.Before->getParent());
        Latest.push_back(InLoop ? Entry.CreateAlloca(I64) : nullptr);
        if (InLoop) Entry.CreateStore(ConstantInt::getAllOnesValue(I64), Latest.back());
      }
    }
    for (size_t I = 0; I < Seen.size(); ++I) markOne(Seen[I], Latest[I]);
    erase(Latest, nullptr);
    if (!Latest.empty()) {
      DominatorTree Tree(F);
      PromoteMemToReg(Latest, Tree);
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

  Value *addressOf(IRBuilder<> &B, Value *Pointer, int64_t Offset) {
    Value *Address = B.CreatePtrToInt(Pointer, I64);
    return Offset ? B.CreateAdd(Address, ConstantInt::getSigned(I64, Offset)) : Address;
  }

  void markOne(const Access &A, AllocaInst *Latest) {
    IRBuilder<> B(A.Before);
    if (A.Length) {
      Value *First = addressOf(B, A.Base, 0);
      B.CreateCall(range(), {First, B.CreateZExtOrTrunc(A.Length, I64), B.getInt32(A.Bits)});
      return;
    }
    Value *Address = addressOf(B, A.Base, A.From);
    Value *Page = B.CreateLShr(Address, GPUMEMPROF_PAGE_BITS);
    Value *LastPage = Page;
    if (!A.InOnePage) LastPage = B.CreateLShr(addressOf(B, A.Base, A.To - 1), GPUMEMPROF_PAGE_BITS);
    if (Latest) { // of two pages, the second is remembered only where the first is, too
      Value *Other = B.CreateICmpNE(Page, B.CreateLoad(I64, Latest));
      if (!A.InOnePage) Other = B.CreateOr(Other, B.CreateICmpNE(Page, LastPage));
      B.SetInsertPoint(SplitBlockAndInsertIfThen(Other, A.Before, false));
      B.CreateStore(Page, Latest);
    }
    Instruction *End = &*B.GetInsertPoint();
    check(End, Page, B.getInt32(A.Bits));
    if (A.InOnePage) return;
    B.SetInsertPoint(End);
    Value *Two = B.CreateICmpNE(Page, LastPage);
    check(SplitBlockAndInsertIfThen(Two, End, false), LastPage, B.getInt32(A.Bits));
  }

  /// Marks the page before the instruction.
  void check(Instruction *Before, Value *Page, Value *Bits) {
    IRBuilder<> B(Before);
    Value *Window =
        B.CreateAnd(B.CreateLShr(Page, GPUMEMPROF_PAGES_WINDOW_BITS - GPUMEMPROF_PAGE_BITS),
                    GPUMEMPROF_PAGES_WINDOWS - 1);
    Value *Words = B.CreateLoad(
        I64, B.CreateGEP(Pages->getValueType(), Pages, {B.getInt64(0), B.getInt32(2), Window}));
    B.SetInsertPoint(
        SplitBlockAndInsertIfThen(B.CreateICmpNE(Words, B.getInt64(0)), Before, false));
    Value *Distance = B.CreateShl(Page, 2);
    Value *Word = B.CreateIntToPtr(B.CreateAdd(Words, Distance), PointerType::get(Ctx, Global));
    Value *Old = B.CreateLoad(I32, Word);
    Value *Epoch = B.CreateLoad(I32, B.CreateStructGEP(Pages->getValueType(), Pages, 0));
    Value *Missing = B.CreateICmpNE(B.CreateAnd(B.CreateNot(Old), Bits), B.getInt32(0));
    Value *Stale = B.CreateOr(Missing, B.CreateICmpULT(Old, Epoch));
    MDNode *Rare = MDBuilder(Ctx).createBranchWeights(1, 1000);
    B.SetInsertPoint(SplitBlockAndInsertIfThen(Stale, &*B.GetInsertPoint(), false, Rare));
    CallInst *Call =
        B.CreateCall(touch(hasMatch(*Before->getFunction())), {Word, Old, Epoch, Bits});
    InlineFunctionInfo Info;
    InlineFunction(*Call, Info);
  }

  Function *own(StringRef Name, FunctionType *Type) {
    auto *F = Function::Create(Type, GlobalValue::InternalLinkage, Name, M);
    F->addFnAttr(Attribute::NoUnwind);
    F->addFnAttr(Attribute::Convergent);
    return F;
  }

  /// A function that updates a word: from what was read of it on, until it has all.
  Function *touch(bool Match) {
    Function *&F = Touch[Match];
    if (F) return F;
    Type *Void = Type::getVoidTy(Ctx);
    F = own("gpumemprof.touch",
            FunctionType::get(Void, {PointerType::get(Ctx, Global), I32, I32, I32}, false));
    Value *Word = F->getArg(0), *Read = F->getArg(1), *Epoch = F->getArg(2), *Bits = F->getArg(3);
    BasicBlock *Entry = BasicBlock::Create(Ctx, "", F), *Try = BasicBlock::Create(Ctx, "", F),
               *Change = BasicBlock::Create(Ctx, "", F), *Done = BasicBlock::Create(Ctx, "", F);
    IRBuilder<> B(Entry);
    if (Match) {
      Value *Here = B.CreateCall(compat::intrinsic(M, Intrinsic::nvvm_activemask));
      Value *Same = B.CreateCall(compat::intrinsic(M, Intrinsic::nvvm_match_any_sync_i64),
                                 {Here, B.CreatePtrToInt(Word, I64)});
      Value *First = B.CreateIntrinsic(Intrinsic::cttz, {I32}, {Same, B.getTrue()});
      Value *Lane = B.CreateCall(compat::intrinsic(M, Intrinsic::nvvm_read_ptx_sreg_laneid));
      B.CreateCondBr(B.CreateICmpEQ(First, Lane), Try, Done);
    } else B.CreateBr(Try);
    B.SetInsertPoint(Try);
    PHINode *Old = B.CreatePHI(I32, 2);
    Old->addIncoming(Read, Entry);
    Value *Both =
        B.CreateOr(B.CreateAnd(Old, GPUMEMPROF_PAGE_READ | GPUMEMPROF_PAGE_WRITTEN), Bits);
    Value *Latest = B.CreateBinaryIntrinsic(
        Intrinsic::umax, Epoch,
        B.CreateAnd(Old, ~(GPUMEMPROF_PAGE_READ | GPUMEMPROF_PAGE_WRITTEN)));
    Value *New = B.CreateOr(Latest, Both);
    B.CreateCondBr(B.CreateICmpEQ(New, Old), Done, Change);
    B.SetInsertPoint(Change);
    Value *Pair =
        B.CreateAtomicCmpXchg(Word, Old, New, Align(4), AtomicOrdering::Monotonic,
                              AtomicOrdering::Monotonic, Ctx.getOrInsertSyncScopeID("device"));
    Old->addIncoming(B.CreateExtractValue(Pair, 0), Change);
    B.CreateCondBr(B.CreateExtractValue(Pair, 1), Done, Try);
    IRBuilder<>(Done).CreateRetVoid();
    return F;
  }

  /// A function that marks the pages of `length` bytes.
  Function *range() {
    if (Range) return Range;
    Range =
        own("gpumemprof.range", FunctionType::get(Type::getVoidTy(Ctx), {I64, I64, I32}, false));
    Range->addFnAttr(Attribute::NoInline);
    Value *First = Range->getArg(0), *Length = Range->getArg(1), *Bits = Range->getArg(2);
    BasicBlock *Entry = BasicBlock::Create(Ctx, "", Range),
               *Begin = BasicBlock::Create(Ctx, "", Range),
               *Each = BasicBlock::Create(Ctx, "", Range),
               *Next = BasicBlock::Create(Ctx, "", Range),
               *Done = BasicBlock::Create(Ctx, "", Range);
    IRBuilder<> B(Entry);
    B.CreateCondBr(B.CreateICmpEQ(Length, B.getInt64(0)), Done, Begin);
    B.SetInsertPoint(Begin);
    Value *From = B.CreateLShr(First, GPUMEMPROF_PAGE_BITS);
    Value *To =
        B.CreateLShr(B.CreateSub(B.CreateAdd(First, Length), B.getInt64(1)), GPUMEMPROF_PAGE_BITS);
    B.CreateBr(Each);
    B.SetInsertPoint(Each);
    PHINode *Page = B.CreatePHI(I64, 2);
    Page->addIncoming(From, Begin);
    Instruction *End = B.CreateBr(Next);
    B.SetInsertPoint(Next);
    Value *Following = B.CreateAdd(Page, B.getInt64(1));
    Page->addIncoming(Following, Next);
    B.CreateCondBr(B.CreateICmpUGT(Following, To), Done, Each);
    IRBuilder<>(Done).CreateRetVoid();
    copyTarget(*Range);
    check(End, Page, Bits);
    return Range;
  }

  /// A function of ours is compiled for the device that the program's are compiled for.
  void copyTarget(Function &Ours) {
    for (const Function &F : M) {
      if (&F == &Ours || F.isDeclaration() || !F.hasFnAttribute("target-cpu")) continue;
      for (StringRef Name : {"target-cpu", "target-features"})
        if (F.hasFnAttribute(Name)) Ours.addFnAttr(F.getFnAttribute(Name));
      return;
    }
  }

  Module &M;
  LLVMContext &Ctx;
  Type *I32 = Type::getInt32Ty(Ctx), *I64 = Type::getInt64Ty(Ctx);
  GlobalVariable *Pages = nullptr;
  Function *Touch[2] = {}, *Range = nullptr;
};

} // namespace

PreservedAnalyses MarkPagesPass::run(Module &M, ModuleAnalysisManager &) {
  if (!compat::targetTriple(M).isNVPTX() || M.getNamedValue(GPUMEMPROF_PAGES_SYMBOL))
    return PreservedAnalyses::all();
  PageMarker(M).run();
  return PreservedAnalyses::none();
}

} // namespace gpumemprof
