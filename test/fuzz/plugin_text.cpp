//===- plugin_text.cpp - the plugin's arguments, filter file and sizes ----===//
//
// Any text is taken or refused with one sentence. The first byte says which:
// an argument KEY=VALUE, a filter file and, behind a NUL, a name to look up, or
// the size of a budget.
//
//===----------------------------------------------------------------------===//
#include "base/Filter.h"
#include "base/Options.h"

#include "gpumemprof/sizes.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Regex.h"
#include <cstdlib>

using namespace llvm;

static void require(bool Holds) {
  if (!Holds) std::abort();
}

static void parseArgument(StringRef Text) {
  gpumemprof::Options Options;
  std::string Error = Options.parse(Text);
  require(Options.FilterFile.empty() || Error.empty());
  if (!Error.empty()) require(StringRef(Error).contains(Text.split('=').first));
  gpumemprof::Options Second = Options;
  require(Second.parse(Text) == Error && Second.FilterFile == Options.FilterFile);
}

static void loadFilter(StringRef Text) {
  auto [Lines, Name] = Text.split('\0');
  vfs::InMemoryFileSystem Files;
  Files.addFile("/filter.txt", 0, MemoryBuffer::getMemBufferCopy(Lines));
  gpumemprof::Filter Filter;
  std::string Error = Filter.load("/filter.txt", Files);
  require(Error.empty() != Filter.empty());
  require(Error.empty() || StringRef(Error).contains("/filter.txt"));
  Filter.excludes(Name, Name, Name);
  Filter.excludes("", "", "");
}

/// By a regular expression and in 128 bits.
static void parseSize(StringRef Text) {
  std::string Terminated = Text.take_until([](char C) { return !C; }).str();
  uint64_t Bytes = 0;
  bool Taken = gpumemprof_size(Terminated.c_str(), &Bytes);
  SmallVector<StringRef, 3> Parts;
  bool Matches = Regex("^([0-9]+) *([kmgtKMGT]?)[iI]?[bB]?$").match(Terminated, &Parts) &&
                 (!Parts[2].empty() || !StringRef(Terminated).contains_insensitive('i'));
  unsigned __int128 Number = 0;
  for (char C : Matches ? Parts[1] : "") {
    Number = Number * 10 + unsigned(C - '0');
    if (Number >> 63) Matches = false, Number = 0;
  }
  if (Matches && !Parts[2].empty())
    Number <<= 10 * (StringRef("kmgt").find_insensitive(Parts[2]) + 1);
  Matches = Matches && !(Number >> 63);
  require(Taken == Matches && (!Taken || Bytes == Number));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  if (!Size) return 0;
  StringRef Text(reinterpret_cast<const char *>(Data + 1), Size - 1);
  if (*Data % 3 == 1) loadFilter(Text);
  else if (*Data % 3 == 2) parseSize(Text);
  else parseArgument(Text);
  return 0;
}
