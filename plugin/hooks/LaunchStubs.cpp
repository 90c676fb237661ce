//===- LaunchStubs.cpp ----------------------------------------------------===//
#include "hooks/LaunchStubs.h"

#include "abi/Emit.h"
#include "abi/RuntimeABI.h"
#include "facts/SourceFacts.h"
#include "hooks/Uses.h"

#include "gpumemprof/hooks.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace gpumemprof {
namespace {

constexpr StringLiteral LaunchName = "cudaLaunchKernel", PopName = "__cudaPopCallConfiguration";
// A stub is one block, for which the inliner allows half as much again, 112 of 225; the report
// makes three of it, and costs 50. So a copy is inlined where the stub would be.
constexpr StringLiteral InlineBonus = "162";
constexpr unsigned StreamOfPop = 3;       // where it is stored
constexpr unsigned ParametersFromEnd = 3; // the ABI splits the structures before them

CallBase *onlyCall(Function &F, StringRef Name) {
  CallBase *Found = nullptr;
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee || !Callee->isDeclaration() || Callee->getName() != Name) continue;
    if (Found) return nullptr;
    Found = Call;
  }
  return Found;
}

/// The parameters whose addresses are stored in the array.
DenseMap<unsigned, Value *> storedIn(AllocaInst &Array, const DataLayout &Layout) {
  DenseMap<unsigned, Value *> Result;
  auto Note = [&](User *U, Value *At, uint64_t Offset) {
    auto *Store = dyn_cast<StoreInst>(U);
    if (Store && Store->getPointerOperand() == At)
      Result[unsigned(Offset / Layout.getPointerSize())] = Store->getValueOperand();
  };
  for (User *U : Array.users()) {
    Note(U, &Array, 0);
    auto *Element = dyn_cast<GetElementPtrInst>(U);
    APInt Offset(Layout.getIndexTypeSizeInBits(Array.getType()), 0);
    if (!Element || !Element->accumulateConstantOffset(Layout, Offset)) continue;
    for (User *Of : Element->users()) Note(Of, Element, Offset.getZExtValue());
  }
  return Result;
}

/// Eight bytes that nothing but loads, stores and addresses refer to, so they can be elsewhere.
bool isMovable(const Value &Place, const DataLayout &Layout) {
  auto *A = dyn_cast<AllocaInst>(&Place);
  if (!A || A->isArrayAllocation() || !A->isStaticAlloca() || A->getAlign() > Align(8))
    return false;
  if (Layout.getTypeAllocSize(A->getAllocatedType()) != 8) return false;
  return none_of(A->users(), [](const User *U) { return isa<IntrinsicInst>(U); });
}

/// The values of the kernel's words, one after the other.
class Values {
public:
  Values(const LaunchStub &Stub, ValueToValueMapTy &Copies, Function &Copy)
      : Stub(Stub), Copies(Copies), Layout(Copy.getParent()->getDataLayout()),
        I64(Type::getInt64Ty(Copy.getContext())),
        Block(ArrayType::get(I64, Stub.Kernel->Words.size())) {
    IRBuilder<> B(&*Copy.getEntryBlock().getFirstInsertionPt());
    if (Stub.Kernel->Words.empty()) {
      Array = ConstantPointerNull::get(B.getPtrTy());
      return;
    }
    AllocaInst *A = B.CreateAlloca(Block);
    A->setAlignment(Align(16));
    Array = A;
    for (unsigned I = 0; I < Stub.Kernel->Words.size(); ++I) {
      B.SetInsertPoint(A->getNextNode()); // it may have been erased
      moveParameter(I, B);
    }
  }

  Value *array() { return Array; }

  /// Copies the words of parameters that are elsewhere.
  void complete(IRBuilder<> &B) {
    for (unsigned I : Elsewhere) {
      Value *From = field(B, parameter(I), Stub.Kernel->Words[I].Offset);
      B.CreateStore(B.CreateAlignedLoad(I64, From, Align(1)),
                    B.CreateConstInBoundsGEP2_32(Block, Array, 0, I));
    }
  }

private:
  Value *parameter(unsigned Word) {
    return Copies.lookup(Stub.Parameters.lookup(Stub.Kernel->Words[Word].Parameter));
  }

  void moveParameter(unsigned Word, IRBuilder<> &B) {
    Value *Place = parameter(Word);
    if (!isMovable(*Place, Layout)) {
      Elsewhere.push_back(Word);
      return;
    }
    Value *There = B.CreateConstInBoundsGEP2_32(Block, Array, 0, Word);
    There->takeName(Place);
    Place->replaceAllUsesWith(There);
    cast<AllocaInst>(Place)->eraseFromParent();
  }

  const LaunchStub &Stub;
  ValueToValueMapTy &Copies;
  const DataLayout &Layout;
  Type *I64;
  ArrayType *Block;
  Value *Array;
  SmallVector<unsigned, 8> Elsewhere;
};

/// if (observed & USES) __gpumemprof_launch_N(values, stream, record);
///
/// Right behind the call that pops the configuration: what the stub loads of it then is not kept in
/// registers during the call.
void report(CallBase &Pop, unsigned Words, Values &V, Value &Record, RuntimeABI &ABI) {
  IRBuilder<> B(Pop.getContext());
  // Not unlikely: code that is taken out of the way jumps back.
  insertWhereRecorded(B, *Pop.getNextNode(), ABI,
                      MDBuilder(Pop.getContext()).createLikelyBranchWeights());
  B.SetCurrentDebugLocation(Pop.getDebugLoc());
  V.complete(B);
  Value *Stream = quiet(B.CreateLoad(ABI.pointer(), Pop.getArgOperand(StreamOfPop)));
  Function *Hook = ABI.hook(("__gpumemprof_launch_" + Twine(Words)).str(),
                            ABI.voidOf({ABI.pointer(), ABI.pointer(), ABI.pointer()}));
  Hook->addFnAttr(Attribute::NonLazyBind);
  ABI.callHook(B, Hook, {V.array(), Stream, &Record});
}

} // namespace

std::optional<LaunchStub> launchStub(Function &F, SourceFacts &Facts) {
  const KernelParameters *Kernel = F.isDeclaration() ? nullptr : Facts.kernel(F.getName());
  if (!Kernel || Kernel->TooMany || Kernel->Words.size() > GPUMEMPROF_LAUNCH_VALUES || F.isVarArg())
    return std::nullopt;
  CallBase *Pop = onlyCall(F, PopName), *Launch = onlyCall(F, LaunchName);
  if (!Launch || !Pop || !isa<CallInst>(Pop) || Pop->arg_size() != StreamOfPop + 1 ||
      Launch->arg_size() < ParametersFromEnd || Launch->getArgOperand(0)->stripPointerCasts() != &F)
    return std::nullopt;
  auto *Array = dyn_cast<AllocaInst>(Launch->getArgOperand(Launch->arg_size() - ParametersFromEnd));
  if (!Array) return std::nullopt;
  LaunchStub Stub{&F, Pop, Launch, Kernel, storedIn(*Array, F.getParent()->getDataLayout())};
  for (const KernelWord &W : Kernel->Words) {
    Value *Place = Stub.Parameters.lookup(W.Parameter);
    if (!Place || (!isa<AllocaInst>(Place) && !isa<Argument>(Place))) return std::nullopt;
  }
  return Stub;
}

Function *copyOf(const LaunchStub &Stub, RuntimeABI &ABI, Function &Real) {
  Function &F = *Stub.F;
  SmallVector<Type *, 12> Parameters(F.getFunctionType()->params());
  Parameters.push_back(ABI.pointer());
  auto *Copy = Function::Create(FunctionType::get(F.getReturnType(), Parameters, false),
                                GlobalValue::InternalLinkage, "__gpumemprof_launch." + F.getName(),
                                F.getParent());
  ValueToValueMapTy Copies;
  for (Argument &A : F.args()) {
    Copies[&A] = Copy->getArg(A.getArgNo());
    Copy->getArg(A.getArgNo())->setName(A.getName());
  }
  SmallVector<ReturnInst *, 2> Returns;
  CloneFunctionInto(Copy, &F, Copies, CloneFunctionChangeType::LocalChangesOnly, Returns);
  Copy->setLinkage(GlobalValue::InternalLinkage); // and the visibility that goes with it
  Copy->setComdat(nullptr);
  Values V(Stub, Copies, *Copy);
  auto &Pop = *cast<CallBase>(Copies.lookup(Stub.Pop));
  report(Pop, unsigned(Stub.Kernel->Words.size()), V, *Copy->getArg(F.arg_size()), ABI);
  if (!F.hasOptSize()) // the attribute is for who inlines the function that has the call
    Pop.addFnAttr(Attribute::get(F.getContext(), "call-threshold-bonus", InlineBonus));
  cast<CallBase>(Copies.lookup(Stub.Launch))->setCalledFunction(&Real);
  return Copy;
}

} // namespace gpumemprof
