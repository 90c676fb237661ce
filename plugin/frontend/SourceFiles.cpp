//===- SourceFiles.cpp - system headers and source lines ------------------===//
#include "frontend/SourceFiles.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Basic/SourceManagerInternals.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/Support/Path.h"

using namespace clang;
using namespace llvm;

namespace gpumemprof {

/// The path as CGDebugInfo makes it: -fdebug-prefix-map is applied to folder and name, which are
/// then joined.
std::string SourceFiles::path(StringRef Name) {
  auto [It, New] = Paths.try_emplace(Name);
  if (!New) return It->second;
  const CodeGenOptions &CG = CI.getCodeGenOpts();
  auto Remap = [&](StringRef Text) {
    SmallString<256> Path(Text);
    for (const auto &[From, To] : reverse(CG.DebugPrefixMap))
      if (sys::path::replace_path_prefix(Path, From, To)) break;
    return std::string(Path);
  };
  std::string Folder = CG.DebugCompilationDir;
  if (Folder.empty())
    if (auto Current = CI.getFileManager().getVirtualFileSystem().getCurrentWorkingDirectory())
      Folder = *Current;
  return It->second = absolutePath(Remap(Folder), Remap(Name));
}

void SourceFiles::add(StringRef Name, bool System) {
  std::string Path = path(Name);
  File &F = Files[Path];
  F.Name = Name.str();
  F.System |= System;
  SmallString<256> Macro(Name);
  Preprocessor::processPathForFileMacro(Macro, CI.getLangOpts(), CI.getTarget());
  if (Macro != Path) PathsByMacro.try_emplace(Macro, Path);
  // CUDA's headers are system headers even where -I names their folder.
  if (sys::path::filename(Path) == "cuda_runtime_api.h")
    CudaFolders.push_back((sys::path::parent_path(Path) + "/").str());
}

void SourceFiles::scan() {
  if (Scanned) return;
  Scanned = true;
  SourceManager &SM = CI.getSourceManager();
  for (unsigned I = 0; I < SM.local_sloc_entry_size(); ++I) {
    const SrcMgr::SLocEntry &Entry = SM.getLocalSLocEntry(I);
    if (!Entry.isFile()) continue;
    const SrcMgr::FileInfo &Info = Entry.getFile();
    if (OptionalFileEntryRef Ref = Info.getContentCache().OrigEntry)
      add(Ref->getName(), SrcMgr::isSystem(Info.getFileCharacteristic()));
  }
  if (!SM.hasLineTable()) return;
  LineTableInfo &Lines = SM.getLineTable();
  for (auto &[ID, Entries] : Lines)
    for (const LineEntry &Entry : Entries)
      if (Entry.FilenameID >= 0)
        add(Lines.getFilename(unsigned(Entry.FilenameID)), SrcMgr::isSystem(Entry.FileKind));
}

/// Scans the files of precompiled headers and modules. To read their table takes time, so it is
/// done only when a file is not known otherwise.
void SourceFiles::scanLoaded() {
  if (ScannedLoaded) return;
  ScannedLoaded = true;
  SourceManager &SM = CI.getSourceManager();
  for (unsigned I = 0; I < SM.loaded_sloc_entry_size(); ++I) {
    bool Invalid = false;
    const SrcMgr::SLocEntry &Entry = SM.getLoadedSLocEntry(I, &Invalid);
    if (Invalid || !Entry.isFile()) continue;
    const SrcMgr::FileInfo &Info = Entry.getFile();
    if (OptionalFileEntryRef Ref = Info.getContentCache().OrigEntry)
      add(Ref->getName(), SrcMgr::isSystem(Info.getFileCharacteristic()));
  }
}

bool SourceFiles::isSystemFile(StringRef Path) {
  scan();
  if (!Files.count(Path)) scanLoaded();
  auto It = Files.find(Path);
  if (It != Files.end() && It->second.System) return true;
  return any_of(CudaFolders, [&](StringRef Folder) { return Path.starts_with(Folder); });
}

std::string SourceFiles::pathOfFile(StringRef Written) {
  scan();
  if (!PathsByMacro.count(Written)) scanLoaded();
  return PathsByMacro.lookup(Written);
}

bool SourceFiles::seesCudaHeader() {
  scan();
  if (CudaFolders.empty() && CI.getSourceManager().loaded_sloc_entry_size()) scanLoaded();
  return !CudaFolders.empty();
}

bool SourceFiles::columnsAreReal() {
  SourceManager &SM = CI.getSourceManager();
  OptionalFileEntryRef Main = SM.getFileEntryRefForID(SM.getMainFileID());
  return !Main || !Main->getName().ends_with(".cudafe1.cpp");
}

SourceFiles::Location SourceFiles::location(SourceLocation Loc) {
  PresumedLoc Presumed = CI.getSourceManager().getPresumedLoc(Loc);
  if (Presumed.isInvalid()) return {};
  return {path(Presumed.getFilename()), Presumed.getLine(), Presumed.getColumn()};
}

StringRef SourceFiles::textFrom(StringRef Path, unsigned Line) {
  scan();
  auto [It, New] = Texts.try_emplace(Path);
  Text &T = It->second;
  if (New) {
    auto Known = Files.find(Path);
    StringRef Name = Known != Files.end() ? StringRef(Known->second.Name) : Path;
    // #line may name any file. A device has no end, and a pipe would wait for a writer.
    auto Status = CI.getFileManager().getVirtualFileSystem().status(Name);
    if (Status && Status->isRegularFile())
      if (auto Buffer = CI.getFileManager().getBufferForFile(Name)) T.Buffer = std::move(*Buffer);
    if (T.Buffer) {
      StringRef All = T.Buffer->getBuffer();
      T.LineStarts.push_back(0);
      for (size_t I = 0; I < All.size(); ++I)
        if (All[I] == '\n') T.LineStarts.push_back(I + 1);
    }
  }
  if (!Line || Line > T.LineStarts.size()) return "";
  return T.Buffer->getBuffer().substr(T.LineStarts[Line - 1]);
}

/// For a very long line, which no person wrote, the text around the call: each call has its own
/// copy.
std::string SourceFiles::lineText(StringRef Path, unsigned Line, unsigned Column) {
  StringRef Text = textFrom(Path, Line).take_until([](char C) { return C == '\n'; });
  if (Text.size() <= LongestText) return Text.trim().str();
  size_t Begin = Column > LongestText / 4 ? Column - LongestText / 4 : 0;
  StringRef Part = Text.substr(Begin, LongestText);
  return (Begin ? "... " : "") + Part.trim().str() +
         (Begin + LongestText < Text.size() ? " ..." : "");
}

} // namespace gpumemprof
