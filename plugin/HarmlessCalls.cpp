//===- HarmlessCalls.cpp - C library, C++ runtime, the rest of CUDA -------===//
#include "HarmlessCalls.h"

#include "Compat.h"
#include "CudaNames.h"
#include "Filter.h"
#include "LibraryCalls.h"
#include "Names.h"
#include "SourceFacts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace gpumemprof {
namespace {

const StringLiteral Prefixes[] = {
#define GPUMEMPROF_HARMLESS_PREFIX(name) #name,
#include "HarmlessNames.def"
};
const StringLiteral HandOutCode[] = {
#define GPUMEMPROF_HANDS_OUT_CODE(name) #name,
#include "PointerNames.def"
};
const StringLiteral LibraryVariables[] = {
#define GPUMEMPROF_LIBRARY_VARIABLE(name) #name,
#include "PointerNames.def"
};
const struct {
  StringLiteral Name;
  int Argument;
} CallBacks[] = {
#define GPUMEMPROF_CALLS_BACK(name, argument) {#name, argument},
#include "HarmlessNames.def"
};

/// libstdc++ headers whose virtual calls go to locale facets and stream buffers, and whose calls
/// through pointers to strtod() and its like.
const StringLiteral FacetHeaders[] = {"locale_facets.h",
                                      "locale_facets.tcc",
                                      "locale_facets_nonio.h",
                                      "locale_facets_nonio.tcc",
                                      "locale_classes.h",
                                      "basic_ios.h",
                                      "ostream",
                                      "ostream.tcc",
                                      "istream",
                                      "istream.tcc",
                                      "streambuf",
                                      "streambuf.tcc",
                                      "streambuf_iterator.h",
                                      "sstream",
                                      "sstream.tcc",
                                      "fstream",
                                      "fstream.tcc",
                                      "codecvt.h",
                                      "string_conversions.h"};

bool hasListedPrefix(StringRef Name) {
  return any_of(Prefixes, [&](StringRef P) { return Name.starts_with(P); });
}

/// Out-of-line functions of libstdc++ and libc++abi. A template over a type of the user may call
/// his code: only those over characters pass.
bool isHarmlessStd(StringRef Name) {
  if (!Name.consume_front("_Z")) return false;
  Name.consume_front("N");
  Name.consume_front("K");
  // The streams and strings of characters have abbreviations of their own.
  if (Name.starts_with("So") || Name.starts_with("Si") || Name.starts_with("Sd") ||
      Name.starts_with("Ss"))
    return true;
  if (!Name.starts_with("St") && !Name.starts_with("Sa") && !Name.starts_with("9__gnu_cxx"))
    return false;
  if (Name.contains("call_once") || Name.contains("once_proxy") || Name.contains("async") ||
      Name.contains("8function") || Name.contains("3pmr"))
    return false;
  return !Name.contains('I') || Name.contains("char_traits") || Name.contains("IcE") ||
         Name.contains("IwE") || Name.contains("ios_base");
}

} // namespace

HarmlessCalls::HarmlessCalls(const Module &M, SourceFacts &Facts, const Filter &UserFilter)
    : LibraryImpl(compat::targetTriple(M)), Library(LibraryImpl), Facts(Facts),
      UserFilter(UserFilter) {}

bool HarmlessCalls::isListed(StringRef Name) {
  return (isLibraryName(Name) && !Facts.isUserFunction(Name)) || hasListedPrefix(Name);
}

bool HarmlessCalls::isHarmless(const Function &F) {
  auto [It, New] = Known.try_emplace(&F, false);
  if (New) It->second = decide(F);
  return Known.lookup(&F);
}

bool HarmlessCalls::decide(const Function &F) {
  StringRef Name = F.getName();
  if (isSampledCall(Name, UserFilter)) return false;
  if (isOurs(Name) || F.onlyReadsMemory() || F.doesNotReturn() ||
      F.hasFnAttribute(Attribute::NoCallback) || isPromised(F))
    return true;
  if (looksLikeCudaApi(Name)) return !Facts.isUserFunction(Name);
  if (Name.starts_with("_Z") && isHarmlessStd(Name)) return true;
  if (callbackArgument(F) >= 0) return false;
  LibFunc Which;
  return isListed(Name) || Library.getLibFunc(F, Which);
}

bool HarmlessCalls::isOfLibrary(const Function &F) {
  StringRef Name = F.getName();
  if (any_of(HandOutCode, [&](StringRef P) { return Name.starts_with(P); })) return false;
  if (isCudaEntry(Name) || looksLikeCudaApi(Name)) return !Facts.isUserFunction(Name);
  LibFunc Which;
  return callbackArgument(F) >= 0 || isListed(Name) || Library.getLibFunc(F, Which);
}

bool HarmlessCalls::isLibraryVariable(StringRef Name) {
  return is_contained(LibraryVariables, Name);
}

bool HarmlessCalls::isPromised(const Function &F) const {
  return !F.hasLocalLinkage() && !UserFilter.empty() &&
         UserFilter.isHarmless(F.getName(), displayName(F));
}

int HarmlessCalls::callbackArgument(const Function &F) {
  for (const auto &Entry : CallBacks)
    if (Entry.Name == F.getName()) return Entry.Argument;
  return -1;
}

bool HarmlessCalls::callsOnlyFacets(const Function &F) {
  auto [It, New] = Facets.try_emplace(&F, false);
  if (!New) return It->second;
  const DISubprogram *SP = F.getSubprogram();
  if (!SP) return false;
  std::string Path = absolutePath(SP->getDirectory(), SP->getFilename());
  if (!StringRef(Path).contains("/c++/") || !Facts.isSystemFile(Path)) return false;
  bool Facet = is_contained(FacetHeaders, sys::path::filename(Path));
  return Facets[&F] = Facet;
}

} // namespace gpumemprof
