//===- AddressFlow.h - which addresses the values of a kernel may hold ----===//
//
// A set (AddressSet.h) for each value of the kernel and of the functions that it calls,
// whatever the order in which the instructions run. A function has its own sets for each
// call, unless it calls itself or there are very many calls.
//
//   %p = load ptr, ptr %structure     the word of the parameter
//   %q = getelementptr i8, ptr %p, i  the same: an offset leads to no other block
//   store ptr %q, ptr %variable       what the variable holds, at that offset
//
// Instructions are applied until no set grows. KernelAccess.cpp judges what is accessed.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_ADDRESSFLOW_H
#define GPUMEMPROF_PLUGIN_ADDRESSFLOW_H

#include "device/AddressSet.h"
#include "device/CallEffects.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

#include <map>
#include <memory>
#include <optional>

namespace gpumemprof {

namespace memory { // address spaces of NVIDIA devices
constexpr unsigned Generic = 0, Global = 1, Shared = 3, Constant = 4, Local = 5;
} // namespace memory

struct ParameterWord { // of the kernel
  unsigned Parameter, Offset;
};

/// A function that runs in the kernel, at one call.
struct Activation {
  const llvm::Function *F;
  const Activation *Caller;
  llvm::DenseMap<const llvm::Value *, AddressSet> Values;
  llvm::DenseMap<const llvm::CallBase *, Activation *> Callees;
  AddressSet Returned;

  explicit Activation(const llvm::Function *F = nullptr, const Activation *Caller = nullptr)
      : F(F), Caller(Caller) {}
};

class AddressFlow {
public:
  static constexpr uint64_t WordBytes = 8;
  static constexpr unsigned AddressBits = 48; // the rest of a word can hold a tag

  explicit AddressFlow(const llvm::Function &Kernel);
  /// False: the kernel is too large, and the sets say nothing.
  bool follow();

  AddressSet valueOf(const Activation &In, const llvm::Value *V);
  /// What is in the variables that \p Pointer may point to.
  AddressSet contentOf(const AddressSet &Pointer, unsigned Space = memory::Generic);
  CallEffect effectAt(const llvm::CallBase &Call);

  const AddressLayout &layout() const { return Layout; }
  llvm::ArrayRef<ParameterWord> words() const { return Words; }
  const AddressSet &escaped() const { return Escaped; }
  const std::vector<std::unique_ptr<Activation>> &activations() const { return Activations; }

private:
  /// Memory of the thread's own: a variable, or a parameter of the kernel.
  struct Object {
    unsigned FirstWord = 0, Words = 0;     // of a parameter
    std::map<int64_t, AddressSet> Content; // what was stored, by multiples of 8 bytes
    AddressSet Anywhere;                   // what was stored at an offset that is not known
    unsigned Offsets = 0;                  // how many places it has
  };
  struct Place {
    unsigned Object;
    std::optional<int64_t> Offset;
  };
  using Key = std::pair<const void *, const llvm::Value *>;

  // AddressFlow.cpp: values
  void apply(Activation &In, const llvm::Instruction &I);
  AddressSet resultOf(Activation &In, const llvm::User &U);
  AddressSet constantValue(const llvm::Constant &C);
  AddressSet addressOf(const Activation &In, const llvm::GEPOperator &Address);
  AddressSet castOf(const llvm::Operator &Cast, const AddressSet &Of);
  AddressSet maskOf(const Activation &In, const llvm::Operator &And);
  static bool addsTag(const llvm::User &Sum);
  static void addUnaligned(llvm::MaybeAlign Alignment, AddressSet &Loaded);
  AddressSet unionOf(const Activation &In, const llvm::User &U);
  // MemoryFlow.cpp: what is stored and loaded
  unsigned objectOf(Activation &In, const llvm::Value &Variable);
  AddressSet pointerTo(unsigned Object, std::optional<int64_t> Offset);
  AddressSet shifted(const AddressSet &Pointer, std::optional<int64_t> By);
  AddressSet load(const AddressSet &Pointer, unsigned Space, llvm::Type &T);
  AddressSet loadRaw(const AddressSet &Pointer, unsigned Space, uint64_t Bytes);
  void addWords(const Object &Parameter, std::optional<int64_t> Offset, uint64_t Bytes,
                AddressSet &To);
  AddressSet loadObject(const Object &From, std::optional<int64_t> Offset, uint64_t Bytes);
  AddressSet typed(const AddressSet &Content, llvm::Type &T);
  void store(const AddressSet &Pointer, unsigned Space, const AddressSet &Value, uint64_t Bytes);
  void storeIn(unsigned Object, std::optional<int64_t> Offset, const AddressSet &Value,
               uint64_t Bytes);
  void copy(const AddressSet &To, unsigned ToSpace, const AddressSet &Source, unsigned FromSpace,
            std::optional<uint64_t> Bytes, llvm::MaybeAlign Alignment);
  void escape(const AddressSet &Value);
  void escapeObjects();
  // CallFlow.cpp: calls
  AddressSet resultOfCall(Activation &In, const llvm::CallBase &Call);
  AddressSet enter(Activation &In, const llvm::CallBase &Call, const llvm::Function &Callee);
  Activation *activationOf(Activation &In, const llvm::CallBase &Call,
                           const llvm::Function &Callee);
  void letTouch(const Activation &In, const llvm::CallBase &Call, const CallEffect &Effect);
  AddressSet resultFrom(const Activation &In, const llvm::CallBase &Call, const CallEffect &E);

  void grow(AddressSet &Set, const AddressSet &By) { Changed |= Set.unite(By); }

  const llvm::Function &Kernel;
  const llvm::DataLayout &Data;
  AddressLayout Layout;
  llvm::SmallVector<ParameterWord, 16> Words;
  std::vector<Object> Objects;
  std::vector<Place> Places;
  std::map<std::pair<unsigned, std::optional<int64_t>>, unsigned> PlaceOf;
  std::map<Key, unsigned> ObjectOf;
  std::vector<std::unique_ptr<Activation>> Activations;
  llvm::DenseMap<const llvm::Function *, Activation *> Only; // when there are too many calls
  llvm::DenseMap<const llvm::CallBase *, CallEffect> Effects;
  llvm::SmallPtrSet<const llvm::GlobalVariable *, 8> TablesSeen;
  AddressSet InShared, InTables, Escaped;
  bool Changed = false, OneForEach = false;
};

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_ADDRESSFLOW_H
