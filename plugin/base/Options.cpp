//===- Options.cpp - parse KEY=VALUE, name the nearest key on a typo ------===//
//
// One table has the keys with their values. Messages are made from it, so that they
// list exactly what the parser accepts.
//
//===----------------------------------------------------------------------===//
#include "base/Options.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace gpumemprof {
namespace {

struct Key {
  StringLiteral Name;
  ArrayRef<StringLiteral> Values; // empty: free text
};

constexpr StringLiteral Modes[] = {"all", "annotated", "every"};
constexpr StringLiteral OnOff[] = {"on", "off"};
constexpr StringLiteral Unaccounted[] = {"off", "calls"};
constexpr StringLiteral Runtimes[] = {"strong", "weak"};
constexpr StringLiteral MarksOfUses[] = {"pages", "off"};
const Key Keys[] = {{"mode", Modes},      {"filter", {}},        {"source-text", OnOff},
                    {"operands", OnOff},  {"runtime", Runtimes}, {"unaccounted", Unaccounted},
                    {"uses", MarksOfUses}};

template <typename Range> StringRef nearest(StringRef Word, Range Candidates) {
  StringRef Best;
  unsigned BestDistance = ~0u;
  for (StringRef Candidate : Candidates) {
    unsigned Distance = Word.edit_distance(Candidate);
    if (Distance < BestDistance) {
      BestDistance = Distance;
      Best = Candidate;
    }
  }
  return Best;
}

} // namespace

std::string Options::parse(StringRef Argument) {
  auto [Name, Value] = Argument.split('=');
  auto Names = map_range(ArrayRef(Keys), [](const Key &K) -> StringRef { return K.Name; });
  const Key *Found = nullptr;
  for (const Key &K : Keys)
    if (K.Name == Name) Found = &K;
  if (!Found)
    return (Twine("unknown gpumemprof option '") + Name + "'; did you mean '" +
            nearest(Name, Names) + "'?")
        .str();
  if (!Argument.contains('=') || Value.empty())
    return (Twine("gpumemprof option '") + Name + "' needs a value: -fplugin-arg-gpumemprof-" +
            Name + "=" + (Found->Values.empty() ? StringRef("FILE") : StringRef(Found->Values[0])))
        .str();
  if (!Found->Values.empty() && !is_contained(Found->Values, Value)) {
    std::string List;
    for (StringRef Known : Found->Values) List += (List.empty() ? "" : ", ") + Known.str();
    return (Twine("gpumemprof option '") + Name + "' cannot be '" + Value + "'; it is one of " +
            List)
        .str();
  }
  if (Name == "mode")
    WhichFunctions = Value == "all"         ? Mode::All
                     : Value == "annotated" ? Mode::Annotated
                                            : Mode::Every;
  else if (Name == "filter") FilterFile = Value.str();
  else if (Name == "source-text") SourceText = Value == "on";
  else if (Name == "operands") Operands = Value == "on";
  else if (Name == "runtime") WeakRuntime = Value == "weak";
  else if (Name == "uses") {
    Pages = Value == "pages";
    KernelFacts = Value != "off";
  } else SamplesLibraries = Value == "calls";
  return "";
}

} // namespace gpumemprof
