//===- NameLength.cpp - measures the demangler's tree without printing it -===//
//
// A mangled name refers to its own parts (S1_), so its tree is a graph in which parts
// are shared, and to print it can take exponential time and space. Here the length of
// each part is computed once.
//
//===----------------------------------------------------------------------===//
#include "names/NameLength.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Demangle/ItaniumDemangle.h"
#include "llvm/Support/Allocator.h"
#include <algorithm>
#include <type_traits>

using namespace llvm;
namespace demangle = llvm::itanium_demangle;

namespace gpumemprof {
namespace {

class NodeAllocator {
public:
  void reset() { Memory.Reset(); }
  template <typename T, typename... Args> T *makeNode(Args &&...As) {
    return new (Memory.Allocate(sizeof(T), alignof(T))) T(std::forward<Args>(As)...);
  }
  void *allocateNodeArray(size_t Count) {
    return Memory.Allocate(sizeof(demangle::Node *) * Count, alignof(demangle::Node *));
  }

private:
  BumpPtrAllocator Memory;
};

class Measure {
public:
  uint64_t length(const demangle::Node *N) {
    if (!N) return 0;
    auto [It, New] = Lengths.try_emplace(N, 0); // 0 while it is computed: a reference may lead back
    if (!New) return It->second;
    uint64_t Sum = 0;
    N->visit(Visitor{*this, Sum});
    return Lengths[N] = std::min(Sum, LongestName + 1);
  }

private:
  struct Visitor {
    Measure &M;
    uint64_t &Sum;
    template <typename NodeType> void operator()(const NodeType *N) {
      N->match([this](auto... Parts) { (this->add(Parts), ...); });
    }
    void operator()(const demangle::ForwardTemplateReference *N) { add(N->Ref); }
    template <typename Part> void add(Part P) {
      if constexpr (std::is_convertible_v<Part, const demangle::Node *>) Sum += M.length(P);
      else if constexpr (std::is_same_v<Part, demangle::NodeArray>)
        for (const demangle::Node *Element : P) add(Element);
      else if constexpr (std::is_same_v<Part, std::string_view>) Sum += P.size();
      // the rest are numbers and flags
    }
  };

  DenseMap<const demangle::Node *, uint64_t> Lengths;
};

/// Each reference to an earlier part at most doubles what there is.
bool mayBeTooLong(StringRef Mangled) {
  uint64_t Longest = Mangled.size();
  for (size_t I = 0; I + 1 < Mangled.size() && Longest <= LongestName; ++I)
    if (Mangled[I] == 'S' || Mangled[I] == 'T') Longest *= 2;
  return Longest > LongestName;
}

} // namespace

bool demanglesTooLong(StringRef Mangled) {
  if (!mayBeTooLong(Mangled)) return false;
  demangle::ManglingParser<NodeAllocator> Parser(Mangled.begin(), Mangled.end());
  return Measure().length(Parser.parse()) > LongestName;
}

} // namespace gpumemprof
