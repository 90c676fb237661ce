//===- RuntimeABI.cpp - symbols of the runtime ----------------------------===//
#include "abi/RuntimeABI.h"

#include "abi/Emit.h"
#include "base/Compat.h"
#include "names/NameKinds.h"

#include "gpumemprof/hooks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace gpumemprof {

/// At -O0 no value stays in a register across a call, and FastISel does not support preserve_most:
/// each such call would go through SelectionDAG, and compiling would take three times as long.
static bool keepsRegisters(const Module &M) {
  Triple Target = compat::targetTriple(M);
  if (Target.getArch() != Triple::x86_64 && !Target.isAArch64()) return false;
  return any_of(M, [](const Function &F) {
    return !F.isDeclaration() && !isOurs(F.getName()) && !F.hasOptNone() &&
           !F.hasFnAttribute(Attribute::AlwaysInline);
  });
}

RuntimeABI::RuntimeABI(Module &M, bool Weak)
    : M(M), Weak(Weak), Ctx(M.getContext()), KeepsRegisters(keepsRegisters(M)) {}

StructType *RuntimeABI::clockType() {
  return StructType::get(Ctx, {Type::getInt64Ty(Ctx), Type::getInt64Ty(Ctx)});
}

Type *RuntimeABI::stackType() {
  return StructType::get(Ctx, {pointer(), pointer(), pointer()});
}

GlobalVariable *RuntimeABI::runtimes(StringRef Name, Type *Content, bool ThreadLocal) {
  if (GlobalVariable *Known = M.getNamedGlobal(Name)) return Known;
  auto *G = new GlobalVariable(
      M, Content, false, GlobalValue::ExternalLinkage, nullptr, Name, nullptr,
      ThreadLocal ? GlobalValue::InitialExecTLSModel : GlobalValue::NotThreadLocal);
  G->setAlignment(Align(8));
  return G;
}

GlobalVariable *RuntimeABI::own(StringRef Name, Constant *Content, unsigned Alignment,
                                bool ThreadLocal) {
  if (GlobalVariable *Known = M.getNamedGlobal(Name)) return Known;
  auto *G = new GlobalVariable(
      M, Content->getType(), false, GlobalValue::LinkOnceODRLinkage, Content, Name, nullptr,
      ThreadLocal ? GlobalValue::InitialExecTLSModel : GlobalValue::NotThreadLocal);
  G->setVisibility(GlobalValue::HiddenVisibility);
  G->setComdat(M.getOrInsertComdat(Name));
  G->setAlignment(Align(Alignment));
  return G;
}

/// A fiber may come back from a call on another thread. On x86-64 an address by %fs is right on
/// both. AArch64 has no such addresses, and there the compiler would keep the one of the first
/// thread in a register across the call. So the thread's register is read by inline assembly with
/// side effects, which is never left out. What is added to it is the same for all.
Value *RuntimeABI::threadLocal(IRBuilder<> &B, GlobalVariable *G) {
  if (!isAArch64()) return B.CreateThreadLocalAddress(G);
  std::string Load = ("adrp $0, :gottprel:" + G->getName() +
                      "\n\tldr $0, [$0, :gottprel_lo12:" + G->getName() + "]")
                         .str();
  auto *Thread =
      InlineAsm::get(FunctionType::get(pointer(), false), "mrs $0, TPIDR_EL0", "=r", true);
  auto *Offset = InlineAsm::get(FunctionType::get(B.getInt64Ty(), false), Load, "=r", false);
  Value *Begin = B.CreateCall(Thread);
  return B.CreateGEP(B.getInt8Ty(), Begin, B.CreateCall(Offset));
}

Value *RuntimeABI::stack(IRBuilder<> &B) {
  if (!Weak) return threadLocal(B, runtimes("__gpumemprof_stack", stackType(), true));
  Value *Distance = quiet(B.CreateLoad(B.getInt64Ty(), stackDistance()));
  return B.CreateGEP(B.getInt8Ty(), threadLocal(B, ownStack()), Distance);
}

void RuntimeABI::keepOrder(IRBuilder<> &B) {
  if (!isAArch64()) return;
  FunctionType *Type = voidOf({});
  B.CreateCall(InlineAsm::get(Type, "", "~{memory}", true));
}

Value *RuntimeABI::reloadedStack(IRBuilder<> &B) {
  if (Weak || compat::targetTriple(M).getArch() != Triple::x86_64) return stack(B);
  // NSan would treat an offset within the segment as an address.
  if (compat::hasNumericalSanitizer(*B.GetInsertBlock()->getParent())) return stack(B);
  runtimes("__gpumemprof_stack", stackType(), true);
  auto *Type = FunctionType::get(B.getInt64Ty(), false);
  auto *Load = InlineAsm::get(Type, "movq __gpumemprof_stack@GOTTPOFF(%rip), $0", "=r", false);
  constexpr unsigned ThreadSegment = 257; // thread-local memory by its offset alone: %fs:offset
  return B.CreateIntToPtr(B.CreateCall(Load), PointerType::get(Ctx, ThreadSegment));
}

Value *RuntimeABI::clock(IRBuilder<> &B) {
  if (!Weak) return runtimes("__gpumemprof_clock", clockType(), false);
  return quiet(B.CreateLoad(pointer(), clockAddress()));
}

bool RuntimeABI::isAArch64() const {
  return compat::targetTriple(M).isAArch64();
}

GlobalVariable *RuntimeABI::ownStack() {
  StringRef Name = "__gpumemprof_own_stack";
  if (GlobalVariable *Known = M.getNamedGlobal(Name)) return Known;
  GlobalVariable *G = own(Name, Constant::getNullValue(stackType()), 8, true);
  if (isAArch64()) appendToCompilerUsed(M, {G}); // assembly has its name
  return G;
}

GlobalVariable *RuntimeABI::stackDistance() {
  return own("__gpumemprof_stack_distance", ConstantInt::get(Type::getInt64Ty(Ctx), 0), 8, false);
}

GlobalVariable *RuntimeABI::clockAddress() {
  GlobalVariable *Own =
      own("__gpumemprof_own_clock", Constant::getNullValue(clockType()), 8, false);
  return own("__gpumemprof_clock_place", Own, 8, false);
}

/// runtime=weak: the frame that functions fill while there is no runtime.
GlobalVariable *RuntimeABI::sink() {
  Type *Frame = ArrayType::get(Type::getInt64Ty(Ctx), sizeof(gpumemprof_frame) / 8);
  return own("__gpumemprof_sink", Constant::getNullValue(Frame), 64, true);
}

void RuntimeABI::attach(IRBuilder<> &B) {
  if (!Weak) return;
  Value *Here = B.CreateThreadLocalAddress(ownStack());
  Function *Hook = hook("__gpumemprof_attach", voidOf({pointer(), pointer(), pointer()}));
  callHook(B, Hook, {Here, stackDistance(), clockAddress()});
}

Value *RuntimeABI::observed(IRBuilder<> &B) {
  Value *Place = field(B, clock(B), offsetof(gpumemprof_clock, observed));
  // Not atomic: one instruction with its test. All bits are in the lower half, whose test is
  // shorter.
  return quiet(B.CreateLoad(B.getInt32Ty(), Place));
}

Function *RuntimeABI::hook(StringRef Name, FunctionType *Type, AttributeList Attributes) {
  if (Function *Known = M.getFunction(Name)) {
    // gpumemprof.h may have declared it weak for the program. The strong reference takes
    // precedence.
    if (!Weak && Known->hasExternalWeakLinkage()) Known->setLinkage(GlobalValue::ExternalLinkage);
    return Known;
  }
  auto *F = Function::Create(
      Type, Weak ? GlobalValue::ExternalWeakLinkage : GlobalValue::ExternalLinkage, Name, M);
  F->setAttributes(Attributes);
  F->addFnAttr(Attribute::NoUnwind);
  return F;
}

void RuntimeABI::callHook(IRBuilder<> &B, Function *Hook, ArrayRef<Value *> Arguments) {
  Instruction *Next = &*B.GetInsertPoint();
  DebugLoc Where = B.getCurrentDebugLocation();
  if (Weak) {
    Instruction *Then =
        SplitBlockAndInsertIfThen(B.CreateIsNotNull(Hook), Next, false, compat::likely(Ctx));
    B.SetInsertPoint(Then);
    B.SetCurrentDebugLocation(Where);
  }
  B.CreateCall(Hook, Arguments)->setAttributes(Hook->getAttributes());
  B.SetInsertPoint(Next);
  B.SetCurrentDebugLocation(Where);
}

/// Its code should be short rather than fast and lie with other such code.
static void makeRare(Function *F) {
  F->addFnAttr(Attribute::Cold);
  F->addFnAttr(Attribute::OptimizeForSize);
}

std::pair<Function *, bool> RuntimeABI::keeper(StringRef What, FunctionType *Type) {
  // The kinds have two names, because one link may have objects of both.
  bool Keeps = KeepsRegisters && (compat::PreservesResult || Type->getReturnType()->isVoidTy());
  std::string Name = ((Keeps ? "__gpumemprof_keep_" : "__gpumemprof_plain_") + What).str();
  if (Function *Known = M.getFunction(Name)) return {Known, false};
  auto *F = Function::Create(Type, GlobalValue::LinkOnceODRLinkage, Name, M);
  F->setVisibility(GlobalValue::HiddenVisibility);
  F->setComdat(M.getOrInsertComdat(Name));
  if (Keeps) F->setCallingConv(CallingConv::PreserveMost);
  F->addFnAttr(Attribute::NoUnwind);
  F->addFnAttr(Attribute::NoInline);
  if (M.getUwtable() != UWTableKind::None) F->setUWTableKind(M.getUwtable());
  BasicBlock::Create(Ctx, "", F);
  return {F, true};
}

CallInst *RuntimeABI::callKeeper(IRBuilder<> &B, Function *F, ArrayRef<Value *> Arguments) {
  CallInst *Call = B.CreateCall(F, Arguments);
  Call->setCallingConv(F->getCallingConv());
  Call->setDoesNotThrow();
  return Call;
}

void RuntimeABI::callFrameSlow(IRBuilder<> &B) {
  auto [F, New] = keeper("frame_slow", voidOf({}));
  if (New) {
    makeRare(F);
    Function *Hook = hook("__gpumemprof_frame_slow", FunctionType::get(pointer(), false));
    IRBuilder<> K(&F->getEntryBlock());
    if (Weak) { // what the runtime sets may not be the stack of the object yet
      Value *Top = stack(K);
      BasicBlock *Present = BasicBlock::Create(Ctx, "", F),
                 *Absent = BasicBlock::Create(Ctx, "", F);
      K.CreateCondBr(K.CreateIsNotNull(Hook), Present, Absent);
      K.SetInsertPoint(Absent);
      K.CreateStore(K.CreateThreadLocalAddress(sink()), Top);
      K.CreateRetVoid();
      K.SetInsertPoint(Present);
      K.CreateStore(K.CreateCall(Hook), Top);
    } else {
      K.CreateCall(Hook);
    }
    K.CreateRetVoid();
  }
  callKeeper(B, F, {});
}

Function *RuntimeABI::keeperOf(StringRef What, StringRef Hook) {
  FunctionType *Type = voidOf({pointer()});
  auto [F, New] = keeper(What, Type);
  if (!New) return F;
  makeRare(F);
  IRBuilder<> K(&F->getEntryBlock());
  K.SetInsertPoint(K.CreateRetVoid());
  callHook(K, hook(Hook, Type), {F->getArg(0)});
  return F;
}

/// Ends a keeper with the call of a hook by another one, so that what does not call the hook saves
/// no register.
void RuntimeABI::endWith(IRBuilder<> &B, StringRef What, StringRef Hook, Value *Frame) {
  callKeeper(B, keeperOf(What, Hook), {Frame})->setTailCallKind(CallInst::TCK_MustTail);
  B.CreateRetVoid();
}

/// A frame ends without a call if no event came since the frames inside it ended. It is cleared in
/// one store, because signal handlers use the same frame.
CallInst *RuntimeABI::callScopeExit(IRBuilder<> &B, Value *Frame) {
  auto [F, New] = keeper("scope_exit", voidOf({pointer()}));
  if (New) {
    makeRare(F);
    IRBuilder<> K(&F->getEntryBlock());
    static_assert(offsetof(gpumemprof_frame, node) == offsetof(gpumemprof_frame, active) + 8);
    Value *Ending = F->getArg(0);
    Value *Entry = field(K, Ending, offsetof(gpumemprof_frame, entry_clock));
    LoadInst *Now = quiet(K.CreateLoad(K.getInt64Ty(), clock(K)));
    Now->setAtomic(AtomicOrdering::Unordered);
    Value *Same = K.CreateICmpEQ(quiet(K.CreateLoad(K.getInt64Ty(), Entry)), K.CreateNeg(Now));
    BasicBlock *Simple = BasicBlock::Create(Ctx, "", F), *Other = BasicBlock::Create(Ctx, "", F);
    K.CreateCondBr(Same, Simple, Other);
    K.SetInsertPoint(Simple);
    auto *Both = FixedVectorType::get(K.getInt64Ty(), 2);
    quiet(K.CreateAlignedStore(Constant::getNullValue(Both),
                               field(K, Ending, offsetof(gpumemprof_frame, active)), Align(16)));
    K.CreateRetVoid();
    K.SetInsertPoint(Other);
    endWith(K, "scope_end", "__gpumemprof_scope_exit", Ending);
  }
  return callKeeper(B, F, {Frame});
}

CallInst *RuntimeABI::callCallEnded(IRBuilder<> &B, Value *Frame) {
  FunctionType *Type = voidOf({pointer()});
  auto [F, New] = keeper("call_ended", Type);
  if (New) {
    IRBuilder<> K(&F->getEntryBlock());
    Value *At = field(K, F->getArg(0), offsetof(gpumemprof_frame, active));
    Value *Idle = K.CreateIsNull(quiet(K.CreateLoad(pointer(), At)));
    BasicBlock *Simple = BasicBlock::Create(Ctx, "", F), *Other = BasicBlock::Create(Ctx, "", F);
    K.CreateCondBr(Idle, Simple, Other, compat::likely(Ctx));
    K.SetInsertPoint(Simple);
    K.CreateRetVoid();
    K.SetInsertPoint(Other);
    endWith(K, "call_over", "__gpumemprof_call_ended", F->getArg(0));
  }
  return callKeeper(B, F, {Frame});
}

void RuntimeABI::callUnwind(IRBuilder<> &B, Value *Frame, bool EndsCall, Value *Top) {
  if (Top) {
    FunctionType *Type = voidOf({pointer(), pointer()});
    callHook(B, hook("__gpumemprof_unwind_within", Type), {Frame, Top});
    if (EndsCall) callCallEnded(B, Frame);
    return;
  }
  Function *Unwind = keeperOf("unwind", "__gpumemprof_unwind");
  if (!EndsCall) {
    callKeeper(B, Unwind, {Frame});
    return;
  }
  auto [F, New] = keeper("unwind_call", voidOf({pointer()}));
  if (New) {
    makeRare(F);
    IRBuilder<> K(&F->getEntryBlock());
    callKeeper(K, Unwind, {F->getArg(0)});
    callCallEnded(K, F->getArg(0))->setTailCallKind(CallInst::TCK_MustTail);
    K.CreateRetVoid();
  }
  callKeeper(B, F, {Frame});
}

} // namespace gpumemprof
