//===- plugin_text.cpp - the plugin's arguments and its filter file -------===//
//
// Any text is taken or refused with one sentence. The first byte says which:
// an argument KEY=VALUE, or a filter file and, behind a NUL, a name to look up.
//
//===----------------------------------------------------------------------===//
#include "Filter.h"
#include "Options.h"

#include "llvm/Support/MemoryBuffer.h"
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
  gpumemprof::Options Again = Options;
  require(Again.parse(Text) == Error && Again.FilterFile == Options.FilterFile);
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

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  if (!Size) return 0;
  StringRef Text(reinterpret_cast<const char *>(Data + 1), Size - 1);
  if (*Data % 2) loadFilter(Text);
  else parseArgument(Text);
  return 0;
}
