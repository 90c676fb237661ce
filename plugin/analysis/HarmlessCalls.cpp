//===- HarmlessCalls.cpp - the lists of names, and libstdc++'s streams ----===//
//
// The names themselves are in the room names/. Here they are combined with what the
// filter and the front end say: a function that the program declares itself is not
// the library's, whatever its name is.
//
//===----------------------------------------------------------------------===//
#include "analysis/HarmlessCalls.h"

#include "base/Compat.h"
#include "base/Filter.h"
#include "facts/SourceFacts.h"
#include "names/CudaNames.h"
#include "names/LibraryCalls.h"
#include "names/NameKinds.h"
#include "names/Names.h"
#include "names/StandardLibrary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace gpumemprof {
namespace {

const StringLiteral ReturnPointers[] = {
#define GPUMEMPROF_RETURNS_POINTERS(name) #name,
#include "names/PointerNames.def"
};
const StringLiteral LibraryVariables[] = {
#define GPUMEMPROF_LIBRARY_VARIABLE(name) #name,
#include "names/PointerNames.def"
};
const struct {
  StringLiteral Name;
  int Argument;
} CallBacks[] = {
#define GPUMEMPROF_CALLS_BACK(name, argument) {#name, argument},
#include "names/HarmlessNames.def"
};

const StringLiteral RunCode[] = {
#define GPUMEMPROF_RUNS_CODE(name) #name,
#include "names/HarmlessNames.def"
};

/// Headers of libstdc++ whose virtual calls go to locale facets and stream buffers, and whose calls
/// through pointers go to strtod() and similar ones.
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

bool isOfExceptions(StringRef Name) {
  return Name == "__cxa_end_catch" || Name.contains("exception_ptr");
}

/// The call runs a manipulator, as `os << note` does: its pointer is an argument and not an entry
/// of a table of virtual functions.
bool callsManipulator(const CallBase &Call) {
  const DISubprogram *SP = Call.getFunction()->getSubprogram();
  StringRef Header = SP ? sys::path::filename(SP->getFilename()) : "";
  if (Header != "ostream" && Header != "istream") return false;
  const Value *Called = Call.getCalledOperand()->stripPointerCasts();
  auto *Load = dyn_cast<LoadInst>(Called);
  return isa<Argument>(Called) || (Load && isa<AllocaInst>(Load->getPointerOperand()));
}

} // namespace

HarmlessCalls::HarmlessCalls(const Module &M, SourceFacts &Facts, const Filter &UserFilter)
    : LibraryImpl(compat::targetTriple(M)), Library(LibraryImpl), Facts(Facts),
      UserFilter(UserFilter) {
  if (UserFilter.isListedAsAllocating(StreamsWord, StreamsWord)) Distrusted |= Streams;
  if (UserFilter.isListedAsAllocating(ExceptionsWord, ExceptionsWord)) Distrusted |= Exceptions;
  for (StringRef Name : {"_Znwm", "_Znam", "_ZdlPv", "_ZdlPvm", "_ZdaPv", "_ZdaPvm"})
    if (UserFilter.isListedAsAllocating(Name, displayName(Name))) Distrusted |= Operators;
}

void HarmlessCalls::distrust(Indirectly Way) {
  Distrusted |= Way;
  Known.clear();
  Facets.clear();
  Assumed.clear();
}

/// \p F is of the C library, the compiler's runtime, OpenMP or NVTX, and the program declares no
/// function of that name itself.
bool HarmlessCalls::isListed(const Function &F) {
  StringRef Name = F.getName();
  LibFunc Which;
  return (isLibraryName(Name) || Library.getLibFunc(F, Which)) && !Facts.isUserFunction(Name);
}

bool HarmlessCalls::isHarmless(const Function &F) {
  auto [It, New] = Known.try_emplace(&F, false);
  if (!New) return It->second;
  bool Harmless = isOurs(F.getName()) || decide(F);
  if (Harmless && !isOurs(F.getName())) assume(F.getName());
  return Known[&F] = Harmless;
}

bool HarmlessCalls::decide(const Function &F) {
  StringRef Name = F.getName();
  if (isSampledCall(Name, UserFilter) || isListedAsAllocating(F)) return false;
  if (isPromised(F)) return true;
  if (isOperatorNewOrDelete(Name) && distrusts(Operators)) return false;
  if (isCudaFunction(Name)) return !Facts.isUserFunction(Name);
  if (callbackArgument(F) >= 0) return false;
  if (is_contained(RunCode, Name)) return !(distrusts(Exceptions) && isOfExceptions(Name));
  StandardFunction Kind = standardFunction(Name);
  if (Kind == StandardFunction::Plain) return !distrusts(Operators);
  if (Kind == StandardFunction::Stream) return !distrusts(Streams) && !distrusts(Operators);
  // A function that does not return is an error handler. fork() runs handlers of pthread_atfork().
  return (isListed(F) && Name != "fork") || F.doesNotReturn();
}

bool HarmlessCalls::isOfTheLists(StringRef Name) {
  LibFunc Which;
  return isLibraryName(Name) || isCudaFunction(Name) || is_contained(RunCode, Name) ||
         LibraryImpl.getLibFunc(Name, Which) || standardFunction(Name) != StandardFunction::None;
}

bool HarmlessCalls::mayRunProgramCode(const Function &F) {
  StringRef Name = F.getName();
  return is_contained(RunCode, Name) || isErrorHandlerElsewhere(F);
}

bool HarmlessCalls::isErrorHandlerElsewhere(const Function &F) {
  StringRef Name = F.getName();
  return F.doesNotReturn() && F.isDeclarationForLinker() && !isListed(F) && !isCudaFunction(Name) &&
         standardFunction(Name) == StandardFunction::None && !F.isIntrinsic() && !isOurs(Name);
}

bool HarmlessCalls::isOfLibrary(const Function &F) {
  StringRef Name = F.getName();
  // These are prefixes, because some functions have a version behind their name. A prefix that
  // matches too much only keeps frames.
  if (any_of(ReturnPointers, [&](StringRef P) { return Name.starts_with(P); })) return false;
  bool OfLibrary = isCudaEntry(Name) || isCudaFunction(Name)
                       ? !Facts.isUserFunction(Name)
                       : callbackArgument(F) >= 0 || isListed(F);
  if (OfLibrary) assume(Name);
  return OfLibrary;
}

bool HarmlessCalls::isLibraryVariable(StringRef Name) {
  return is_contained(LibraryVariables, Name);
}

bool HarmlessCalls::isPromised(const Function &F) const {
  return !F.hasLocalLinkage() && !UserFilter.empty() &&
         UserFilter.isHarmless(F.getName(), displayName(F));
}

bool HarmlessCalls::isListedAsAllocating(const Function &F) const {
  return !UserFilter.empty() && UserFilter.isListedAsAllocating(F.getName(), displayName(F));
}

int HarmlessCalls::callbackArgument(const Function &F) {
  StringRef Name = F.getName();
  for (const auto &Entry : CallBacks)
    if (Entry.Name == Name) return Entry.Argument;
  return -1;
}

bool HarmlessCalls::callsOnlyFacets(const CallBase &Call) {
  return isOfFacets(*Call.getFunction()) && !callsManipulator(Call);
}

bool HarmlessCalls::isOfFacets(const Function &F) {
  if (distrusts(Streams)) return false;
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
