//===- Thunks.cpp - builds the functions __gpumemprof_thunk.NAME ----------===//
#include "hooks/Thunks.h"

#include "abi/Emit.h"
#include "abi/RuntimeABI.h"
#include "base/Compat.h"
#include "base/Filter.h"
#include "names/CudaNames.h"
#include "names/LibraryCalls.h"
#include "sites/SiteTable.h"

#include "gpumemprof/hooks.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace gpumemprof {
namespace {

/// False, with a warning, for a declaration without parameters, as `cudaError_t cudaMalloc();` in
/// old C.
bool isUsable(const Function &Real, CudaHooks Hooks) {
  const Type *Result = Real.getReturnType();
  if (Hooks == CudaHooks::AfterNoResult ? Result->isVoidTy() : Result->isIntegerTy(32))
    if (!Real.isVarArg()) return true;
  std::string Text = ("'" + Real.getName() +
                      "' is declared without its parameters, so its allocations are not recorded; "
                      "include the CUDA header that declares it")
                         .str();
  // Every supported LLVM has this kind of diagnostic. A symbol that one lacks would keep the plugin
  // from being loaded.
  Real.getContext().diagnose(DiagnosticInfoInlineAsm(uint64_t(0), Text, DS_Warning));
  return false;
}

/// The attributes of the parameters alone, for a call or for a hook.
AttributeList parameterAttributes(const Function &Real) {
  SmallVector<AttributeSet, 8> Parameters;
  for (unsigned I = 0; I < Real.arg_size(); ++I)
    Parameters.push_back(Real.getAttributes().getParamAttrs(I));
  return AttributeList::get(Real.getContext(), AttributeSet(), AttributeSet(), Parameters);
}

/// Marks the thread as inside the real call, so that the runtime's listener to the driver (cupti.c)
/// does not count it a second time.
void markInside(RuntimeABI &ABI, CallInst *Call, Instruction *After) {
  LLVMContext &Ctx = Call->getContext();
  Module &M = *Call->getModule();
  auto Store = [](IRBuilder<> &B, Value *What, Value *Stack) {
    quiet(B.CreateStore(What, field(B, Stack, offsetof(gpumemprof_stack, inside))));
  };
  IRBuilder<> B(Call);
  Metadata *Register = MDString::get(Ctx, compat::targetTriple(M).isX86() ? "rsp" : "sp");
  Function *Read = compat::intrinsic(M, Intrinsic::read_register, {B.getInt64Ty()});
  Value *Here = B.CreateCall(Read, {MetadataAsValue::get(Ctx, MDNode::get(Ctx, {Register}))});
  Store(B, Here, ABI.stack(B));
  B.SetInsertPoint(After);
  Store(B, B.getInt64(0), ABI.reloadedStack(B));
}

/// Makes an empty function and lets every use of \p Real become a use of it. Objects that declare
/// \p Real with other parameters have thunks with other names.
Function *replaceByThunk(Module &M, Function &Real) {
  std::string Name = "__gpumemprof_thunk." + hookName(Real.getName(), unsigned(Real.arg_size()));
  auto *Thunk = Function::Create(Real.getFunctionType(), GlobalValue::LinkOnceODRLinkage, Name, M);
  Thunk->setVisibility(GlobalValue::HiddenVisibility);
  Thunk->setComdat(M.getOrInsertComdat(Name));
  Thunk->setAttributes(Real.getAttributes());
  Thunk->setCallingConv(Real.getCallingConv());
  Thunk->setSection(ThunksSection);
  Thunk->addFnAttr(Attribute::NoInline);
  if (M.getUwtable() != UWTableKind::None) Thunk->setUWTableKind(M.getUwtable());
  // Control-flow integrity compares the type of a function that a pointer calls.
  for (unsigned Kind : {LLVMContext::MD_type, LLVMContext::MD_kcfi_type})
    if (MDNode *Type = Real.getMetadata(Kind)) Thunk->addMetadata(Kind, *Type);
  // `if (cudaMalloc) ...` tests whether a weak function is present, so its address must stay.
  bool CallsOnly = Real.hasExternalWeakLinkage();
  Real.replaceUsesWithIf(Thunk, [&](Use &U) {
    auto *Call = dyn_cast<CallBase>(U.getUser());
    return !CallsOnly || (Call && Call->isCallee(&U));
  });
  BasicBlock::Create(M.getContext(), "", Thunk);
  return Thunk;
}

CallInst *callReal(IRBuilder<> &B, Function &Real, Function &Thunk) {
  SmallVector<Value *, 8> Arguments;
  for (Argument &A : Thunk.args()) Arguments.push_back(&A);
  CallInst *Call = B.CreateCall(&Real, Arguments);
  Call->setCallingConv(Real.getCallingConv());
  Call->setAttributes(parameterAttributes(Real));
  return Call;
}

/// Moves the builder into a new block that runs if \p Condition holds, which is rare.
void enterUnlikely(IRBuilder<> &B, Value *Condition, Instruction *Before) {
  B.SetInsertPoint(SplitBlockAndInsertIfThen(Condition, Before,
                                             /*Unreachable=*/false,
                                             compat::unlikely(Before->getContext())));
}

void makeThunk(Module &M, RuntimeABI &ABI, Function &Real, const CudaEntry &Entry) {
  Function *Thunk = replaceByThunk(M, Real);
  IRBuilder<> B(&Thunk->getEntryBlock());
  CallInst *Call = callReal(B, Real, *Thunk);
  bool HasResult = !Call->getType()->isVoidTy();
  ReturnInst *Return = HasResult ? B.CreateRet(Call) : B.CreateRetVoid();
  SmallVector<Value *, 8> Arguments(Call->args());
  SmallVector<Type *, 8> Types(Real.getFunctionType()->params());
  AttributeList Attributes = parameterAttributes(Real);
  FunctionType *PreType = ABI.voidOf(Types);
  if (HasResult) Types.push_back(Call->getType());
  std::string Name = hookName(Entry.Symbol, unsigned(Real.arg_size()));
  Function *Post = ABI.hook("__gpumemprof_post_" + Name, ABI.voidOf(Types), Attributes);

  B.SetInsertPoint(Call);
  if (Entry.Hooks == CudaHooks::Free || Entry.Hooks == CudaHooks::Around)
    ABI.callHook(B, ABI.hook("__gpumemprof_pre_" + Name, PreType, Attributes), Arguments);
  if (Entry.Allocates) {
    enterUnlikely(B, B.CreateIsNotNull(ABI.observed(B)), Call);
    Arguments.push_back(ConstantInt::getSigned(Call->getType(), GPUMEMPROF_NOT_CALLED_YET));
    ABI.callHook(B, Post, Arguments);
    Arguments.pop_back();
  }
  if (HasResult) Arguments.push_back(Call);
  markInside(ABI, Call, Return);
  B.SetInsertPoint(Return);
  if (Entry.Hooks == CudaHooks::Free) {
    Value *Failed = B.CreateZExtOrTrunc(Call, B.getInt32Ty());
    enterUnlikely(B, B.CreateIsNotNull(B.CreateOr(Failed, ABI.observed(B))), Return);
  }
  ABI.callHook(B, Post, Arguments);
}

/// The sample is a local variable of the thunk, so an exception that passes through leaves nothing
/// behind.
void makeSamplingThunk(Module &M, RuntimeABI &ABI, Function &Real) {
  Function *Thunk = replaceByThunk(M, Real);
  Thunk->removeFnAttr(Attribute::Memory);
  IRBuilder<> B(&Thunk->getEntryBlock());
  Value *Sample = B.CreateAlloca(ArrayType::get(B.getInt64Ty(), sizeof(gpumemprof_sample) / 8));
  CallInst *Call = callReal(B, Real, *Thunk);
  ReturnInst *Return = Call->getType()->isVoidTy() ? B.CreateRetVoid() : B.CreateRet(Call);
  FunctionType *Hook = ABI.voidOf({ABI.pointer()});
  B.SetInsertPoint(Call);
  ABI.callHook(B, ABI.hook("__gpumemprof_sample_before", Hook), {Sample});
  B.SetInsertPoint(Return);
  ABI.callHook(B, ABI.hook("__gpumemprof_sample_after", Hook), {Sample});
}

/// Puts the hooks fiber_leave and fiber_back around swapcontext (hooks.h).
bool replaceContextSwitch(Module &M, RuntimeABI &ABI) {
  Function *Real = M.getFunction("swapcontext");
  if (!Real || !Real->isDeclaration() || Real->use_empty()) return false;
  if (Real->isVarArg() || Real->arg_size() != 2 || !Real->getReturnType()->isIntegerTy(32))
    return false;
  StringRef Name = "__gpumemprof_thunk.swapcontext";
  auto *Thunk = Function::Create(Real->getFunctionType(), GlobalValue::LinkOnceODRLinkage, Name, M);
  Thunk->setVisibility(GlobalValue::HiddenVisibility);
  Thunk->setComdat(M.getOrInsertComdat(Name));
  Thunk->addFnAttr(Attribute::NoInline);
  Thunk->setUWTableKind(UWTableKind::Default);
  Real->replaceAllUsesWith(Thunk);
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "", Thunk));
  Value *Left = B.CreateAlloca(ABI.pointer());
  B.CreateStore(ConstantPointerNull::get(ABI.pointer()), Left);
  CallInst *Call = B.CreateCall(Real, {Thunk->getArg(0), Thunk->getArg(1)});
  ReturnInst *Return = B.CreateRet(Call);
  FunctionType *Hook = ABI.voidOf({ABI.pointer()});
  B.SetInsertPoint(Call);
  ABI.callHook(B, ABI.hook("__gpumemprof_fiber_leave", Hook), {Left});
  B.SetInsertPoint(Return);
  ABI.callHook(B, ABI.hook("__gpumemprof_fiber_back", Hook), {Left});
  return true;
}

/// A function that returns the hook's result, or its own second argument where there is no runtime.
Function *foundKeeper(Module &M, RuntimeABI &ABI) {
  StringRef Name = "__gpumemprof_keep_found";
  if (Function *Known = M.getFunction(Name)) return Known;
  FunctionType *Type =
      FunctionType::get(ABI.pointer(), {ABI.pointer(), ABI.pointer()}, /*isVarArg=*/false);
  auto *F = Function::Create(Type, GlobalValue::LinkOnceODRLinkage, Name, M);
  F->setVisibility(GlobalValue::HiddenVisibility);
  F->setComdat(M.getOrInsertComdat(Name));
  F->addFnAttr(Attribute::NoUnwind);
  F->addFnAttr(Attribute::NoInline);
  LLVMContext &Ctx = M.getContext();
  Function *Hook = ABI.hook("__gpumemprof_found", Type);
  BasicBlock *Entry = BasicBlock::Create(Ctx, "", F), *Present = BasicBlock::Create(Ctx, "", F),
             *Absent = BasicBlock::Create(Ctx, "", F);
  IRBuilder<> B(Entry);
  B.CreateCondBr(B.CreateIsNotNull(Hook), Present, Absent);
  B.SetInsertPoint(Absent);
  B.CreateRet(F->getArg(1));
  B.SetInsertPoint(Present);
  B.CreateRet(B.CreateCall(Hook, {F->getArg(0), F->getArg(1)}));
  return F;
}

/// A look-up of this name may find a function of CUDA or NCCL. So may one of a name that is not
/// known.
bool mayFindCuda(const Value *Name) {
  StringRef Text;
  return !getConstantStringInfo(Name, Text) || Text.starts_with("cu") || Text.starts_with("nccl");
}

/// Passes the results of dlsym and dlvsym through the runtime (hooks.h).
bool replaceLookups(Module &M, RuntimeABI &ABI) {
  SmallVector<CallInst *, 4> Calls;
  for (StringRef Name : {"dlsym", "dlvsym"})
    if (Function *Real = M.getFunction(Name); Real && Real->isDeclaration())
      for (User *U : Real->users())
        if (auto *Call = dyn_cast<CallInst>(U);
            Call && Call->getCalledFunction() == Real && Call->arg_size() >= 2 &&
            Call->getType()->isPointerTy() && !Call->isMustTailCall() &&
            mayFindCuda(Call->getArgOperand(1)))
          Calls.push_back(Call);
  for (CallInst *Call : Calls) {
    IRBuilder<> B(Call->getNextNode());
    B.SetCurrentDebugLocation(Call->getDebugLoc());
    CallInst *Ours = B.CreateCall(foundKeeper(M, ABI), {Call->getArgOperand(1), Call});
    Call->replaceUsesWithIf(Ours, [&](Use &U) { return U.getUser() != Ours; });
  }
  return !Calls.empty();
}

} // namespace

bool replaceCudaCalls(Module &M, RuntimeABI &ABI) {
  bool Any = replaceContextSwitch(M, ABI);
  Any |= replaceLookups(M, ABI);
  for (const CudaEntry &Entry : cudaEntries()) {
    Function *Real = M.getFunction(Entry.Symbol);
    if (!Real || !Real->isDeclaration() || Real->use_empty() || !isUsable(*Real, Entry.Hooks))
      continue;
    makeThunk(M, ABI, *Real, Entry);
    Any = true;
  }
  return Any;
}

bool sampleLibraryCalls(Module &M, RuntimeABI &ABI, const Filter &UserFilter) {
  SmallVector<Function *, 16> Sampled;
  for (Function &F : M)
    if (F.isDeclaration() && !F.use_empty() && !F.isVarArg() && !F.isIntrinsic() &&
        isSampledCall(F.getName(), UserFilter))
      Sampled.push_back(&F);
  for (Function *F : Sampled) makeSamplingThunk(M, ABI, *F);
  return !Sampled.empty();
}

} // namespace gpumemprof
