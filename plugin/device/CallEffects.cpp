//===- CallEffects.cpp ----------------------------------------------------===//
#include "device/CallEffects.h"

#include "base/IRQueries.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace gpumemprof {
namespace {

enum class Known { NOWHERE, PRINT, MALLOC, WRITE, LAUNCH, UNKNOWN };

struct KnownFunction {
  StringLiteral Pattern;
  Known Effect;
  unsigned Pointers;
};
constexpr KnownFunction KnownFunctions[] = {
#define GPUMEMPROF_DEVICE_FUNCTION(pattern, EFFECT, pointers) {pattern, Known::EFFECT, pointers},
#include "gpumemprof/device_functions.def"
};

KnownFunction known(StringRef Name) {
  for (const KnownFunction &K : KnownFunctions) {
    StringRef Pattern = K.Pattern;
    if (Pattern.consume_back("*") ? Name.starts_with(Pattern) : Name == Pattern) return K;
  }
  return {"", Known::UNKNOWN, 0};
}

CallEffect opened(Reason Why, StringRef Name = "") {
  CallEffect E;
  E.Opens = true;
  E.Why = Why;
  E.Name = Name;
  E.Result = ResultOf::Unknown;
  return E;
}

bool isAnyOf(StringRef Name, ArrayRef<StringLiteral> Prefixes) {
  return any_of(Prefixes, [&](StringRef P) { return Name.starts_with(P); });
}

/// Intrinsics whose result is one of their arguments.
bool keepsAddress(const Function &Callee) {
  static constexpr StringLiteral Prefixes[] = {
      "launder.",   "strip.",         "ssa.copy",      "umin",        "umax",
      "smin",       "smax",           "vector.insert", "vector.extr", "vector.rev",
      "nvvm.ptr.",  "nvvm.mapa",      "nvvm.internal", "expect",      "threadlocal.address",
      "annotation", "ptr.annotation", "nvvm.move"};
  StringRef Name = Callee.getName();
  return Name.consume_front("llvm.") && isAnyOf(Name, Prefixes);
}

CallEffect effectOfIntrinsic(const CallBase &Call, const Function &Callee) {
  static constexpr StringLiteral Textures[] = {"tex.", "tld4.", "suld.", "sust.", "sured."};
  CallEffect E;
  if (isa<AnyMemTransferInst>(Call)) {
    E.Touches = {{0, Writes}, {1, Reads}};
    E.Copies = true;
    return E;
  }
  if (isa<AnyMemSetInst>(Call)) {
    E.Touches = {{0, Writes}};
    E.Fills = true;
    return E;
  }
  StringRef Name = Callee.getName();
  if (Name.consume_front("llvm.nvvm.")) {
    if (isAnyOf(Name, Textures)) {
      E = opened(Reason::TEXTURE);
      E.TakesAll = Name.starts_with("su"); // it may write them
      return E;
    }
    if (Name.starts_with("read.ptx.sreg.envreg")) {
      E.Result = ResultOf::Driver;
      return E;
    }
    if (Name.contains("prefetch") || Name.starts_with("mbarrier") || Name.starts_with("isspacep"))
      return E;
    if (Name.contains(".tensor.") || Name.starts_with("tensormap")) {
      E = opened(Reason::TENSOR_MAP);
      E.TakesAll = true;
      return E;
    }
  }
  if (Call.doesNotAccessMemory() || cast<IntrinsicInst>(Call).isAssumeLikeIntrinsic()) {
    if (keepsAddress(Callee)) E.Result = ResultOf::Kept;
    return E;
  }
  for (unsigned I = 0; I < Call.arg_size(); ++I) {
    if (!Call.getArgOperand(I)->getType()->isPtrOrPtrVectorTy()) continue;
    bool OnlyReads = Call.onlyReadsMemory() || Call.onlyReadsMemory(I);
    bool OnlyWrites = Call.onlyWritesMemory() || Call.onlyWritesMemory(I);
    E.Touches.push_back({I, OnlyReads ? Reads : OnlyWrites ? Writes : Reads | Writes});
  }
  if (!E.Touches.empty()) E.Result = ResultOf::Load;
  return E;
}

CallEffect effectOfUnknown(const CallBase &Call, const Function &Callee) {
  CallEffect E = opened(Reason::UNKNOWN, Callee.getName());
  if (Call.doesNotAccessMemory()) {
    E.Opens = false;
    return E;
  }
  E.TakesAll = true;
  return E;
}

CallEffect effectOfDeclaration(const CallBase &Call, const Function &Callee) {
  CallEffect E;
  KnownFunction K = known(Callee.getName());
  switch (K.Effect) {
  case Known::NOWHERE:
    break;
  case Known::PRINT:
    E.Prints = true;
    break;
  case Known::MALLOC:
    E.Result = ResultOf::Allocator;
    break;
  case Known::WRITE:
    for (unsigned I = 0; I < Call.arg_size(); ++I)
      if (K.Pointers >> I & 1) E.Touches.push_back({I, Writes});
    E.Fills = true;
    break;
  case Known::LAUNCH:
    E = opened(Reason::LAUNCH, Callee.getName());
    E.TakesAll = true;
    break;
  case Known::UNKNOWN:
    E = effectOfUnknown(Call, Callee);
    break;
  }
  return E;
}

} // namespace

CallEffect effectOf(const CallBase &Call) {
  if (Call.isInlineAsm()) return effectOfAssembly(Call);
  const Function *Callee = calleeOf(Call);
  if (!Callee) {
    CallEffect E = opened(Reason::POINTER);
    E.TakesAll = true;
    return E;
  }
  if (Callee->isIntrinsic()) return effectOfIntrinsic(Call, *Callee);
  if (Callee->isDeclaration()) return effectOfDeclaration(Call, *Callee);
  if (Callee->isInterposable()) return effectOfUnknown(Call, *Callee);
  CallEffect E;
  E.Body = Callee;
  return E;
}

} // namespace gpumemprof
