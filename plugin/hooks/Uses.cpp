//===- Uses.cpp -----------------------------------------------------------===//
#include "hooks/Uses.h"

#include "abi/RuntimeABI.h"
#include "analysis/Roles.h"
#include "base/Compat.h"
#include "names/CudaNames.h"
#include "names/NameKinds.h"
#include "names/Names.h"
#include "sites/SharedPlaces.h"
#include "sites/SiteTable.h"
#include "sites/Sites.h"

#include "gpumemprof/hooks.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace gpumemprof {
namespace {

/// The attributes of the parameters alone.
AttributeList parameterAttributes(const AttributeList &From, unsigned Parameters,
                                  LLVMContext &Ctx) {
  SmallVector<AttributeSet, 12> Kept;
  for (unsigned I = 0; I < Parameters; ++I) Kept.push_back(From.getParamAttrs(I));
  return AttributeList::get(Ctx, AttributeSet(), AttributeSet(), Kept);
}

std::string hookNameOf(const Function &Real) {
  return hookName(Real.getName(), unsigned(Real.arg_size()));
}

class UseThunks {
public:
  UseThunks(Module &M, const UseSites &Sites) : M(M), ABI(Sites.ABI), Sites(Sites) {}

  void replace(Function &Real, const CudaUse &Entry) {
    SmallVector<CallBase *, 16> Calls;
    for (User *U : Real.users())
      if (auto *Call = dyn_cast<CallBase>(U); Call && isReplaceable(*Call, Real))
        Calls.push_back(Call);
    Function *Thunk = makeThunk(Real, Entry);
    for (CallBase *Call : Calls) replaceCall(*Call, *Thunk);
    replaceAddress(Real, *Thunk);
  }

private:
  /// In a function of Launches.cpp that jumps there.
  static bool isInJump(const CallBase &Call) {
    return Call.getFunction()->getName().starts_with("__gpumemprof_jump.");
  }

  static bool isReplaceable(const CallBase &Call, const Function &Real) {
    auto *Direct = dyn_cast<CallInst>(&Call);
    return !isInJump(Call) && (isa<InvokeInst>(Call) || (Direct && !Direct->isMustTailCall())) &&
           Call.getCalledOperand() == &Real && Call.getFunctionType() == Real.getFunctionType();
  }

  /// __gpumemprof_at.NAME(arguments of NAME..., site)
  Function *makeThunk(Function &Real, const CudaUse &Entry) {
    LLVMContext &Ctx = M.getContext();
    FunctionType *Type = Real.getFunctionType();
    AttributeList Attributes = parameterAttributes(Real.getAttributes(), Real.arg_size(), Ctx);
    SmallVector<llvm::Type *, 12> Parameters(Type->params());
    Parameters.push_back(ABI.pointer());
    Function *Thunk = makeUseThunk(M, FunctionType::get(Type->getReturnType(), Parameters, false),
                                   "__gpumemprof_at." + hookNameOf(Real));
    for (unsigned I = 0; I < Real.arg_size(); ++I)
      Thunk->addParamAttrs(I, AttrBuilder(Ctx, Attributes.getParamAttrs(I)));
    SmallVector<Value *, 12> Arguments;
    for (Argument &A : Thunk->args()) Arguments.push_back(&A);
    if (Entry.After) callAfter(*Thunk, Real, Parameters, Arguments, Attributes);
    else callBefore(*Thunk, Real, Parameters, Arguments, Attributes);
    return Thunk;
  }

  using TypeList = SmallVectorImpl<llvm::Type *>;
  using ValueList = SmallVectorImpl<Value *>;

  CallInst *callReal(IRBuilder<> &B, Function &Real, const ValueList &Arguments,
                     const AttributeList &Attributes) {
    CallInst *Call = B.CreateCall(&Real, ArrayRef(Arguments).drop_back());
    Call->setCallingConv(Real.getCallingConv());
    Call->setAttributes(Attributes);
    return Call;
  }

  Function *hookOf(const Function &Real, llvm::Type *Result, const TypeList &Parameters,
                   const AttributeList &Attributes) {
    return ABI.hook("__gpumemprof_use_" + hookNameOf(Real),
                    FunctionType::get(Result, Parameters, false), Attributes);
  }

  /// result = NAME(arguments...); the hook gets the result, too.
  void callAfter(Function &Thunk, Function &Real, TypeList &Parameters, ValueList &Arguments,
                 const AttributeList &Attributes) {
    IRBuilder<> B(&Thunk.getEntryBlock());
    CallInst *Call = callReal(B, Real, Arguments, Attributes);
    Parameters.push_back(Real.getReturnType());
    Arguments.push_back(Call);
    B.SetInsertPoint(B.CreateRet(Call));
    ABI.callHook(B, hookOf(Real, B.getVoidTy(), Parameters, Attributes), Arguments);
  }

  /// While uses are recorded the hook is called instead, and calls NAME itself: both calls are the
  /// last thing that the thunk does, so it saves no register.
  void callBefore(Function &Thunk, Function &Real, TypeList &Parameters, ValueList &Arguments,
                  const AttributeList &Attributes) {
    LLVMContext &Ctx = M.getContext();
    BasicBlock *Recorded = BasicBlock::Create(Ctx, "", &Thunk),
               *Plain = BasicBlock::Create(Ctx, "", &Thunk);
    IRBuilder<> B(&Thunk.getEntryBlock());
    Value *Wanted = B.CreateAnd(ABI.observed(B), GPUMEMPROF_OBSERVED_USES);
    B.CreateCondBr(B.CreateIsNotNull(Wanted), Recorded, Plain, compat::unlikely(Ctx));
    B.SetInsertPoint(Plain);
    CallInst *Call = callReal(B, Real, Arguments, Attributes);
    Call->setTailCall();
    B.CreateRet(Call);
    B.SetInsertPoint(Recorded);
    Parameters.push_back(ABI.pointer());
    Arguments.push_back(&Real);
    Function *Hook = hookOf(Real, Real.getReturnType(), Parameters, Attributes);
    if (ABI.isWeak()) {
      BasicBlock *Present = BasicBlock::Create(Ctx, "", &Thunk);
      B.CreateCondBr(B.CreateIsNotNull(Hook), Present, Plain);
      B.SetInsertPoint(Present);
    }
    CallInst *Record = B.CreateCall(Hook, Arguments);
    Record->setAttributes(Hook->getAttributes());
    Record->setTailCall();
    B.CreateRet(Record);
  }

  void replaceCall(CallBase &Call, Function &Thunk) { callWith(Call, Thunk, *Sites.of(Call)); }

  /// What is left: the address of the function, as in a table of pointers. `if (cudaMemcpy) ...`
  /// tests whether a weak function is present, so its address must stay.
  void replaceAddress(Function &Real, Function &Thunk) {
    auto IsLeft = [&](const Use &U) {
      auto *Call = dyn_cast<CallBase>(U.getUser());
      bool Ours = Call && (Call->getFunction() == &Thunk || isInJump(*Call));
      return !Ours && (!Real.hasExternalWeakLinkage() || (Call && Call->isCallee(&U)));
    };
    if (none_of(Real.uses(), IsLeft)) return;
    Function *Plain =
        makeUseThunk(M, Real.getFunctionType(), "__gpumemprof_thunk." + hookNameOf(Real));
    Plain->setAttributes(Real.getAttributes());
    Plain->setCallingConv(Real.getCallingConv());
    for (unsigned Kind : {LLVMContext::MD_type, LLVMContext::MD_kcfi_type})
      if (MDNode *Type = Real.getMetadata(Kind)) Plain->addMetadata(Kind, *Type);
    SmallVector<Value *, 12> Arguments;
    for (Argument &A : Plain->args()) Arguments.push_back(&A);
    Arguments.push_back(ConstantPointerNull::get(ABI.pointer()));
    IRBuilder<> B(&Plain->getEntryBlock());
    CallInst *Call = B.CreateCall(&Thunk, Arguments);
    Call->setAttributes(parameterAttributes(Real.getAttributes(), Real.arg_size(), M.getContext()));
    B.CreateRet(Call);
    Real.replaceUsesWithIf(Plain, [&](Use &U) { return IsLeft(U); });
  }

  Module &M;
  RuntimeABI &ABI;
  const UseSites &Sites;
};

} // namespace

Function *makeUseThunk(Module &M, FunctionType *Type, const Twine &Name) {
  auto *F = Function::Create(Type, GlobalValue::LinkOnceODRLinkage, Name, M);
  F->setVisibility(GlobalValue::HiddenVisibility);
  F->setComdat(M.getOrInsertComdat(F->getName()));
  F->setSection(ThunksSection);
  F->addFnAttr(Attribute::NoInline);
  if (M.getUwtable() != UWTableKind::None) F->setUWTableKind(M.getUwtable());
  BasicBlock::Create(M.getContext(), "", F);
  return F;
}

void callWith(CallBase &Call, Function &Callee, Value &More) {
  SmallVector<Value *, 12> Arguments(Call.args());
  Arguments.push_back(&More);
  SmallVector<OperandBundleDef, 1> Bundles;
  Call.getOperandBundlesAsDefs(Bundles);
  CallBase *New;
  IRBuilder<> B(&Call);
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call))
    New = B.CreateInvoke(&Callee, Invoke->getNormalDest(), Invoke->getUnwindDest(), Arguments,
                         Bundles);
  else New = B.CreateCall(&Callee, Arguments, Bundles);
  New->setAttributes(Call.getAttributes());
  New->setDebugLoc(Call.getDebugLoc());
  New->copyMetadata(Call);
  New->takeName(&Call);
  Call.replaceAllUsesWith(New);
  Call.eraseFromParent();
}

Constant *UseSites::of(const CallBase &Call) const {
  const Function &F = *Call.getFunction();
  Role R = FunctionRoles.of(F);
  if ((R != Role::User && R != Role::Coroutine) || isKernelStub(F.getName()))
    return ConstantPointerNull::get(ABI.pointer());
  Site S = useSite(Call, displayName(F), Facts, WithText);
  if (unsigned Calls = Shared.count(Call); Calls > 1) {
    S.Flags |= GPUMEMPROF_SITE_SEVERAL;
    S.SizeExpr = std::to_string(Calls);
  }
  return Table.add(S)[0];
}

void insertWhereRecorded(IRBuilder<> &B, Instruction &Next, RuntimeABI &ABI, MDNode *Weights) {
  B.SetInsertPoint(&Next);
  Value *Wanted = B.CreateAnd(ABI.observed(B), GPUMEMPROF_OBSERVED_USES);
  B.SetInsertPoint(SplitBlockAndInsertIfThen(B.CreateIsNotNull(Wanted), &Next,
                                             /*Unreachable=*/false, Weights));
}

bool reportUses(Module &M, const UseSites &Sites) {
  UseThunks Thunks(M, Sites);
  bool Any = false;
  for (const CudaUse &Entry : cudaUses()) {
    Function *Real = M.getFunction(Entry.Symbol);
    bool Usable = Real && Real->isDeclaration() && !Real->use_empty() && !Real->isVarArg() &&
                  Real->getReturnType()->isIntegerTy(32);
    if (!Usable) continue;
    Thunks.replace(*Real, Entry);
    Any = true;
  }
  return Any;
}

} // namespace gpumemprof
