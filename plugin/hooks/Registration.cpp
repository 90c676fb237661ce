//===- Registration.cpp - struct gpumemprof_module and its constructor ----===//
#include "hooks/Registration.h"

#include "abi/RuntimeABI.h"
#include "sites/SiteTable.h"

#include "gpumemprof/hooks.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace gpumemprof {
namespace {

/// Runs before every constructor of the program and after all of its destructors.
constexpr int EarliestPriority = 1;

template <typename G> void makeSharedAcrossObjects(G *Global, Module &M) {
  Global->setVisibility(GlobalValue::HiddenVisibility);
  Global->setComdat(M.getOrInsertComdat(Global->getName()));
}

/// The names of what objects share have the version in them. A program of objects of two versions
/// then has both, and each requires its own runtime.
std::string versioned(StringRef Name) {
  return (Name + "_v" + Twine(GPUMEMPROF_ABI_VERSION)).str();
}

/// __start_SECTION or __stop_SECTION, which is null when the linker kept no such section.
Constant *sectionEnd(Module &M, StringRef Prefix, StringRef Section = SiteSection) {
  std::string Name = (Prefix + Section).str();
  auto *G = new GlobalVariable(M, Type::getInt8Ty(M.getContext()), true,
                               GlobalValue::ExternalWeakLinkage, nullptr, Name);
  G->setVisibility(GlobalValue::HiddenVisibility);
  return G;
}

/// The variable that NVTX's headers define, weak and hidden, in each object that uses them. Where
/// the environment names no tool, they call the function whose address it holds.
Constant *nvtxInitializer(Module &M) {
  constexpr char Name[] = "InitializeInjectionNvtx2_fnptr";
  if (GlobalValue *Known = M.getNamedValue(Name)) return Known;
  auto *G = new GlobalVariable(M, PointerType::getUnqual(M.getContext()), false,
                               GlobalValue::ExternalWeakLinkage, nullptr, Name);
  G->setVisibility(GlobalValue::HiddenVisibility);
  return G;
}

GlobalVariable *moduleRecord(Module &M, RuntimeABI &ABI) {
  LLVMContext &Ctx = M.getContext();
  Type *I32 = Type::getInt32Ty(Ctx);
  PointerType *Pointer = ABI.pointer();
  auto *Unused = ArrayType::get(Pointer, sizeof(gpumemprof_module::unused) / sizeof(void *));
  auto *Layout =
      StructType::get(Ctx, {I32, I32, Pointer, Pointer, Pointer, Pointer, Unused, Pointer, Pointer,
                            Pointer, Pointer, Pointer, Pointer, Pointer, Pointer, Pointer});
  Constant *Version =
      ConstantDataArray::getString(Ctx, GPUMEMPROF_VERSION " (LLVM " LLVM_VERSION_STRING ")");
  auto *VersionText = new GlobalVariable(M, Version->getType(), true, GlobalValue::PrivateLinkage,
                                         Version, "gpumemprof.version");
  VersionText->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  Constant *Content = ConstantStruct::get(
      Layout, ConstantInt::get(I32, GPUMEMPROF_ABI_VERSION),
      ConstantInt::get(I32, sizeof(gpumemprof_module)), sectionEnd(M, "__start_"),
      sectionEnd(M, "__stop_"), VersionText, ConstantPointerNull::get(Pointer),
      ConstantAggregateZero::get(Unused), sectionEnd(M, "__start_", AssumedSection),
      sectionEnd(M, "__stop_", AssumedSection), sectionEnd(M, "__start_", MoversSection),
      sectionEnd(M, "__stop_", MoversSection), sectionEnd(M, "__start_", KernelsSection),
      sectionEnd(M, "__stop_", KernelsSection), nvtxInitializer(M),
      sectionEnd(M, "__start_", ThunksSection), sectionEnd(M, "__stop_", ThunksSection));
  auto *G = new GlobalVariable(M, Layout, false, GlobalValue::LinkOnceODRLinkage, Content,
                               versioned("__gpumemprof_module"));
  G->setAlignment(Align(8));
  makeSharedAcrossObjects(G, M);
  return G;
}

Function *caller(Module &M, RuntimeABI &ABI, StringRef Name, StringRef Hook, Constant *Record,
                 bool Attaches) {
  LLVMContext &Ctx = M.getContext();
  auto *F = Function::Create(ABI.voidOf({}), GlobalValue::LinkOnceODRLinkage, Name, M);
  F->addFnAttr(Attribute::NoUnwind);
  F->addFnAttr(Attribute::NoInline);
  makeSharedAcrossObjects(F, M);
  auto *Return = ReturnInst::Create(Ctx, BasicBlock::Create(Ctx, "", F));
  IRBuilder<> B(Return);
  if (Attaches) ABI.attach(B);
  Function *Called = ABI.hook(Hook, ABI.voidOf({ABI.pointer()}));
  if (Attaches) // if it is missing, dlopen fails and the program does not end
    Called->addFnAttr(Attribute::NonLazyBind);
  ABI.callHook(B, Called, {Record});
  return F;
}

} // namespace

void registerModule(Module &M, RuntimeABI &ABI) {
  GlobalVariable *Record = moduleRecord(M, ABI);
  Function *Enter = caller(M, ABI, versioned("__gpumemprof_module_ctor"),
                           versioned("__gpumemprof_abi"), Record, true);
  Function *Leave = caller(M, ABI, versioned("__gpumemprof_module_dtor"), "__gpumemprof_unregister",
                           Record, false);
  appendToGlobalCtors(M, Enter, EarliestPriority, Enter);
  appendToGlobalDtors(M, Leave, EarliestPriority, Leave);
}

} // namespace gpumemprof
