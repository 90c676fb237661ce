//===- AddressSet.cpp -----------------------------------------------------===//
#include "device/AddressSet.h"

namespace gpumemprof {
namespace {

/// A set parted by what its members are in a sum.
struct Parts {
  AddressSet Pointers; // surely addresses
  AddressSet Numbers;  // that may be addresses
  AddressSet Offsets;  // what an offset was computed from
  bool Plain, Null;

  /// Whether it may be something that can be added to an address.
  bool canBeOffset() const { return Plain || Null || !Numbers.empty(); }
};

Parts partsOf(const AddressLayout &Layout, const AddressSet &X) {
  Parts P = {{}, {}, {}, X.has(From::Number), X.has(From::Null)};
  X.forEach([&](unsigned Bit) {
    if (Bit == unsigned(From::Number) || Bit == unsigned(From::Null)) return;
    if (Layout.isOffset(Bit) || Bit == unsigned(From::Mixed)) P.Offsets.add(Bit);
    else if (Bit == unsigned(From::LoadedNumber) ||
             (Layout.isAddress(Bit) && !Layout.IsPointer[Bit - Layout.address(0)]))
      P.Numbers.add(Bit);
    else P.Pointers.add(Bit);
  });
  return P;
}

/// Whether there is more than the address of the driver's memory, which is put together from
/// halves.
bool isOther(const AddressSet &Pointers) {
  bool Other = false;
  Pointers.forEach([&](unsigned Bit) { Other |= Bit != unsigned(From::Driver); });
  return Other;
}

} // namespace

AddressSet sumOf(const AddressLayout &Layout, const AddressSet &X, const AddressSet &Y) {
  Parts A = partsOf(Layout, X), B = partsOf(Layout, Y);
  AddressSet Sum = A.Offsets;
  Sum.unite(B.Offsets);
  bool Both = !A.Pointers.empty() && !B.Pointers.empty();
  if (Both && (isOther(A.Pointers) || isOther(B.Pointers))) Sum.add(From::Mixed);
  if (Both || B.canBeOffset()) Sum.unite(A.Pointers);
  if (Both || A.canBeOffset()) Sum.unite(B.Pointers);
  if (B.canBeOffset()) Sum.unite(A.Numbers);
  if (A.canBeOffset()) Sum.unite(B.Numbers);
  if (A.Plain && (B.Plain || B.Null)) Sum.add(B.Plain ? From::Number : From::Null);
  if (A.Null && (B.Plain || B.Null)) Sum.add(From::Null);
  return Sum;
}

AddressSet numberFrom(const AddressLayout &Layout, const AddressSet &X) {
  AddressSet Number;
  if (!X.empty()) Number.add(From::Number);
  X.forEach([&](unsigned Bit) {
    if (Layout.isAddress(Bit)) Number.add(Layout.offset(Bit - Layout.address(0)));
    else if (Layout.isOffset(Bit)) Number.add(Bit);
    else if (Layout.isPlace(Bit)) return;
    else switch (From(Bit)) {
      case From::Driver: // computed from two halves
        Number.add(Bit);
        break;
      case From::Loaded:
      case From::Result:
      case From::Mixed:
      case From::Static:
      case From::Heap:
        Number.add(From::Mixed);
        break;
      default:
        break;
      }
  });
  return Number;
}

AddressSet differenceOf(const AddressLayout &Layout, const AddressSet &X, const AddressSet &Y) {
  return sumOf(Layout, X, numberFrom(Layout, Y));
}

} // namespace gpumemprof
