//===- FrameInserter.cpp - enter, call, exit, catch -----------------------===//
//
// insert() first finds the span of the frame, then inserts the code in an order in
// which later parts do not move the insertion points of earlier ones. Each part is one function
// below, and each carries the debug location of the code that it precedes.
//
//===----------------------------------------------------------------------===//
#include "frames/FrameInserter.h"

#include "abi/Emit.h"
#include "abi/RuntimeABI.h"
#include "base/Compat.h"
#include "base/IRQueries.h"
#include "names/NameKinds.h"

#include "gpumemprof/hooks.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace gpumemprof {
namespace {

MDNode *unlikely(LLVMContext &Ctx) {
  return compat::unlikely(Ctx);
}

/// The function may use SSE2. AArch64 stores two registers at once without vectors.
bool mayUseVectors(const Function &F) {
  Attribute Features = F.getFnAttribute("target-features");
  return compat::targetTriple(*F.getParent()).getArch() == Triple::x86_64 &&
         !F.hasFnAttribute(Attribute::NoImplicitFloat) &&
         !Features.getValueAsString().contains("-sse2") &&
         !Features.getValueAsString().contains("+soft-float");
}

/// The call may open a block (GPUMEMPROF_SCOPE), which makes every frame below it active.
bool entersBlockScope(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  return Call && Call->getCalledFunction() && isOurs(Call->getCalledFunction()->getName());
}

} // namespace

DebugLoc FrameInserter::exitLocation(const Instruction &I, DebugLoc Otherwise) {
  return I.getDebugLoc() ? I.getDebugLoc() : Otherwise;
}

FrameInserter::FrameInserter(Function &F, RuntimeABI &ABI) : F(F), ABI(ABI) {
  if (DISubprogram *SP = F.getSubprogram())
    EntryLoc = DILocation::get(F.getContext(), SP->getScopeLine(), 0, SP);
}

/// The machine stack pointer, or in enterFunction() that of its caller. It takes one store, needs
/// no frame pointer and does not prevent inlining (an inlined activation has the address of the
/// function that it is inlined into).
Value *FrameInserter::machineStack(IRBuilder<> &B) {
  LLVMContext &Ctx = F.getContext();
  Module &M = *F.getParent();
  bool X86 = compat::targetTriple(M).isX86();
  if (IsHelper && !X86)
    return B.CreateCall(compat::intrinsic(M, Intrinsic::sponentry, {ABI.pointer()}));
  if (IsHelper) {
    Value *Return =
        B.CreateCall(compat::intrinsic(M, Intrinsic::addressofreturnaddress, {ABI.pointer()}));
    return B.CreateConstGEP1_64(B.getInt8Ty(), Return, 8);
  }
  Metadata *Register = MDString::get(Ctx, X86 ? "rsp" : "sp");
  Function *Read = compat::intrinsic(M, Intrinsic::read_register, {B.getInt64Ty()});
  return B.CreateCall(Read, {MetadataAsValue::get(Ctx, MDNode::get(Ctx, {Register}))});
}

void FrameInserter::enterInline(Instruction *At, Value *Scope) {
  IRBuilder<> B(At);
  B.SetCurrentDebugLocation(EntryLoc);
  Value *StackAddress = ABI.stack(B);
  auto *Top = quiet(B.CreateLoad(ABI.pointer(), StackAddress));
  auto *Limit =
      quiet(B.CreateLoad(ABI.pointer(), field(B, StackAddress, offsetof(gpumemprof_stack, limit))));
  Instruction *Slow =
      SplitBlockAndInsertIfThen(B.CreateICmpUGE(Top, Limit), At, false, unlikely(F.getContext()));
  B.SetInsertPoint(Slow);
  B.SetCurrentDebugLocation(EntryLoc);
  ABI.callFrameSlow(B);
  auto *SlowTop = quiet(B.CreateLoad(ABI.pointer(), StackAddress));

  B.SetInsertPoint(At->getParent(), At->getParent()->begin());
  B.SetCurrentDebugLocation(EntryLoc);
  PHINode *Phi = B.CreatePHI(ABI.pointer(), 2, "gpumemprof.frame");
  Phi->addIncoming(Top, Top->getParent());
  Phi->addIncoming(SlowTop, Slow->getParent());
  Frame = Phi;

  if (!IsHelper) {
    B.SetInsertPoint(At);
    fill(B, Scope, StackAddress);
    return;
  }
  // Later stores of sites add to what `call` is now. A signal handler that ran before the frame was
  // open may have used the same memory for its own frame; then the frame is filled again.
  BasicBlock *Filling = SplitBlock(At->getParent(), At);
  BasicBlock *Filled = SplitBlock(Filling, At);
  Filling->getTerminator()->eraseFromParent();
  B.SetInsertPoint(Filling);
  fill(B, Scope, StackAddress);
  B.CreateFence(AtomicOrdering::SequentiallyConsistent, SyncScope::SingleThread);
  ABI.keepOrder(B);
  Value *Call =
      quiet(B.CreateLoad(ABI.pointer(), field(B, Frame, offsetof(gpumemprof_frame, call))));
  B.CreateCondBr(B.CreateICmpNE(Call, Scope), Filling, Filled, unlikely(F.getContext()));
}

/// Stores the frame's own fields and opens it.
void FrameInserter::fill(IRBuilder<> &B, Value *Scope, Value *StackAddress) {
  B.SetCurrentDebugLocation(EntryLoc);
  quiet(B.CreateStore(Scope, field(B, Frame, offsetof(gpumemprof_frame, scope))));
  if (IsHelper) quiet(B.CreateStore(Scope, field(B, Frame, offsetof(gpumemprof_frame, call))));
  storeEntry(B);
  ABI.keepOrder(B);
  quiet(B.CreateStore(field(B, Frame, sizeof(gpumemprof_frame)), StackAddress));
}

/// Stores the clock and the machine stack pointer, in one vector store where possible: stores are
/// the cost of entering a function.
void FrameInserter::storeEntry(IRBuilder<> &B) {
  Value *At = field(B, Frame, offsetof(gpumemprof_frame, entry_clock));
  LoadInst *Clock = quiet(B.CreateLoad(B.getInt64Ty(), ABI.clock(B)));
  Value *Stack = B.CreatePtrToInt(machineStack(B), B.getInt64Ty());
  if (!mayUseVectors(F)) {
    Clock->setAtomic(AtomicOrdering::Unordered);
    quiet(B.CreateStore(Clock, At));
    quiet(B.CreateStore(Stack, field(B, Frame, offsetof(gpumemprof_frame, stack))));
    return;
  }
  Value *Both = PoisonValue::get(FixedVectorType::get(B.getInt64Ty(), 2));
  Both = B.CreateInsertElement(Both, Clock, B.getInt64(0));
  Both = B.CreateInsertElement(Both, Stack, B.getInt64(1));
  quiet(B.CreateAlignedStore(Both, At, Align(16)));
}

/// The top is stored before the frame is tested. If the test came first, a signal handler between
/// the two could make this frame active after it was found not to be, and it would stay so.
void FrameInserter::exitInline(Instruction *I) {
  DebugLoc Where = exitLocation(*I, EntryLoc);
  IRBuilder<> B(I);
  B.SetCurrentDebugLocation(Where);
  quiet(B.CreateStore(Frame, IsHelper ? ABI.stack(B) : ABI.reloadedStack(B)));
  ABI.keepOrder(B);
  Value *Active =
      quiet(B.CreateLoad(ABI.pointer(), field(B, Frame, offsetof(gpumemprof_frame, active))));
  Instruction *Then =
      SplitBlockAndInsertIfThen(B.CreateIsNotNull(Active), I, false, unlikely(F.getContext()));
  B.SetInsertPoint(Then);
  B.SetCurrentDebugLocation(Where);
  CallInst *Call = ABI.callScopeExit(B, Frame);
  if (!IsHelper) return;
  Call->setTailCallKind(CallInst::TCK_MustTail);
  ReplaceInstWithInst(Then, ReturnInst::Create(F.getContext()));
}

Function *FrameInserter::enterFunction() {
  auto [Helper, New] =
      ABI.keeper("enter", FunctionType::get(ABI.pointer(), {ABI.pointer()}, false));
  if (!New) return Helper;
  Instruction *End = new UnreachableInst(F.getContext(), &Helper->getEntryBlock());
  FrameInserter Body(*Helper, ABI);
  Body.IsHelper = true;
  Body.enterInline(End, Helper->getArg(0));
  ReturnInst::Create(F.getContext(), Body.Frame, End->getParent());
  End->eraseFromParent();
  return Helper;
}

Function *FrameInserter::exitFunction() {
  auto [Helper, New] = ABI.keeper("exit", ABI.voidOf({ABI.pointer()}));
  if (!New) return Helper;
  Instruction *End = ReturnInst::Create(F.getContext(), &Helper->getEntryBlock());
  FrameInserter Body(*Helper, ABI);
  Body.IsHelper = true;
  Body.Frame = Helper->getArg(0);
  Body.exitInline(End);
  return Helper;
}

void FrameInserter::enter(const FramePlan &Plan, Instruction *At) {
  IRBuilder<> B(At);
  B.SetCurrentDebugLocation(EntryLoc);
  if (OutOfLine) {
    Frame = ABI.callKeeper(B, enterFunction(), {Plan.Scope});
    Frame->setName("gpumemprof.frame");
  } else {
    enterInline(At, Plan.Scope);
  }
  if (!Plan.Profiled) return;
  B.SetInsertPoint(At);
  B.SetCurrentDebugLocation(EntryLoc);
  ABI.callHook(B, ABI.hook("__gpumemprof_profile_enter", ABI.voidOf({ABI.pointer()})), {Frame});
}

void FrameInserter::exitBefore(Instruction *I) {
  if (!OutOfLine && !isa<ResumeInst>(I)) return exitInline(I);
  IRBuilder<> B(I);
  B.SetCurrentDebugLocation(exitLocation(*I, EntryLoc));
  ABI.callKeeper(B, exitFunction(), {Frame});
}

/// Where a call in return position and other code share blocks that need the frame, a local
/// variable records whether the call has ended the activation. The exits after these blocks test
/// it.
void FrameInserter::createHasEnded(Instruction *Begin) {
  IRBuilder<> B(&*F.getEntryBlock().getFirstInsertionPt());
  HasEnded = B.CreateAlloca(B.getInt1Ty(), nullptr, "gpumemprof.ended");
  B.SetInsertPoint(Begin);
  B.SetCurrentDebugLocation(EntryLoc);
  quiet(B.CreateStore(B.getFalse(), HasEnded), Align(1));
}

void FrameInserter::storeHasEnded(CallInst *Call) {
  IRBuilder<> B(Call);
  B.SetCurrentDebugLocation(exitLocation(*Call, EntryLoc));
  quiet(B.CreateStore(B.getTrue(), HasEnded), Align(1));
}

void FrameInserter::exitUnlessEndedBefore(Instruction *I) {
  if (!HasEnded) return exitBefore(I);
  IRBuilder<> B(I);
  B.SetCurrentDebugLocation(exitLocation(*I, EntryLoc));
  LoadInst *Ended = quiet(B.CreateLoad(B.getInt1Ty(), HasEnded), Align(1));
  exitBefore(SplitBlockAndInsertIfThen(B.CreateNot(Ended), I, false));
}

/// The exception goes on, perhaps to code that was not rebuilt, or ends the thread. Where clean-ups
/// move no memory the frame is left to the code that catches, because they may turn out to be
/// empty.
bool FrameInserter::endsAtResumes(const FramePlan &Plan) {
  return any_of(Plan.ComesBackAfter, [](Instruction *I) { return isa<LandingPadInst>(I); });
}

FrameSpan FrameInserter::spanOf(const FramePlan &Plan) {
  SmallPtrSet<const Instruction *, 16> Needed(Plan.ComesBackAfter.begin(),
                                              Plan.ComesBackAfter.end());
  for (Instruction *I : Plan.ComesBackAfter)
    if (isa<InvokeInst>(I)) Needed.insert(behind(I));
  for (const SiteStore &S : Plan.Sites) Needed.insert(S.Before);
  Needed.insert(Plan.CallEndedBefore.begin(), Plan.CallEndedBefore.end());
  for (const EarlyEnd &E : Plan.PopBefore) Needed.insert(E.Call);
  // Exceptions from before and behind the begin may share a resume, so the begin precedes both.
  if (endsAtResumes(Plan))
    for (BasicBlock &Block : F)
      if (isa<ResumeInst>(Block.getTerminator())) Needed.insert(Block.getTerminator());
  auto Needs = [&](const Instruction &I) { return Needed.contains(&I) || entersBlockScope(I); };
  return Plan.Profiled ? wholeFunction(F, Plan.PopBefore) : frameSpan(F, Needs, Plan.PopBefore);
}

void FrameInserter::insert(const FramePlan &Plan) {
  // enterFunction() leaves the scope there, entry 0 of the function's sites.
  SiteStores Stores(F, Plan.Sites, Plan.OutOfLine ? 0 : SiteStore::Unknown);
  OutOfLine = Plan.OutOfLine;
  FrameSpan Span = spanOf(Plan);
  enter(Plan, Span.Begin);
  for (Instruction *I : Plan.CallEndedBefore) {
    IRBuilder<> B(I);
    B.SetCurrentDebugLocation(exitLocation(*I, EntryLoc));
    ABI.callCallEnded(B, Frame);
  }
  if (!Span.Flagged.empty()) createHasEnded(Span.Begin);
  if (!Plan.ComesBackAfter.empty()) {
    IRBuilder<> B(Span.Begin);
    createBlocksEnd(field(B, Frame, sizeof(gpumemprof_frame)), Span.Begin);
  }
  Stores.emit(Frame);
  for (const EarlyEnd &E : Plan.PopBefore) exitBefore(E.Call);
  for (CallInst *Call : Span.Flagged) storeHasEnded(Call);
  for (Instruction *End : Span.Ends) exitUnlessEndedBefore(End);
  for (Instruction *I : Plan.ComesBackAfter) unwindAfter(I, Plan.HasLineCalls);
  if (endsAtResumes(Plan))
    for (BasicBlock &Block : F)
      if (isa<ResumeInst>(Block.getTerminator())) exitBefore(Block.getTerminator());
}

} // namespace gpumemprof
