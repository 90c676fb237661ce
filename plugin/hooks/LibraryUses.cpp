//===- LibraryUses.cpp ----------------------------------------------------===//
#include "hooks/LibraryUses.h"

#include "abi/RuntimeABI.h"
#include "base/Compat.h"
#include "hooks/Uses.h"
#include "names/LibraryCalls.h"

#include "gpumemprof/hooks.h"

using namespace llvm;

namespace gpumemprof {
namespace {

constexpr StringLiteral ThunkPrefix = "__gpumemprof_thunk."; // Thunks.cpp, with unaccounted=calls

bool isOfHost(const Value &Pointer) {
  const Value *Base = Pointer.stripPointerCasts();
  return isa<AllocaInst>(Base) || isa<Constant>(Base);
}

SmallVector<Value *, 12> pointersOf(const CallBase &Call, gpumemprof_library_use Use) {
  SmallVector<Value *, 12> Pointers;
  for (Value *Argument : Call.args())
    if (Argument->getType()->isPointerTy() &&
        (Use == GPUMEMPROF_LIBRARY_POINTS_TO || !isOfHost(*Argument)))
      Pointers.push_back(Argument);
  if (Use == GPUMEMPROF_LIBRARY_ANY) Pointers.clear();
  return Pointers;
}

/// if (observed & USES) { list = {pointers}; hook(site, use, count, list); }
void report(CallBase &Call, gpumemprof_library_use Use, Constant *Site, RuntimeABI &ABI) {
  SmallVector<Value *, 12> Pointers = pointersOf(Call, Use);
  IRBuilder<> B(&*Call.getFunction()->getEntryBlock().getFirstInsertionPt());
  Type *ListType = ArrayType::get(B.getInt64Ty(), Pointers.size());
  Value *List = ConstantPointerNull::get(ABI.pointer());
  if (!Pointers.empty()) List = B.CreateAlloca(ListType);
  insertWhereRecorded(B, Call, ABI, compat::unlikely(Call.getContext()));
  B.SetCurrentDebugLocation(Call.getDebugLoc());
  for (unsigned I = 0; I < Pointers.size(); ++I)
    B.CreateStore(B.CreatePtrToInt(Pointers[I], B.getInt64Ty()),
                  B.CreateConstGEP2_32(ListType, List, 0, I));
  FunctionType *Type = ABI.voidOf({ABI.pointer(), B.getInt32Ty(), B.getInt32Ty(), ABI.pointer()});
  ABI.callHook(B, ABI.hook("__gpumemprof_use_library", Type),
               {Site, B.getInt32(Use), B.getInt32(Pointers.size()), List});
}

} // namespace

bool reportLibraryUses(Module &M, const UseSites &Sites, const Filter &UserFilter) {
  SmallVector<std::pair<CallBase *, gpumemprof_library_use>, 16> Calls;
  for (Function &F : M) {
    StringRef Name = F.getName();
    bool OwnThunk = Name.consume_front(ThunkPrefix);
    if (!OwnThunk && !F.isDeclaration()) continue;
    gpumemprof_library_use Use = libraryUseOf(Name, UserFilter);
    if (Use == GPUMEMPROF_LIBRARY_NOTHING) continue;
    for (User *U : F.users())
      if (auto *Call = dyn_cast<CallBase>(U);
          Call && Call->getCalledOperand() == &F &&
          !Call->getFunction()->getName().starts_with(ThunkPrefix))
        Calls.push_back({Call, Use});
  }
  for (auto [Call, Use] : Calls) report(*Call, Use, Sites.of(*Call), Sites.ABI);
  return !Calls.empty();
}

} // namespace gpumemprof
