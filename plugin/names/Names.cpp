//===- Names.cpp - demangle without parameters ----------------------------===//
//
// LLVM's partial demangler does the work. Clang mangles the lambdas of ordinary
// functions as "$_0"; here they get the form that other lambdas have.
//
//===----------------------------------------------------------------------===//
#include "names/Names.h"

#include "base/Compat.h"
#include "names/NameLength.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include <cstdlib>

using namespace llvm;

namespace gpumemprof {
namespace {

/// Copies and frees the malloc'ed result of a function of the demangler.
std::string take(char *Text) {
  std::string Result = Text ? Text : "";
  std::free(Text);
  return Result;
}

/// "main::$_1::operator()" -> "main::'lambda0'(int)::operator()". The parameters are known for the
/// innermost lambda only.
std::string renameLambdas(std::string Name, const std::string &Parameters) {
  size_t From = 0;
  while ((From = Name.find("$_", From)) != std::string::npos) {
    size_t End = From + 2;
    unsigned Number = 0;
    while (End < Name.size() && isDigit(Name[End]))
      Number = Number * 10 + unsigned(Name[End++] - '0');
    StringRef Rest = StringRef(Name).substr(End);
    if (!Rest.starts_with("::operator()")) {
      From = End;
      continue;
    }
    std::string New = "'lambda" + (Number ? std::to_string(Number - 1) : "") + "'";
    if (Rest == "::operator()") New += Parameters;
    Name.replace(From, End - From, New);
    From += New.size();
  }
  return Name;
}

/// Removes the module, which C++20 puts behind each name: "in_unit@unit".
std::string withoutModules(std::string Name) {
  for (size_t At; (At = Name.find('@')) != std::string::npos;) {
    size_t End = At + 1;
    while (End < Name.size() && (isAlnum(Name[End]) || Name[End] == '_' || Name[End] == '.' ||
                                 (Name[End] == ':' && Name.substr(End, 2) != "::")))
      ++End;
    Name.erase(At, End - At);
  }
  return Name;
}

/// "deep<...>#1f0e3a9b7d224455": the number distinguishes functions whose arguments differ.
std::string shortened(StringRef Mangled, ItaniumPartialDemangler &Demangler) {
  std::string Name = "operator"; // for a conversion, whose name has the type in it
  if (!Demangler.isFunction()) Name = Mangled.take_front(64).str();
  else if (!Mangled.contains("cv")) Name = take(Demangler.getFunctionBaseName(nullptr, nullptr));
  return Name + "<...>#" + utohexstr(compat::hashOf(Mangled), /*LowerCase=*/true, /*Width=*/16);
}

StringRef plainLinkageName(StringRef Name) {
  Name.consume_front("\01");
  return Name;
}

/// Skips a <call-offset>, as "h16_" or "vn16_n24_".
bool skipCallOffset(StringRef &Name) {
  unsigned Numbers = Name.consume_front("h") ? 1 : Name.consume_front("v") ? 2 : 0;
  bool Fine = Numbers > 0;
  for (; Fine && Numbers; --Numbers) {
    Name.consume_front("n");
    Name = Name.drop_while([](char C) { return isDigit(C); });
    Fine = Name.consume_front("_");
  }
  return Fine;
}

/// The function that a thunk calls: "_ZThn8_N1A1fEv" -> "_ZN1A1fEv". Any other name is returned
/// unchanged.
std::string withoutThunk(StringRef Name) {
  StringRef Rest = Name;
  if (!Rest.consume_front("_ZT")) return Name.str();
  bool Covariant = Rest.consume_front("c");
  if (!skipCallOffset(Rest) || (Covariant && !skipCallOffset(Rest))) return Name.str();
  return "_Z" + Rest.str();
}

} // namespace

std::string withoutVersions(std::string Name) {
  for (StringRef Library : {"thrust::", "cub::"})
    for (size_t At = 0; (At = Name.find(Library, At)) != std::string::npos;) {
      At += Library.size();
      StringRef Version = StringRef(Name).substr(At).take_while(
          [](char C) { return compat::isUpper(C) || isDigit(C) || C == '_'; });
      bool Ends = StringRef(Name).substr(At + Version.size()).starts_with("::");
      if (Ends && (Version.ends_with("_NS") || Version.contains("_SM_")))
        Name.erase(At, Version.size() + 2);
    }
  return Name;
}

std::string displayName(StringRef LinkageName) {
  LinkageName = plainLinkageName(LinkageName);
  // Clones end in ".resume", ".cold" and so on; the name shown is that of the function they come
  // from.
  StringRef Base = LinkageName.starts_with("_Z")
                       ? LinkageName.take_until([](char C) { return C == '.'; })
                       : LinkageName;
  std::string Mangled = withoutThunk(Base); // the demangler's result points into it
  ItaniumPartialDemangler Demangler;
  Base = Mangled;
  if (!Base.starts_with("_Z") || Demangler.partialDemangle(Mangled.c_str())) return Mangled;
  if (demanglesTooLong(Base)) return shortened(Base, Demangler);
  if (!Demangler.isFunction()) return take(Demangler.finishDemangle(nullptr, nullptr));
  std::string Name =
      withoutVersions(withoutModules(take(Demangler.getFunctionName(nullptr, nullptr))));
  if (Name.find("$_") == std::string::npos) return Name;
  return renameLambdas(Name, take(Demangler.getFunctionParameters(nullptr, nullptr)));
}

/// The function in which the source has an OpenMP task. The names ".omp_outlined." and
/// ".omp_task_entry." do not have it in them, but that function, or one of them, takes their
/// address.
static const Function *userOf(const Function &F) {
  for (const User *U : F.users())
    if (auto *I = dyn_cast<Instruction>(U); I && I->getFunction() != &F) return I->getFunction();
  return nullptr;
}

std::string displayName(const Function &F) {
  StringRef Linkage = plainLinkageName(F.getName());
  if (Linkage.starts_with(".omp_"))
    if (const Function *User = userOf(F)) return displayName(*User);
  // A parallel region, as "main.omp_outlined_debug__.2", is part of the function that has it.
  if (size_t At = Linkage.find(".omp_outlined"); At && At != StringRef::npos)
    return displayName(Linkage.take_front(At));
  if (Linkage.starts_with("_Z")) return displayName(Linkage);
  // LLVM numbers these: __cxx_global_var_init.3
  if (Linkage.starts_with("__cxx_global_"))
    return Linkage.take_until([](char C) { return C == '.'; }).str();
  if (const DISubprogram *SP = F.getSubprogram(); SP && !SP->getName().empty())
    return SP->getName().str();
  return Linkage.str();
}

std::string structorName(StringRef Name) {
  if (!Name.starts_with("_ZN")) return "";
  std::string Mangled = Name.str(); // the demangler's result points into it
  ItaniumPartialDemangler Demangler;
  if (Demangler.partialDemangle(Mangled.c_str()) || !Demangler.isCtorOrDtor()) return "";
  return take(Demangler.getFunctionBaseName(nullptr, nullptr));
}

std::string classOf(StringRef LinkageName) {
  ItaniumPartialDemangler Demangler;
  std::string Mangled = LinkageName.str(); // the demangler refers to it
  if (Demangler.partialDemangle(Mangled.c_str())) return "";
  return take(Demangler.getFunctionDeclContextName(nullptr, nullptr));
}

std::string parametersOf(StringRef LinkageName) {
  ItaniumPartialDemangler Demangler;
  std::string Mangled = LinkageName.str();
  if (Demangler.partialDemangle(Mangled.c_str())) return "";
  return take(Demangler.getFunctionParameters(nullptr, nullptr));
}

} // namespace gpumemprof
