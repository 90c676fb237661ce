//===- StandardLibrary.cpp - reads a demangled name token by token --------===//
#include "names/StandardLibrary.h"

#include "base/Compat.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Demangle/Demangle.h"
#include <cstdlib>

using namespace llvm;

namespace gpumemprof {
namespace {

const StringMap<StandardFunction> &entities() {
  static const StringMap<StandardFunction> Map = {
#define GPUMEMPROF_STD(name) {#name, StandardFunction::Plain},
#define GPUMEMPROF_STD_STREAM(name) {#name, StandardFunction::Stream},
#include "names/StandardNames.def"
  };
  return Map;
}

bool isBuiltIn(StringRef Word) {
  static const StringSet<> Words = {
      "bool",     "char",         "char8_t",    "char16_t", "char32_t",
      "wchar_t",  "short",        "int",        "long",     "unsigned",
      "signed",   "float",        "double",     "void",     "const",
      "volatile", "restrict",     "true",       "false",    "__int128",
      "noexcept", "_Float128",    "__float128", "_IO_FILE", "__locale_struct",
      "tm",       "__va_list_tag"};
  return Words.contains(Word);
}

/// The word is an inline namespace, which a source leaves out.
bool isInlineNamespace(StringRef Word) {
  return Word == "__1" || Word == "__cxx11" || Word == "_V2" || Word == "__ndk1";
}

/// Reads one demangled name. The result is None if any part of it is unknown: a lambda, an unnamed
/// namespace, a pointer to a function among the parameters (which could be called).
class NameReader {
public:
  explicit NameReader(StringRef Text) : Rest(Text) {}

  StandardFunction read() {
    while (!Rest.empty()) {
      char C = Rest.front();
      if (isAlpha(C) || C == '_' || C == '~') {
        if (!readQualified()) return StandardFunction::None;
      } else if (isDigit(C)) { // a number among the template arguments
        Rest = Rest.drop_while([](char D) { return isAlnum(D); });
      } else if (C == '(') {
        if (Depth > 0 || Parameters) return StandardFunction::None; // a function's type
        Parameters = true;
        Rest = Rest.drop_front();
      } else if (C == '<' || C == '>') {
        Depth += C == '<' ? 1 : -1;
        Rest = Rest.drop_front();
      } else if (StringRef(" ,&*)[].").contains(C)) {
        Rest = Rest.drop_front();
      } else {
        return StandardFunction::None;
      }
    }
    return Found;
  }

private:
  /// Reads what follows the word "operator", as in "operator<<".
  std::string readOperator() {
    for (StringRef Symbol :
         {"<<=", ">>=", "<=>", "->*", "<<", ">>", "<=", ">=", "->", "<", ">", "()",
          "[]",  "==",  "!=",  "+=",  "+",  "=",  "!",  "*",  "&",  "-", "/"})
      if (Rest.consume_front(Symbol)) return ("operator" + Symbol).str();
    return "operator";
  }

  bool readQualified() {
    std::string Chain;
    StandardFunction Kind = StandardFunction::None;
    bool Single = true;
    while (true) {
      StringRef Word = Rest.take_while([](char C) { return isAlnum(C) || C == '_' || C == '~'; });
      if (Word.empty()) return false;
      Rest = Rest.drop_front(Word.size());
      std::string Name = Word == "operator" ? readOperator() : Word.str();
      if (Chain.empty() || !isInlineNamespace(Word)) Chain += (Chain.empty() ? "" : "::") + Name;
      if (auto It = entities().find(Chain);
          It != entities().end() && Kind == StandardFunction::None)
        Kind = It->second;
      while (Rest.consume_front("[abi:")) Rest = Rest.substr(Rest.find(']')).drop_front();
      if (Rest.starts_with("<") && !readArguments()) return false;
      if (!Rest.consume_front("::")) break;
      Single = false;
    }
    if (Kind == StandardFunction::None) return Single && isBuiltIn(Chain);
    if (Found != StandardFunction::Stream) Found = Kind;
    return true;
  }

  /// Reads template arguments in the middle of a name: "<char, std::char_traits<char>>".
  bool readArguments() {
    size_t End = 0;
    int Open = 0;
    do {
      if (End == Rest.size()) return false;
      if (Rest[End] == '<') ++Open;
      if (Rest[End] == '>') --Open;
      ++End;
    } while (Open);
    StringRef Inside = Rest.slice(1, End - 1);
    Rest = Rest.drop_front(End);
    if (Inside.contains('(')) return false;
    NameReader Reader(Inside);
    StandardFunction Kind = Reader.read();
    if (!Reader.Rest.empty()) return false;
    if (Kind == StandardFunction::Stream) Found = Kind;
    return true;
  }

  StringRef Rest;
  int Depth = 0;
  bool Parameters = false;
  StandardFunction Found = StandardFunction::None;
};

StandardFunction readMangled(const std::string &Mangled) {
  char *Text = compat::demangled(Mangled);
  if (!Text) return StandardFunction::None;
  StringRef Name = Text;
  Name.consume_front("typeinfo for ");
  StandardFunction Kind = NameReader(Name).read();
  std::free(Text);
  return Kind;
}

} // namespace

StandardFunction standardFunction(StringRef Mangled) {
  // The list has only these namespaces. To demangle every name of a file would take time.
  StringRef Name = Mangled;
  if (!Name.consume_front("_Z")) return StandardFunction::None;
  Name.consume_front("N");
  Name.consume_front("K");
  if (!Name.starts_with("S") && !Name.starts_with("9__gnu_cxx")) return StandardFunction::None;
  return readMangled(Mangled.str());
}

StandardFunction standardClass(StringRef MangledType) {
  return readMangled(("_ZTI" + MangledType).str());
}

bool isOperatorNewOrDelete(StringRef Mangled) {
  return Mangled.starts_with("_Znw") || Mangled.starts_with("_Zna") ||
         Mangled.starts_with("_Zdl") || Mangled.starts_with("_Zda");
}

bool isCudaFunction(StringRef Symbol) {
  static const StringSet<> Names = {
#define GPUMEMPROF_CUDA(name) #name,
#include "names/CudaFunctions.def"
  };
  return Names.contains(Symbol);
}

} // namespace gpumemprof
