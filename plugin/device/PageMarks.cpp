//===- PageMarks.cpp ------------------------------------------------------===//
//
// The accesses of a part of a block that runs from begin to end are checked together, at
// its end: by then the program's own loads are under way, and there is one branch.
//
//   for each: words = pages.words[window]          constant memory, as the epoch
//             word = words ? words[page] : one that lacks nothing
//   if (in any word a bit is missing, or its epoch is older) update each
//
// A word may be read late, from a cache, but then it has less than it should, and the
// update is atomic. What a loop accesses in steps is marked before it (PageCode.cpp).
//
//===----------------------------------------------------------------------===//
#include "device/PageMarks.h"

#include "base/Compat.h"
#include "device/Accesses.h"
#include "device/PageCode.h"

#include "gpumemprof/pages.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace gpumemprof {
namespace {

constexpr unsigned GlobalMemory = 1; // an address space

bool isKernel(const Function &F) {
  return F.getCallingConv() == CallingConv::PTX_Kernel;
}

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

/// Marks what loops access in steps; \p Seen keeps the others.
class LoopMarker {
public:
  LoopMarker(Function &F, const PageCode &Code, FunctionAnalysisManager &Analyses)
      : Code(Code), Tree(Analyses.getResult<DominatorTreeAnalysis>(F)),
        Loops(Analyses.getResult<LoopAnalysis>(F)),
        Evolution(Analyses.getResult<ScalarEvolutionAnalysis>(F)),
        I64(Type::getInt64Ty(F.getContext())) {}

  void run(SmallVectorImpl<Access> &Seen) {
    for (Loop *L : Loops.getLoopsInPreorder()) // the optimizer has removed blocks that were empty
      if (!L->getLoopPreheader()) InsertPreheaderForLoop(L, &Tree, &Loops, nullptr, false);
    erase_if(Seen, [&](const Access &A) { return !A.Length && markBefore(A); });
  }

private:
  /// Whether the block runs in each round of the loop, whose number is known before it begins.
  bool runsAlways(const BasicBlock &Block, const Loop &L) {
    auto [Known, IsNew] = Steady.try_emplace(&L, false);
    if (IsNew) {
      bool Calls = any_of(L.blocks(), [](const BasicBlock *B) {
        return any_of(*B, [](const Instruction &I) {
          auto *Call = dyn_cast<CallBase>(&I);
          return Call && !isa<IntrinsicInst>(Call) && !Call->isInlineAsm(); // it may not return
        });
      });
      Known->second = !Calls && L.getLoopPreheader() && L.getExitingBlock() &&
                      L.getExitingBlock() == L.getLoopLatch() &&
                      !isa<SCEVCouldNotCompute>(Evolution.getBackedgeTakenCount(&L));
    }
    return Known->second && Tree.dominates(&Block, L.getLoopLatch());
  }

  bool markBefore(const Access &A) {
    Loop *L = Loops.getLoopFor(A.Before->getParent());
    if (!L || !runsAlways(*A.Before->getParent(), *L)) return false;
    const SCEV *Address = Evolution.getSCEV(A.Base);
    const SCEV *Start = Address, *Step = Evolution.getZero(I64), *Rounds = Evolution.getOne(I64);
    if (!Evolution.isLoopInvariant(Address, L)) {
      auto *Way = dyn_cast<SCEVAddRecExpr>(Address);
      if (!Way || Way->getLoop() != L || !Way->isAffine()) return false;
      Start = Way->getStart();
      Step = Way->getStepRecurrence(Evolution);
      const SCEV *Back = Evolution.getBackedgeTakenCount(L);
      if (Back->getType()->getIntegerBitWidth() > 64 || Step->getType() != I64 ||
          !Evolution.isLoopInvariant(Step, L))
        return false;
      Rounds = Evolution.getAddExpr(Evolution.getNoopOrZeroExtend(Back, I64), Rounds);
    }
    Instruction *At = L->getLoopPreheader()->getTerminator();
    SCEVExpander Expander = compat::expander(Evolution, At->getModule()->getDataLayout());
    for (const SCEV *Needed : {Start, Step, Rounds})
      if (!Expander.isSafeToExpandAt(Needed, At)) return false;
    IRBuilder<> B(At);
    Value *Base = B.CreatePtrToInt(Expander.expandCodeFor(Start, A.Base->getType(), At), I64);
    Value *By = Expander.expandCodeFor(Step, I64, At);
    Value *Count = Expander.expandCodeFor(Rounds, I64, At);
    B.SetInsertPoint(At);
    B.CreateCall(Code.Stride, {B.CreateAdd(Base, ConstantInt::getSigned(I64, A.From)),
                               B.CreateAdd(Base, ConstantInt::getSigned(I64, A.To - 1)), By, Count,
                               B.getInt32(A.Bits)});
    return true;
  }

  const PageCode &Code;
  DominatorTree &Tree;
  LoopInfo &Loops;
  ScalarEvolution &Evolution;
  Type *I64;
  DenseMap<const Loop *, bool> Steady;
};

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
      if (isKernel(*F) && usesUnseen(*F, All)) declareUnseen(*F);
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
    LoopMarker(F, Code, Analyses).run(Seen);
    for (size_t First = 0, End; First < Seen.size(); First = End) {
      for (End = First + 1; End < Seen.size() && Seen[End].Before == Seen[First].Before;) ++End;
      check(ArrayRef(Seen).slice(First, End - First));
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

  /// Checks what was accessed before one instruction.
  void check(ArrayRef<Access> Together) {
    struct Checked {
      Value *Word, *Bits;
    };
    SmallVector<Checked, 8> Words;
    Instruction *Before = Together[0].Before;
    IRBuilder<> B(Before);
    Value *Epoch = nullptr, *Stale = nullptr;
    for (const Access &A : Together) {
      Value *Base = B.CreatePtrToInt(A.Base, I64), *Bits = B.getInt32(A.Bits);
      if (A.Length) {
        B.CreateCall(Code.Range, {Base, B.CreateZExtOrTrunc(A.Length, I64), Bits});
        continue;
      }
      if (!Epoch) Epoch = B.CreateLoad(I32, Code.Pages);
      for (int64_t Byte : {A.From, A.To - 1}) {
        if (A.InOnePage && Byte != A.From) break;
        Value *Address = Byte ? B.CreateAdd(Base, ConstantInt::getSigned(I64, Byte)) : Base;
        Value *Word = wordOf(B, Address);
        Value *Old = B.CreateLoad(I32, Word);
        Value *Missing = B.CreateICmpNE(B.CreateAnd(B.CreateNot(Old), Bits), B.getInt32(0));
        Missing = B.CreateOr(Missing, B.CreateICmpULT(Old, Epoch));
        Stale = Stale ? B.CreateOr(Stale, Missing) : Missing;
        Words.push_back({Word, Bits});
      }
    }
    if (!Stale) return;
    MDNode *Rare = MDBuilder(Ctx).createBranchWeights(1, 1000);
    B.SetInsertPoint(SplitBlockAndInsertIfThen(Stale, Before, false, Rare));
    for (const Checked &C : Words) B.CreateCall(Code.Touch, {C.Word, C.Bits});
  }

  Value *wordOf(IRBuilder<> &B, Value *Address) {
    Value *Window = B.CreateAnd(B.CreateLShr(Address, GPUMEMPROF_PAGES_WINDOW_BITS),
                                GPUMEMPROF_PAGES_WINDOWS - 1);
    Value *Words = B.CreateLoad(I64, B.CreateGEP(Code.Pages->getValueType(), Code.Pages,
                                                 {B.getInt64(0), B.getInt32(2), Window}));
    Value *Distance = B.CreateAnd(B.CreateLShr(Address, GPUMEMPROF_PAGE_BITS - 2), ~UINT64_C(3));
    Value *There = B.CreateAdd(Words, Distance);
    Value *None = ConstantExpr::getPtrToInt(Code.None, I64);
    return B.CreateIntToPtr(B.CreateSelect(B.CreateICmpNE(Words, B.getInt64(0)), There, None),
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
