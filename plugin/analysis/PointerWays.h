//===- PointerWays.h - how a pointer leaves a function --------------------===//
//
// Wrappers.cpp asks it where the pointer to an allocation goes: back to the caller, or
// somewhere that the caller does not see. Calls of functions of the file are followed into
// them; what a function of another file does with a pointer is not known.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_POINTERWAYS_H
#define GPUMEMPROF_PLUGIN_POINTERWAYS_H

#include "analysis/Places.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

#include "llvm/Analysis/TargetLibraryInfo.h"

#include <tuple>
#include <utility>

namespace llvm {
class Argument;
class CallBase;
class Function;
class Instruction;
class LoadInst;
} // namespace llvm

namespace gpumemprof {

/// How a pointer leaves a function: an argument, through which it is stored (for the result: null),
/// and an offset from it.
using PointerWay = std::pair<const llvm::Argument *, int64_t>;

/// What all walks through the functions of a module share.
struct WaysContext {
  WaysContext(const llvm::DataLayout &Layout, const llvm::Triple &Target)
      : Where(Layout), Library(Target) {}

  /// Where a function puts what it is given; the number is the depth at which it was followed.
  struct Followed {
    bool Kept;
    llvm::SmallVector<PointerWay, 2> Ways;
  };
  using Given = std::tuple<const llvm::Argument *, int64_t, unsigned>;

  Places Where;
  llvm::TargetLibraryInfoImpl Library;
  llvm::DenseMap<Given, Followed> Known;
};

/// How the pointer of one call leaves.
struct PointerLeaves {
  enum { Never, Once, Unclear } How;
  PointerWay Way; // if it leaves in one way only
};

class PointerWays {
public:
  explicit PointerWays(WaysContext &Shared, unsigned Depth = 0) : Shared(Shared), Depth(Depth) {}

  /// The pointer is a value.
  void value(const llvm::Value *V);
  /// The pointer is stored at an address.
  void storedAt(const llvm::Value *Address) { stored(Shared.Where.of(Address)); }

  /// Follows the pointer in the function whose returned values are \p Returned. A result may also
  /// be kept elsewhere, if the function never returns an older one. \p MayAllocate tells whether a
  /// call may return a new one as well.
  PointerLeaves find(llvm::ArrayRef<const llvm::Value *> Returned,
                     llvm::function_ref<bool(const llvm::CallBase &)> MayAllocate);

private:
  /// The offset of a value that is the pointer, or one into the same block, and not the address of
  /// memory in which it is.
  static constexpr int64_t Itself = INT64_MIN;

  void run();
  void add(const llvm::Value *V, int64_t Offset);
  void stored(Place At);
  void follow(const llvm::Instruction &I, const llvm::Value *V, int64_t Offset);
  void loaded(const llvm::LoadInst &Load, const llvm::Value *From, int64_t Offset);
  void called(const llvm::CallBase &Call, const llvm::Value *V, int64_t Offset);
  bool followInto(const llvm::CallBase &Call, const llvm::Function &Callee, const llvm::Value *V,
                  int64_t Offset);
  WaysContext::Followed followed(const llvm::Argument &Given, int64_t Offset);
  bool mayReturnAnother(llvm::ArrayRef<const llvm::Value *> Returned,
                        llvm::function_ref<bool(const llvm::CallBase &)> MayAllocate);
  Place at(const llvm::Value *Address, int64_t Offset);

  WaysContext &Shared;
  unsigned Depth; // of functions that were followed into
  bool Kept = false;
  llvm::SmallSetVector<PointerWay, 2> Ways;
  llvm::DenseMap<const llvm::Value *, int64_t> Found; // with the offset of the pointer there
  /// Pointer variables that have the address of memory with the pointer: they stand for it.
  llvm::SmallPtrSet<const llvm::Value *, 4> StandIns;
  llvm::SmallVector<const llvm::Value *, 16> Work;
};

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_POINTERWAYS_H
