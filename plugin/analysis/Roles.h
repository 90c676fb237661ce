//===- Roles.h - whose function is it? ------------------------------------===//
//
// Decides for every function of the module, before anything is changed, whether
// it is a scope of the user's program. The one idea: a path must have the same levels
// at -O0 and -O2, so a function that the compiler adds or drops by itself (a variant
// of a constructor, a thunk, an implicit member) is never a level.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_ROLES_H
#define GPUMEMPROF_PLUGIN_ROLES_H

#include "facts/Budget.h"
#include "facts/PoolFunction.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace gpumemprof {

class Filter;
class SourceFacts;

enum class Role {
  Ours,        // our own hooks, which are neither changed nor followed
  Transparent, // has no frame and no sites: the user's line that calls it has what it does
  User,        // may get a frame
  Coroutine    // gets its frames after it was split
};

class Roles {
public:
  /// Reads the annotations and removes ours from the module, because they would keep unused
  /// functions alive.
  Roles(llvm::Module &M, SourceFacts &Facts, const Filter &UserFilter);

  Role of(const llvm::Function &F) const { return RoleOf.lookup(&F); }
  bool isProfiled(const llvm::Function &F) const { return Profiled.contains(&F); }
  bool isIgnored(const llvm::Function &F) const { return Ignored.contains(&F); }

  /// \p F is marked gpumemprof_not_wrapper (Wrappers.h).
  bool isNotWrapper(const llvm::Function &F) const { return NotWrappers.contains(&F); }

  /// \p F is the resolver of an ifunc or is called by one. Thread-local variables may not exist yet
  /// when it runs, so it gets no code of ours.
  bool runsBeforeRelocation(const llvm::Function &F) const { return Resolvers.contains(&F); }

  /// The budget of \p F, or null. Its size is "" if declarations give different sizes.
  const Budget *budget(const llvm::Function &F) const {
    auto It = Budgets.find(&F);
    return It == Budgets.end() ? nullptr : &It->second;
  }

  /// How \p F is marked gpumemprof_alloc or gpumemprof_dealloc; null if it is not marked.
  const PoolFunction *allocator(const llvm::Function &F) const {
    auto It = Allocators.find(&F);
    return It == Allocators.end() ? nullptr : &It->second;
  }

private:
  void readAnnotations(llvm::Module &M);
  void findResolvers(const llvm::Module &M);
  void addBudget(const llvm::Function &F, const Budget &Read);
  Role decide(const llvm::Function &F, bool HasDebugInfo, SourceFacts &Facts,
              const Filter &UserFilter) const;

  llvm::DenseMap<const llvm::Function *, Role> RoleOf;
  llvm::DenseSet<const llvm::Function *> Profiled, Ignored, NotWrappers, Resolvers;
  llvm::DenseMap<const llvm::Function *, PoolFunction> Allocators;
  llvm::DenseMap<const llvm::Function *, Budget> Budgets;
};

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_ROLES_H
