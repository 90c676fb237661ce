//===- PageFinder.cpp -----------------------------------------------------===//
#include "hooks/PageFinder.h"

#include "abi/RuntimeABI.h"

#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace gpumemprof {

bool reportPageFinder(Module &M, RuntimeABI &ABI) {
  constexpr char Name[] = "__gpumemprof_page_finder_ctor";
  bool Launches = false;
  for (const char *Call : {"cudaLaunchKernel", "cudaLaunchKernel_ptsz", "__cudaLaunchKernel",
                           "__cudaLaunchKernel_ptsz"})
    if (Function *F = M.getFunction(Call)) Launches |= F->isDeclaration() && !F->use_empty();
  if (!Launches || M.getNamedValue(Name)) return Launches;
  PointerType *Pointer = ABI.pointer();
  FunctionCallee Find = M.getOrInsertFunction(
      "cudaGetFuncBySymbol",
      FunctionType::get(Type::getInt32Ty(M.getContext()), {Pointer, Pointer}, false));
  auto *F = Function::Create(ABI.voidOf({}), GlobalValue::LinkOnceODRLinkage, Name, M);
  F->addFnAttr(Attribute::NoUnwind);
  F->setVisibility(GlobalValue::HiddenVisibility);
  F->setComdat(M.getOrInsertComdat(Name));
  auto *Return = ReturnInst::Create(M.getContext(), BasicBlock::Create(M.getContext(), "", F));
  IRBuilder<> B(Return);
  ABI.callHook(B, ABI.hook("__gpumemprof_page_finder", ABI.voidOf({Pointer})),
               {cast<Constant>(Find.getCallee())});
  appendToGlobalCtors(M, F, 65535, F);
  return true;
}

} // namespace gpumemprof
