//===- OriginalText.cpp - finds arguments by counting brackets ------------===//
#include "frontend/OriginalText.h"

#include "names/CudaSizes.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace gpumemprof {
namespace {

bool isWord(char C) {
  return isAlnum(C) || C == '_';
}

std::string withoutBlanksAndBrackets(StringRef Text) {
  std::string Result;
  for (char C : Text)
    if (!isSpace(C) && C != '(' && C != ')') Result += C;
  return Result;
}

/// Splits "(a, f(b, c))..." at the commas of the outer level.
std::vector<std::string> argumentsAt(StringRef Text) {
  std::vector<std::string> Arguments;
  size_t Start = 1;
  int Depth = 0;
  char Quote = 0;
  for (size_t I = 0; I < Text.size(); ++I) {
    char C = Text[I];
    if (Quote) {
      if (C == '\\') ++I;
      else if (C == Quote) Quote = 0;
      continue;
    }
    if (C == '"' || C == '\'') Quote = C;
    if (C == '(' || C == '[' || C == '{') ++Depth;
    if (C == ')' || C == ']' || C == '}') --Depth;
    if ((C == ',' && Depth == 1) || Depth == 0) {
      Arguments.push_back(onOneLine(Text.slice(Start, I)));
      Start = I + 1;
    }
    if (Depth == 0) return Arguments;
  }
  return {};
}

} // namespace

std::string onOneLine(StringRef Text) {
  SmallVector<StringRef, 8> Words;
  SplitString(Text, Words, " \t\r\n\v\f\\");
  return join(Words, " ");
}

OriginalCall findOriginalCall(StringRef Text, StringRef Callee, StringRef Variable) {
  constexpr size_t Far = 4000; // longer statements are not searched
  Text = Text.take_front(Far);
  // A statement may have several lines, and a line several statements.
  size_t LineEnd = Text.find('\n');
  size_t End = Text.find(';', LineEnd == StringRef::npos ? 0 : LineEnd);
  if (End != StringRef::npos) Text = Text.take_front(End);
  std::string Receiver = withoutBlanksAndBrackets(Variable);
  for (size_t At = Text.find(Callee); At != StringRef::npos; At = Text.find(Callee, At + 1)) {
    if (At && isWord(Text[At - 1])) continue;
    StringRef Rest = Text.substr(At + Callee.size()).ltrim();
    if (Rest.starts_with("<")) Rest = Rest.substr(Rest.find('>') + 1).ltrim();
    if (!Rest.starts_with("(")) continue;
    OriginalCall Found{argumentsAt(Rest)};
    if (!Found.Arguments.empty() &&
        StringRef(withoutBlanksAndBrackets(Found.Arguments[0])).ends_with(Receiver))
      return Found;
  }
  return {};
}

std::string joinSizes(ArrayRef<std::string> Arguments, StringRef Callee) {
  const CudaSize &Size = cudaSize(Callee);
  SmallVector<std::string, 2> Factors;
  for (unsigned I : Size.Arguments) {
    if (I < Arguments.size()) Factors.push_back(Arguments[I]);
    // In another version of CUDA a call has fewer parameters before the structure, as
    // cudaGraphAddNode had.
    else if (!Size.Numbers && !Arguments.empty()) Factors.push_back(Arguments.back());
  }
  return product(Factors);
}

std::string product(ArrayRef<std::string> Factors) {
  std::string Result;
  for (StringRef A : Factors) {
    if (!Result.empty() && A == "0") continue; // an array of one dimension
    bool Sum = Factors.size() > 1 && A.find_first_of("+-?<>|&^=") != StringRef::npos;
    Result += (Result.empty() ? "" : " * ") + (Sum ? ("(" + A + ")").str() : A.str());
  }
  return Result;
}

} // namespace gpumemprof
