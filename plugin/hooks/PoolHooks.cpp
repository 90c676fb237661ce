//===- PoolHooks.cpp - hooks in the program's own allocators --------------===//
//
// Hooks are in the definition, because calls through pointers and vtables lead there:
// the hook of an allocation right before each return, outside of the function's own
// frame, that of a free at entry. Only functions without a body in this file have hooks
// around their calls. If the file with the body is rebuilt too, the runtime notices
// that both hooks report one piece (hooks.h).
//
//===----------------------------------------------------------------------===//
#include "hooks/PoolHooks.h"

#include "abi/Emit.h"
#include "abi/RuntimeABI.h"
#include "analysis/Roles.h"
#include "facts/PoolFunction.h"
#include "frames/FrameSpan.h"
#include "names/Names.h"

#include "llvm/ADT/Twine.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace gpumemprof {
namespace {

void reportProblem(const Function &F, const Twine &Text, DiagnosticSeverity Severity) {
  std::string All = ("'" + Twine(displayName(F)) + "' " + Text).str();
  F.getContext().diagnose(DiagnosticInfoInlineAsm(uint64_t(0), All, Severity));
}

/// The class in the name of a member function: "Pool<int>" for "Pool<int>::take".
std::string className(const Function &F) {
  std::string Name = displayName(F);
  unsigned Depth = 0;
  for (size_t I = Name.size(); I-- > 1;) {
    if (Name[I] == '>') ++Depth;
    else if (Name[I] == '<') --Depth;
    else if (!Depth && Name[I] == ':' && Name[I - 1] == ':') return Name.substr(0, I - 1);
  }
  return Name;
}

class Inserter {
public:
  Inserter(Function &F, const PoolFunction &Pool, RuntimeABI &ABI)
      : F(F), Pool(Pool), ABI(ABI), Ctx(F.getContext()) {
    for (unsigned I = 0; I < F.arg_size() && I < 2 && HiddenResult < 0; ++I)
      if (F.hasParamAttribute(I, Attribute::StructRet)) HiddenResult = int(I);
    First = (HiddenResult >= 0) + Pool.HasThis;
  }

  /// False, with an error, if the parameters of a template's instance cannot be counted. Their
  /// types are known only now.
  bool isUsable() {
    if (!Pool.Dependent || F.arg_size() == First + Pool.Parameters) return true;
    reportProblem(F,
                  "is marked as an allocator and has a structure by value among its parameters, so "
                  "that these cannot be counted; pass it by reference",
                  DS_Error);
    return false;
  }

  void inDefinition() {
    if (F.isPresplitCoroutine())
      return reportProblem(F, "is a coroutine, so the memory that it returns is not recorded",
                           DS_Warning);
    Values.assign(F.arg_size(), nullptr);
    for (unsigned I = 0; I < F.arg_size(); ++I) Values[I] = F.getArg(I);
    DebugLoc Entry;
    if (DISubprogram *SP = F.getSubprogram())
      Entry = DILocation::get(Ctx, SP->getScopeLine(), 0, SP);
    IRBuilder<> B(wholeFunction(F).Begin);
    B.SetCurrentDebugLocation(Entry);
    if (!Pool.Allocates) return freed(B, /*AtCall=*/false);
    Value *Clock = clock(B);
    SmallVector<ReturnInst *, 4> Returns;
    for (BasicBlock &Block : F)
      if (auto *Return = dyn_cast<ReturnInst>(Block.getTerminator())) {
        if (!Block.getTerminatingMustTailCall()) Returns.push_back(Return);
        else
          reportProblem(F,
                        "ends in a musttail call, so the memory that it returns there is not "
                        "recorded; mark the function that it calls",
                        DS_Warning);
      }
    for (ReturnInst *Return : Returns) {
      B.SetInsertPoint(Return);
      B.SetCurrentDebugLocation(Return->getDebugLoc() ? Return->getDebugLoc() : Entry);
      allocated(B, Return->getReturnValue(), Clock);
    }
    F.removeFnAttr(Attribute::Memory);
  }

  void aroundCall(CallBase &Call) {
    auto *Inst = dyn_cast<CallInst>(&Call);
    if (Inst && Inst->isMustTailCall() && Pool.Allocates) return;
    Values.assign(Call.arg_begin(), Call.arg_end());
    IRBuilder<> B(&Call);
    if (!Pool.Allocates) return freed(B, /*AtCall=*/true);
    Value *Clock = clock(B);
    Instruction *After = Call.getNextNode();
    if (auto *Invoke = dyn_cast<InvokeInst>(&Call))
      After = &*SplitEdge(Invoke->getParent(), Invoke->getNormalDest())->getFirstInsertionPt();
    B.SetInsertPoint(After);
    B.SetCurrentDebugLocation(Call.getDebugLoc());
    allocated(B, &Call, Clock);
  }

private:
  Value *parameter(unsigned Number) { return Values[First + Number - 1]; }

  Value *clock(IRBuilder<> &B) { return quiet(B.CreateLoad(B.getInt64Ty(), ABI.clock(B))); }

  Value *handle() {
    if (Pool.HasThis) return Values[First - 1];
    return Pool.HasHandle ? parameter(1) : ConstantPointerNull::get(ABI.pointer());
  }

  Constant *name() {
    bool OfClass = Pool.HasThis || (Pool.IsStaticMember && !Pool.HasHandle);
    std::string Text = OfClass ? className(F) : Pool.HasHandle ? Pool.Name : displayName(F);
    Module &M = *F.getParent();
    Constant *Content = ConstantDataArray::getString(Ctx, Text);
    std::string Symbol = "__gpumemprof_pool." + Text;
    if (GlobalVariable *Known = M.getNamedGlobal(Symbol)) return Known;
    auto *G = new GlobalVariable(M, Content->getType(), true, GlobalValue::PrivateLinkage, Content,
                                 Symbol);
    G->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    return G;
  }

  Value *asPointer(IRBuilder<> &B, Value *V) {
    while (V->getType()->isStructTy() || V->getType()->isArrayTy()) V = B.CreateExtractValue(V, 0);
    if (V->getType()->isIntegerTy()) return B.CreateIntToPtr(V, ABI.pointer());
    if (V->getType()->isPointerTy() && V->getType()->getPointerAddressSpace())
      return B.CreateAddrSpaceCast(V, ABI.pointer());
    return V->getType()->isPointerTy() ? V : nullptr;
  }

  Value *asBytes(IRBuilder<> &B, Value *V) {
    return V->getType()->isIntegerTy() ? B.CreateZExtOrTrunc(V, B.getInt64Ty()) : nullptr;
  }

  void freed(IRBuilder<> &B, bool AtCall) {
    Value *Pointer = asPointer(B, parameter(Pool.Pointer));
    if (!Pointer) return;
    Function *Hook =
        ABI.hook("__gpumemprof_piece_freed",
                 ABI.voidOf({ABI.pointer(), ABI.pointer(), ABI.pointer(), B.getInt32Ty()}));
    ABI.callHook(B, Hook, {handle(), name(), Pointer, B.getInt32(AtCall)});
  }

  void allocated(IRBuilder<> &B, Value *Result, Value *Clock) {
    Value *Bytes = asBytes(B, parameter(Pool.Size)), *Pointer = nullptr;
    if (Bytes && Pool.Count) {
      Value *Count = asBytes(B, parameter(Pool.Count));
      Bytes = Count ? B.CreateMul(Bytes, Count) : nullptr;
    }
    if (Pool.Pointer) {
      if (Pool.Status != PoolFunction::NoStatus) B.SetInsertPoint(ifGood(B, Result));
      Pointer = B.CreateLoad(ABI.pointer(), parameter(Pool.Pointer));
    } else if (HiddenResult >= 0) {
      Pointer = B.CreateLoad(ABI.pointer(), Values[unsigned(HiddenResult)]);
    } else if (Result && !Result->getType()->isVoidTy()) {
      Pointer = asPointer(B, Result);
    }
    if (!Bytes || !Pointer)
      return reportProblem(F, "is marked as an allocator, but not compiled as one", DS_Warning);
    Type *Pointers = ABI.pointer(), *Word = B.getInt64Ty();
    Function *Hook = ABI.hook("__gpumemprof_piece_allocated",
                              ABI.voidOf({Pointers, Pointers, Pointers, Word, Word}));
    ABI.callHook(B, Hook, {handle(), name(), Pointer, Bytes, Clock});
  }

  /// The first instruction of a new block that runs if the returned status means success.
  Instruction *ifGood(IRBuilder<> &B, Value *Status) {
    Value *Zero = Constant::getNullValue(Status->getType());
    Value *Good = Pool.Status == PoolFunction::ZeroIsGood ? B.CreateICmpEQ(Status, Zero)
                                                          : B.CreateICmpNE(Status, Zero);
    return SplitBlockAndInsertIfThen(Good, &*B.GetInsertPoint(), /*Unreachable=*/false);
  }

  Function &F;
  const PoolFunction &Pool;
  RuntimeABI &ABI;
  LLVMContext &Ctx;
  SmallVector<Value *, 8> Values; // the parameters in the IR
  int HiddenResult = -1;          // its parameter, if a structure is returned in memory
  unsigned First = 0;             // the first parameter that the source has
};

} // namespace

bool insertPoolHooks(Module &M, const Roles &FunctionRoles, RuntimeABI &ABI) {
  SmallVector<Function *, 0> Marked;
  for (Function &F : M)
    if (FunctionRoles.allocator(F)) Marked.push_back(&F);
  for (Function *F : Marked) {
    Inserter I(*F, *FunctionRoles.allocator(*F), ABI);
    if (!I.isUsable()) continue;
    if (!F->isDeclaration()) {
      if (!F->hasFnAttribute(Attribute::Naked)) I.inDefinition();
      continue;
    }
    SmallVector<CallBase *, 8> Calls;
    for (User *U : F->users())
      if (auto *Call = dyn_cast<CallBase>(U); Call && Call->getCalledOperand() == F)
        Calls.push_back(Call);
    for (CallBase *Call : Calls) I.aroundCall(*Call);
  }
  return !Marked.empty();
}

} // namespace gpumemprof
