//===- AddressSet.h - what an address in a kernel may come from -----------===//
//
// A set with one bit for each of these:
//
//   the origins below
//   of each word of 8 bytes of the kernel's parameters
//     the address that the host passed there, perhaps with an offset: p, p + 4 * i
//     a number that was computed from it:                             b - p, p ^ key
//   places: the thread's own variables and the parameters themselves, at an offset
//
// The sets of a kernel only grow while AddressFlow.h follows it. The tool does the same with
// PTX (tools/facts/ptx_origins.h), which has no types; here they tell an address from an index.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_ADDRESSSET_H
#define GPUMEMPROF_PLUGIN_ADDRESSSET_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/bit.h"

#include <cstdint>

namespace gpumemprof {

enum class From : unsigned {
  Number,       // none: it is a number
  Null,         // the null pointer, or a number that is added to it
  Loaded,       // an address loaded from memory that anybody may have written
  LoadedNumber, // a number loaded from there, which may be one
  Result,       // returned by a function whose body is not known
  Mixed,        // an offset that was computed from an address that is none of a word
  Static,       // a variable in device memory
  Shared,
  Constant, // constant memory that the host writes, code
  Table,    // a constant that the compiler knows
  Heap,     // of malloc on the device
  Driver,   // memory of the driver's own, for barriers of a grid
  Origins
};

class AddressSet {
public:
  AddressSet() = default;
  AddressSet(From Origin) { add(unsigned(Origin)); }

  bool has(unsigned Bit) const { return Bit / 64 < Bits.size() && Bits[Bit / 64] >> Bit % 64 & 1; }
  bool has(From Origin) const { return has(unsigned(Origin)); }
  bool empty() const { return Bits.empty(); } // no bit is ever taken away

  /// True: it was not there.
  bool add(unsigned Bit) {
    if (has(Bit)) return false;
    if (Bit / 64 >= Bits.size()) Bits.resize(Bit / 64 + 1);
    Bits[Bit / 64] |= uint64_t(1) << Bit % 64;
    return true;
  }
  bool add(From Origin) { return add(unsigned(Origin)); }

  /// True: something was new.
  bool unite(const AddressSet &Other) {
    bool Grew = false;
    if (Other.Bits.size() > Bits.size()) Bits.resize(Other.Bits.size());
    for (size_t I = 0; I < Other.Bits.size(); ++I) {
      Grew |= Other.Bits[I] & ~Bits[I];
      Bits[I] |= Other.Bits[I];
    }
    return Grew;
  }

  template <typename Callable> void forEach(Callable Visit) const {
    for (unsigned I = 0; I < Bits.size(); ++I)
      for (uint64_t Rest = Bits[I]; Rest; Rest &= Rest - 1)
        Visit(I * 64 + unsigned(llvm::countr_zero(Rest)));
  }

private:
  llvm::SmallVector<uint64_t, 2> Bits;
};

/// Which bit is what in the sets of one kernel.
struct AddressLayout {
  llvm::SmallVector<bool, 16> IsPointer; // of each word, by its type

  unsigned words() const { return unsigned(IsPointer.size()); }
  unsigned address(unsigned Word) const { return unsigned(From::Origins) + Word; }
  unsigned offset(unsigned Word) const { return address(words()) + Word; }
  unsigned place(unsigned Place) const { return offset(words()) + Place; }

  bool isAddress(unsigned Bit) const { return Bit >= address(0) && Bit < offset(0); }
  bool isOffset(unsigned Bit) const { return Bit >= offset(0) && Bit < place(0); }
  bool isPlace(unsigned Bit) const { return Bit >= place(0); }
};

/// What X + Y may be. The sum of an address and a number that may be one is based on the address.
AddressSet sumOf(const AddressLayout &Layout, const AddressSet &X, const AddressSet &Y);
/// X - Y: based on X, with an offset.
AddressSet differenceOf(const AddressLayout &Layout, const AddressSet &X, const AddressSet &Y);
/// What is left after arithmetic that makes no address of an address.
AddressSet numberFrom(const AddressLayout &Layout, const AddressSet &X);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_ADDRESSSET_H
