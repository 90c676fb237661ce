//===- MemoryFlow.cpp - addresses that are stored and loaded --------------===//
//
// Variables of the thread's own are followed by 8 bytes; shared memory is one set. What is
// stored anywhere else may be found by other kernels, and what is loaded from there may be
// any address.
//
//===----------------------------------------------------------------------===//
#include "device/AddressFlow.h"

#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace gpumemprof {
namespace {

constexpr unsigned MostOffsets = 64; // of places in an object; then its offset is not known
constexpr uint64_t MostBytes = 4096; // of an access that is followed by 8 bytes
constexpr int64_t Word = AddressFlow::WordBytes;

int64_t wordAt(int64_t Offset) {
  return Offset >= 0 ? Offset / Word * Word : -((-Offset + Word - 1) / Word * Word);
}

} // namespace

// ---- places

unsigned AddressFlow::objectOf(Activation &In, const Value &Variable) {
  const void *Where = &In;
  auto [Known, IsNew] = ObjectOf.try_emplace(Key(Where, &Variable), unsigned(Objects.size()));
  if (IsNew) Objects.emplace_back();
  return Known->second;
}

AddressSet AddressFlow::pointerTo(unsigned Object, std::optional<int64_t> Offset) {
  if (Offset && !PlaceOf.count({Object, Offset}) && Objects[Object].Offsets++ >= MostOffsets)
    Offset.reset();
  auto [Known, IsNew] = PlaceOf.try_emplace({Object, Offset}, unsigned(Places.size()));
  if (IsNew) Places.push_back({Object, Offset});
  AddressSet Pointer;
  Pointer.add(Layout.place(Known->second));
  return Pointer;
}

AddressSet AddressFlow::shifted(const AddressSet &Pointer, std::optional<int64_t> By) {
  AddressSet Moved;
  Pointer.forEach([&](unsigned Bit) {
    if (!Layout.isPlace(Bit)) {
      Moved.add(Bit);
      return;
    }
    Place At = Places[Bit - Layout.place(0)];
    if (At.Offset && By) *At.Offset += *By;
    else At.Offset.reset();
    Moved.unite(pointerTo(At.Object, At.Offset));
  });
  return Moved;
}

// ---- loads

void AddressFlow::addWords(const Object &Parameter, std::optional<int64_t> Offset, uint64_t Bytes,
                           AddressSet &To) {
  for (unsigned I = 0; I < Parameter.Words; ++I) {
    unsigned W = Parameter.FirstWord + I;
    int64_t At = int64_t(I) * Word;
    if (Offset && (At + Word <= *Offset || At >= *Offset + int64_t(Bytes))) continue;
    bool Whole = Bytes >= WordBytes && (!Offset || *Offset % Word == 0);
    To.add(Whole ? Layout.address(W) : Layout.offset(W));
    if (!Whole) To.add(From::Number);
  }
}

AddressSet AddressFlow::loadObject(const Object &Of, std::optional<int64_t> Offset,
                                   uint64_t Bytes) {
  AddressSet Content = Of.Anywhere;
  addWords(Of, Offset, Bytes, Content);
  for (const auto &[At, Stored] : Of.Content)
    if (!Offset || (At + Word > *Offset && At < *Offset + int64_t(Bytes))) Content.unite(Stored);
  return Content;
}

/// What bytes may hold, whatever they are loaded as.
AddressSet AddressFlow::loadRaw(const AddressSet &Pointer, unsigned Space, uint64_t Bytes) {
  AddressSet Content;
  if (Space == memory::Shared) return InShared;
  Pointer.forEach([&](unsigned Bit) {
    if (Layout.isOffset(Bit)) return;
    if (Layout.isPlace(Bit)) {
      Place At = Places[Bit - Layout.place(0)];
      Content.unite(loadObject(Objects[At.Object], At.Offset, Bytes));
      return;
    }
    if (Bit == unsigned(From::Null)) return;
    if (Bit == unsigned(From::Shared)) Content.unite(InShared);
    else if (Bit == unsigned(From::Table)) Content.unite(InTables);
    else {
      Content.add(From::Loaded);
      Content.add(From::LoadedNumber);
    }
  });
  return Content;
}

AddressSet AddressFlow::typed(const AddressSet &Content, Type &T) {
  Type *Scalar = T.getScalarType();
  bool IsPointer = Scalar->isPointerTy(), IsAggregate = T.isAggregateType();
  bool IsNumber = !IsPointer && !IsAggregate;
  bool Whole = Scalar->isIntegerTy() && Scalar->getIntegerBitWidth() >= 64;
  AddressSet Value;
  if (IsNumber && !Whole) Value.add(From::Number);
  Content.forEach([&](unsigned Bit) {
    if (IsNumber && Bit == unsigned(From::Loaded)) Bit = unsigned(From::LoadedNumber);
    if (IsPointer && Bit == unsigned(From::LoadedNumber)) Bit = unsigned(From::Loaded);
    Value.add(Bit);
  });
  if (Value.empty()) // nothing is known to be stored there
    Value.add(IsPointer ? From::Null : From::Number);
  return IsNumber && !Whole ? numberFrom(Layout, Value) : Value;
}

AddressSet AddressFlow::load(const AddressSet &Pointer, unsigned Space, Type &T) {
  return typed(loadRaw(Pointer, Space, Data.getTypeStoreSize(&T)), T);
}

AddressSet AddressFlow::contentOf(const AddressSet &Pointer, unsigned Space) {
  return loadRaw(shifted(Pointer, std::nullopt), Space, MostBytes);
}

// ---- stores

void AddressFlow::storeIn(unsigned Object, std::optional<int64_t> Offset, const AddressSet &Value,
                          uint64_t Bytes) {
  if (Value.empty()) return;
  if (!Offset || Bytes > MostBytes) {
    grow(Objects[Object].Anywhere, Value);
    return;
  }
  for (int64_t At = wordAt(*Offset); At < *Offset + int64_t(Bytes); At += Word)
    grow(Objects[Object].Content[At], Value);
}

void AddressFlow::store(const AddressSet &Pointer, unsigned Space, const AddressSet &Value,
                        uint64_t Bytes) {
  AddressSet Kept; // a number of less than 8 bytes is no address, whatever it is loaded as
  Value.forEach([&](unsigned Bit) {
    if (Bit != unsigned(From::Number) || Bytes >= WordBytes) Kept.add(Bit);
  });
  if (Space == memory::Shared) {
    grow(InShared, Kept);
    return;
  }
  Pointer.forEach([&](unsigned Bit) {
    if (Layout.isOffset(Bit)) return;
    if (Layout.isPlace(Bit)) {
      Place At = Places[Bit - Layout.place(0)];
      storeIn(At.Object, At.Offset, Kept, Bytes);
    } else if (Bit == unsigned(From::Shared)) grow(InShared, Kept);
    else if (Bit != unsigned(From::Null)) escape(Kept);
  });
}

void AddressFlow::copy(const AddressSet &To, unsigned ToSpace, const AddressSet &Source,
                       unsigned FromSpace, std::optional<uint64_t> Bytes, MaybeAlign Alignment) {
  uint64_t Length = Bytes.value_or(MostBytes + 1);
  if (Length > MostBytes) {
    AddressSet All = loadRaw(shifted(Source, std::nullopt), FromSpace, Length);
    addUnaligned(Alignment, All);
    store(shifted(To, std::nullopt), ToSpace, All, Length);
    return;
  }
  for (uint64_t At = 0; At < Length; At += WordBytes) {
    uint64_t Part = std::min(WordBytes, Length - At);
    AddressSet Content = loadRaw(At ? shifted(Source, int64_t(At)) : Source, FromSpace, Part);
    addUnaligned(Alignment, Content);
    store(At ? shifted(To, int64_t(At)) : To, ToSpace, Content, Part);
  }
}

// ---- what leaves the kernel

void AddressFlow::escape(const AddressSet &Value) {
  grow(Escaped, Value);
}

/// Code that has the address of a variable may read and write what is in it.
void AddressFlow::escapeObjects() {
  AddressSet All = Escaped;
  All.forEach([&](unsigned Bit) {
    if (Bit == unsigned(From::Shared)) {
      escape(InShared);
      grow(InShared, From::Loaded);
    }
    if (!Layout.isPlace(Bit)) return;
    Object &Known = Objects[Places[Bit - Layout.place(0)].Object];
    escape(loadObject(Known, std::nullopt, WordBytes));
    grow(Known.Anywhere, From::Loaded);
  });
}

} // namespace gpumemprof
