//===- NameKinds.cpp - what a function is, by its name --------------------===//
#include "names/NameKinds.h"

#include "names/Names.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace gpumemprof {

bool isLibraryName(StringRef Name) {
  static const StringSet<> Names = {
#define GPUMEMPROF_HARMLESS(name) #name,
#include "names/HarmlessNames.def"
  };
  return Names.contains(Name);
}

StringRef headerName(StringRef LinkageName) {
  StringRef Name = LinkageName;
  size_t Length; // _ZL22gpumemprof_scope_open_PK...
  if (!Name.consume_front("_ZL") || Name.consumeInteger(10, Length) || Length > Name.size() ||
      !Name.starts_with("gpumemprof_"))
    return LinkageName;
  return Name.take_front(Length);
}

bool isOurs(StringRef LinkageName) {
  StringRef Name = headerName(LinkageName);
  return Name.starts_with("__gpumemprof_") || Name.starts_with("gpumemprof_");
}

bool isKernelStub(StringRef LinkageName) {
  return LinkageName.contains("__device_stub_");
}

bool isVariantOf(StringRef Name, StringRef Other) {
  if (Name.size() != Other.size() || !Name.starts_with("_ZN")) return false;
  for (size_t I = 1; I < Name.size(); ++I) {
    if (Name[I] == Other[I]) continue;
    // The one letter that differs is the digit of C1 or D1.
    return (Name[I - 1] == 'C' || Name[I - 1] == 'D') && isDigit(Name[I]) && isDigit(Other[I]) &&
           Name.substr(I + 1) == Other.substr(I + 1) && !structorName(Name).empty() &&
           displayName(Name) == displayName(Other);
  }
  return false;
}

bool isConstructor(StringRef Name) {
  static const StringLiteral Kinds[] = {"C1E", "C2E", "C1I", "C2I"}; // I: a template
  if (none_of(Kinds, [&](StringRef K) { return Name.contains(K); })) return false;
  std::string Base = structorName(Name);
  return !Base.empty() && Base[0] != '~';
}

bool isDestructor(StringRef Name) {
  if (!Name.contains("D0E") && !Name.contains("D1E") && !Name.contains("D2E")) return false;
  std::string Base = structorName(Name);
  return !Base.empty() && Base[0] == '~';
}

bool isAdjustorThunk(StringRef Name) {
  return Name.starts_with("_ZTh") || Name.starts_with("_ZTv") || Name.starts_with("_ZTc");
}

} // namespace gpumemprof
