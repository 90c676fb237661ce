//===- Compat.h - the one place that knows LLVM versions ------------------===//
//
// Every difference between the supported LLVM versions (llvm_versions.def) has a
// name here, or in CompatPipeline.h, which needs more headers; no other file of the
// plugin looks at LLVM_VERSION_MAJOR.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_COMPAT_H
#define GPUMEMPROF_PLUGIN_COMPAT_H

#include "llvm/Config/llvm-config.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/xxhash.h"
#include "llvm/TargetParser/Triple.h"

#if LLVM_VERSION_MAJOR < 18
// Names of clang that it gave later.
#define AS_C23 AS_C2x
#endif
#if LLVM_VERSION_MAJOR < 17
#define OpenMPIsTargetDevice OpenMPIsDevice
namespace clang::codegenoptions {}
namespace llvm {
namespace codegenoptions = clang::codegenoptions;
}
#endif

namespace gpumemprof::compat {

constexpr int BuiltForMajor = LLVM_VERSION_MAJOR;

inline llvm::Triple targetTriple(const llvm::Module &M) {
  return llvm::Triple(M.getTargetTriple());
}

/// Whether \p F is a kernel of device code. Before LLVM 21 an annotation of the module said so.
inline bool isKernel(const llvm::Function &F) {
  if (F.getCallingConv() == llvm::CallingConv::PTX_Kernel) return true;
#if LLVM_VERSION_MAJOR < 21
  const llvm::NamedMDNode *All = F.getParent()->getNamedMetadata("nvvm.annotations");
  for (unsigned I = 0; All && I < All->getNumOperands(); ++I) {
    const llvm::MDNode *One = All->getOperand(I);
    if (One->getNumOperands() < 2) continue;
    auto *Value = llvm::dyn_cast_or_null<llvm::ValueAsMetadata>(One->getOperand(0).get());
    auto *Kind = llvm::dyn_cast_or_null<llvm::MDString>(One->getOperand(1).get());
    if (Value && Kind && Value->getValue() == &F && Kind->getString() == "kernel") return true;
  }
#endif
  return false;
}

inline llvm::Function *intrinsic(llvm::Module &M, llvm::Intrinsic::ID ID,
                                 llvm::ArrayRef<llvm::Type *> Types = {}) {
#if LLVM_VERSION_MAJOR >= 20
  return llvm::Intrinsic::getOrInsertDeclaration(&M, ID, Types);
#else
  return llvm::Intrinsic::getDeclaration(&M, ID, Types);
#endif
}

/// Before LLVM 17 x86 lost the result of a function that preserves the registers.
constexpr bool PreservesResult = LLVM_VERSION_MAJOR >= 17;

inline llvm::MDNode *likely(llvm::LLVMContext &Ctx) {
#if LLVM_VERSION_MAJOR >= 19
  return llvm::MDBuilder(Ctx).createLikelyBranchWeights();
#else
  return llvm::MDBuilder(Ctx).createBranchWeights((1U << 20) - 1, 1);
#endif
}

inline llvm::MDNode *unlikely(llvm::LLVMContext &Ctx) {
#if LLVM_VERSION_MAJOR >= 19
  return llvm::MDBuilder(Ctx).createUnlikelyBranchWeights();
#else
  return llvm::MDBuilder(Ctx).createBranchWeights(1, (1U << 20) - 1);
#endif
}

/// Whether \p ID calls await_suspend of a coroutine. Before LLVM 19 clang calls it itself.
inline bool isAwaitSuspend([[maybe_unused]] llvm::Intrinsic::ID ID) {
#if LLVM_VERSION_MAJOR >= 19
  return ID == llvm::Intrinsic::coro_await_suspend_void ||
         ID == llvm::Intrinsic::coro_await_suspend_bool ||
         ID == llvm::Intrinsic::coro_await_suspend_handle;
#else
  return false;
#endif
}

inline bool hasNumericalSanitizer([[maybe_unused]] const llvm::Function &F) {
#if LLVM_VERSION_MAJOR >= 19
  return F.hasFnAttribute(llvm::Attribute::SanitizeNumericalStability);
#else
  return false;
#endif
}

/// The lanes of the warp that run here, in device code.
inline llvm::Value *activeLanes(llvm::IRBuilder<> &B) {
#if LLVM_VERSION_MAJOR >= 19
  return B.CreateIntrinsic(B.getInt32Ty(), llvm::Intrinsic::nvvm_activemask, {});
#else
  auto *Type = llvm::FunctionType::get(B.getInt32Ty(), false);
  return B.CreateCall(llvm::InlineAsm::get(Type, "activemask.b32 $0;", "=r", true));
#endif
}

/// 32 bits reach the variable, whatever the code model.
inline void keepNear([[maybe_unused]] llvm::GlobalVariable &G) {
#if LLVM_VERSION_MAJOR >= 18
  G.setCodeModel(llvm::CodeModel::Small);
#endif
}

/// Before LLVM 17 __has_attribute() does not know attributes of plugins, so the plugin has to say
/// that it is there.
constexpr bool HasAttributeKnowsPlugins = LLVM_VERSION_MAJOR >= 17;

/// Device code is read with the LLVM versions that a test compiles it with.
constexpr bool ReadsDeviceCode = LLVM_VERSION_MAJOR >= 19;

/// LLVM has this since 18.
inline bool isUpper(char C) {
  return C >= 'A' && C <= 'Z';
}

inline uint64_t hashOf(llvm::StringRef Text) {
#if LLVM_VERSION_MAJOR >= 17
  return llvm::xxh3_64bits(Text);
#else
  return llvm::xxHash64(Text);
#endif
}

/// Whether a method of clang's AST has `this` as its first parameter, as in C++23.
template <typename MethodDecl> bool hasExplicitObject([[maybe_unused]] const MethodDecl &Method) {
#if LLVM_VERSION_MAJOR >= 18
  return Method.isExplicitObjectMemberFunction();
#else
  return false;
#endif
}

/// The caller frees the text; null if \p Name is not mangled.
inline char *demangled(const std::string &Name) {
#if LLVM_VERSION_MAJOR >= 17
  return llvm::itaniumDemangle(Name);
#else
  return llvm::itaniumDemangle(Name.c_str(), nullptr, nullptr, nullptr);
#endif
}

} // namespace gpumemprof::compat

#endif // GPUMEMPROF_PLUGIN_COMPAT_H
