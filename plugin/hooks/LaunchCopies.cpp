//===- LaunchCopies.cpp ---------------------------------------------------===//
#include "hooks/LaunchCopies.h"

#include "abi/Emit.h"
#include "abi/RuntimeABI.h"
#include "base/Compat.h"
#include "hooks/LaunchStubs.h"
#include "hooks/Uses.h"

#include "gpumemprof/hooks.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace gpumemprof {
namespace {

// A stub of one block, as clang makes it, is inlined if it costs up to 337: 225, and half as much
// again for its one block. The report costs 50 and makes three blocks of it, so a copy is inlined
// where the stub would be. Those of nvcc are longer and are not inlined, but their copies are,
// which spares what it takes to hand over the record.
constexpr StringLiteral InlineBonus = "162", InlineBonusOfBlocks = "600";
constexpr unsigned StreamOfPop = 3;     // where it is stored
constexpr unsigned StreamPerThread = 2; // cudaStreamPerThread

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

/// Where there is a configuration, and what the stub loads of it is not kept in registers during
/// a call yet. Stubs of nvcc return where there is none; those of clang do not ask.
Instruction &afterPop(CallBase &Pop) {
  auto *Compared = Pop.hasOneUse() ? dyn_cast<ICmpInst>(Pop.user_back()) : nullptr;
  auto *Branch =
      Compared && Compared->hasOneUse() ? dyn_cast<BranchInst>(Compared->user_back()) : nullptr;
  bool Returns = Branch && Branch->isConditional() && Branch->getParent() == Pop.getParent() &&
                 Compared->getPredicate() == ICmpInst::ICMP_NE &&
                 match(Compared->getOperand(1), PatternMatch::m_Zero());
  BasicBlock *Next = Returns ? Branch->getSuccessor(1) : nullptr;
  return Next && Next->getSinglePredecessor() ? *Next->getFirstInsertionPt() : *Pop.getNextNode();
}

/// if (observed & USES) __gpumemprof_launch_N(values, stream, record);
void report(CallBase &Pop, const LaunchStub &Stub, Values &V, Value &Record, RuntimeABI &ABI) {
  IRBuilder<> B(Pop.getContext());
  // Not unlikely: code that is taken out of the way jumps back.
  insertWhereRecorded(B, afterPop(Pop), ABI, compat::likely(Pop.getContext()));
  B.SetCurrentDebugLocation(Pop.getDebugLoc());
  V.complete(B);
  Value *Stream = quiet(B.CreateLoad(ABI.pointer(), Pop.getArgOperand(StreamOfPop)));
  if (Stub.OwnDefault) {
    Value *Own = ConstantExpr::getIntToPtr(B.getInt64(StreamPerThread), B.getPtrTy());
    Stream = B.CreateSelect(B.CreateIsNull(Stream), Own, Stream);
  }
  Function *Hook = ABI.hook(("__gpumemprof_launch_" + Twine(Stub.Kernel->Words.size())).str(),
                            ABI.voidOf({ABI.pointer(), ABI.pointer(), ABI.pointer()}));
  Hook->addFnAttr(Attribute::NonLazyBind);
  ABI.callHook(B, Hook, {V.array(), Stream, &Record});
}

/// A copy that only this module calls, with one more parameter if there is a \p More.
Function *cloned(Function &F, Type *More, ValueToValueMapTy &Copies) {
  SmallVector<Type *, 12> Parameters(F.getFunctionType()->params());
  if (More) Parameters.push_back(More);
  auto *Copy = Function::Create(FunctionType::get(F.getReturnType(), Parameters, false),
                                GlobalValue::InternalLinkage, "__gpumemprof_launch." + F.getName(),
                                F.getParent());
  for (Argument &A : F.args()) {
    Copies[&A] = Copy->getArg(A.getArgNo());
    Copy->getArg(A.getArgNo())->setName(A.getName());
  }
  SmallVector<ReturnInst *, 2> Returns;
  CloneFunctionInto(Copy, &F, Copies, CloneFunctionChangeType::LocalChangesOnly, Returns);
  Copy->setLinkage(GlobalValue::InternalLinkage); // and the visibility that goes with it
  Copy->setComdat(nullptr);
  return Copy;
}

Value &lastArgument(Function &F) {
  return *F.getArg(unsigned(F.arg_size() - 1));
}

CallBase &copyOf(const CallBase &Call, ValueToValueMapTy &Copies) {
  return *cast<CallBase>(Copies.lookup(&Call));
}

} // namespace

Function *LaunchCopies::copyStub(const LaunchStub &Stub) {
  ValueToValueMapTy Copies;
  Function *Copy = cloned(*Stub.Stub, ABI.pointer(), Copies);
  Values V(Stub, Copies, *Copy);
  CallBase &Pop = copyOf(*Stub.Pop, Copies);
  report(Pop, Stub, V, lastArgument(*Copy), ABI);
  if (!Copy->hasOptSize()) // the attribute is for who inlines the function that has the call
    Pop.addFnAttr(Attribute::get(M.getContext(), "call-threshold-bonus",
                                 Stub.Stub->size() == 1 ? InlineBonus : InlineBonusOfBlocks));
  for (const CallBase *Launch : Stub.Launches)
    copyOf(*Launch, Copies).setCalledFunction(&launcher(*Launch->getCalledFunction()));
  return Copy;
}

Function &LaunchCopies::of(const LaunchStub &Stub) {
  if (Function *Known = Made.lookup(Stub.F)) return *Known;
  Function *Next = copyStub(Stub);
  for (CallBase *Step : reverse(Stub.Way)) {
    ValueToValueMapTy Copies;
    Function *Caller = cloned(*Step->getFunction(), ABI.pointer(), Copies);
    callWith(copyOf(*Step, Copies), *Next, lastArgument(*Caller));
    Next = Caller;
  }
  return *(Made[Stub.F] = Next);
}

/// What the copies call to launch.
Function &LaunchCopies::launcher(Function &F) {
  if (F.isDeclaration()) return jumpTo(F);
  if (Function *Known = Made.lookup(&F)) return *Known;
  ValueToValueMapTy Copies;
  Function *Copy = cloned(F, nullptr, Copies);
  CallBase *Launch = onlyLaunchIn(F);
  copyOf(*Launch, Copies).setCalledFunction(&jumpTo(*Launch->getCalledFunction()));
  return *(Made[&F] = Copy);
}

Function &LaunchCopies::jumpTo(Function &Real) {
  std::string Name = ("__gpumemprof_jump." + Real.getName()).str();
  if (Function *Known = M.getFunction(Name)) return *Known;
  Function *F = makeUseThunk(M, Real.getFunctionType(), Name);
  F->setAttributes(F->getAttributes().addRetAttributes(
      M.getContext(), AttrBuilder(M.getContext(), Real.getAttributes().getRetAttrs())));
  for (Argument &A : Real.args())
    F->addParamAttrs(A.getArgNo(),
                     AttrBuilder(M.getContext(), Real.getAttributes().getParamAttrs(A.getArgNo())));
  SmallVector<Value *, 12> Arguments;
  for (Argument &A : F->args()) Arguments.push_back(&A);
  IRBuilder<> B(&F->getEntryBlock());
  CallInst *Call = B.CreateCall(&Real, Arguments);
  Call->setCallingConv(Real.getCallingConv());
  Call->setAttributes(F->getAttributes().removeFnAttributes(M.getContext()));
  Real.addFnAttr(Attribute::NonLazyBind);
  Call->setTailCall();
  B.CreateRet(Call);
  return *F;
}

} // namespace gpumemprof
