//===- Roles.h - whose function is it? ------------------------------------===//
//
// Decides for every function of the module, before anything is changed, whether
// it is a scope of the user's program. The one idea: a level of a path must be
// the same at -O0 and -O2, so whatever the compiler makes up or drops by itself
// (variants of constructors, thunks, implicit members) is never a level.
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
  Ours,        // our own hooks: neither changed nor followed
  Transparent, // no frame and no sites: the calling line of the user stands
  User,        // may get a frame
  Coroutine    // gets its frames after it was split
};

class Roles {
public:
  /// Reads the annotations and takes ours out of the module: they would keep unused functions.
  Roles(llvm::Module &M, SourceFacts &Facts, const Filter &UserFilter);

  Role of(const llvm::Function &F) const { return RoleOf.lookup(&F); }
  bool isProfiled(const llvm::Function &F) const { return Profiled.contains(&F); }
  bool isIgnored(const llvm::Function &F) const { return Ignored.contains(&F); }

  /// The resolver of an ifunc, or called by one: thread-local variables may not exist yet, so it
  /// gets no code of ours.
  bool runsBeforeRelocation(const llvm::Function &F) const { return Resolvers.contains(&F); }

  /// What the function may need, or null. Two different sizes: "".
  const Budget *budget(const llvm::Function &F) const {
    auto It = Budgets.find(&F);
    return It == Budgets.end() ? nullptr : &It->second;
  }

  /// What is marked gpumemprof_alloc or gpumemprof_dealloc, else null.
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
  llvm::DenseSet<const llvm::Function *> Profiled, Ignored, Resolvers;
  llvm::DenseMap<const llvm::Function *, PoolFunction> Allocators;
  llvm::DenseMap<const llvm::Function *, Budget> Budgets;
};

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_ROLES_H
