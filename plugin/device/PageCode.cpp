//===- PageCode.cpp -------------------------------------------------------===//
//
// In a loop, an access goes through memory in steps. Its pages are marked before the
// loop, and threads of a warp that would mark the same ones share them: each marks
// every n-th. Steps of at most a page leave out none, so that only the first and the
// last page matter; larger steps are followed one by one.
//
//===----------------------------------------------------------------------===//
#include "device/PageCode.h"

#include "gpumemprof/pages.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;

namespace gpumemprof {
namespace {

static_assert(GPUMEMPROF_PAGE_BITS == 12 && GPUMEMPROF_PAGES_WINDOW_BITS == 37 &&
                  GPUMEMPROF_PAGES_WINDOWS == 1024 && GPUMEMPROF_PAGE_EPOCH_SHIFT == 2 &&
                  GPUMEMPROF_PAGE_READ == 1 && GPUMEMPROF_PAGE_WRITTEN == 2,
              "the numbers in the text are those of pages.h");

constexpr char Common[] = R"(
@__gpumemprof_pages = weak addrspace(4) externally_initialized global { i32, i32, [1024 x i64] } zeroinitializer, align 8
@gpumemprof.none = internal addrspace(1) global i32 -1, align 4

; Brings a word up to date, from what was read of it on.
define internal void @gpumemprof.update(ptr addrspace(1) %word, i32 %bits) {
entry:
  %epoch = load i32, ptr addrspace(4) @__gpumemprof_pages, align 4
  %first = load i32, ptr addrspace(1) %word, align 4
  br label %try
try:
  %old = phi i32 [ %first, %entry ], [ %found, %change ]
  %flags = and i32 %old, 3
  %both = or i32 %flags, %bits
  %then = and i32 %old, -4
  %newer = icmp ugt i32 %then, %epoch
  %latest = select i1 %newer, i32 %then, i32 %epoch
  %new = or i32 %latest, %both
  %same = icmp eq i32 %new, %old
  br i1 %same, label %done, label %change
change:
  %pair = cmpxchg ptr addrspace(1) %word, i32 %old, i32 %new syncscope("device") monotonic monotonic, align 4
  %found = extractvalue { i32, i1 } %pair, 0
  %ok = extractvalue { i32, i1 } %pair, 1
  br i1 %ok, label %done, label %try
done:
  ret void
}

define internal void @gpumemprof.check(i64 %page, i32 %bits) {
  %shifted = lshr i64 %page, 25
  %window = and i64 %shifted, 1023
  %at = getelementptr { i32, i32, [1024 x i64] }, ptr addrspace(4) @__gpumemprof_pages, i64 0, i32 2, i64 %window
  %words = load i64, ptr addrspace(4) %at, align 8
  %none = icmp eq i64 %words, 0
  br i1 %none, label %done, label %there
there:
  %distance = shl i64 %page, 2
  %address = add i64 %words, %distance
  %word = inttoptr i64 %address to ptr addrspace(1)
  %old = load i32, ptr addrspace(1) %word, align 4
  %epoch = load i32, ptr addrspace(4) @__gpumemprof_pages, align 4
  %not = xor i32 %old, -1
  %lacks = and i32 %not, %bits
  %missing = icmp ne i32 %lacks, 0
  %older = icmp ult i32 %old, %epoch
  %stale = or i1 %missing, %older
  br i1 %stale, label %touch, label %done
touch:
  call void @gpumemprof.touch(ptr addrspace(1) %word, i32 %bits)
  br label %done
done:
  ret void
}

; Pages from one to another; this thread marks every n-th.
define internal void @gpumemprof.between(i64 %from, i64 %to, i64 %every, i32 %bits) {
entry:
  %any = icmp ule i64 %from, %to
  br i1 %any, label %each, label %done
each:
  %page = phi i64 [ %from, %entry ], [ %next, %each ]
  call void @gpumemprof.check(i64 %page, i32 %bits)
  %next = add i64 %page, %every
  %more = icmp ule i64 %next, %to
  br i1 %more, label %each, label %done
done:
  ret void
}

define internal void @gpumemprof.range(i64 %address, i64 %length, i32 %bits) {
  %empty = icmp eq i64 %length, 0
  br i1 %empty, label %done, label %some
some:
  %end = add i64 %address, %length
  %last = add i64 %end, -1
  %from = lshr i64 %address, 12
  %to = lshr i64 %last, 12
  call void @gpumemprof.between(i64 %from, i64 %to, i64 1, i32 %bits)
  br label %done
done:
  ret void
}

; Steps from `begin` to before `count`, of which this thread marks every n-th; of each step the page of its first and of its
; last byte.
define internal void @gpumemprof.steps(i64 %first, i64 %last, i64 %step, i64 %begin, i64 %every, i64 %count, i32 %bits) {
entry:
  %any = icmp ult i64 %begin, %count
  br i1 %any, label %each, label %done
each:
  %number = phi i64 [ %begin, %entry ], [ %next, %following ]
  %distance = mul i64 %number, %step
  %a = add i64 %first, %distance
  %b = add i64 %last, %distance
  %page = lshr i64 %a, 12
  %other = lshr i64 %b, 12
  call void @gpumemprof.check(i64 %page, i32 %bits)
  %two = icmp ne i64 %page, %other
  br i1 %two, label %second, label %following
second:
  call void @gpumemprof.check(i64 %other, i32 %bits)
  br label %following
following:
  %next = add i64 %number, %every
  %more = icmp ult i64 %next, %count
  br i1 %more, label %each, label %done
done:
  ret void
}

define internal void @gpumemprof.stride(i64 %first, i64 %last, i64 %step, i64 %count, i32 %bits) {
  %steps = add i64 %count, -1
  %way = mul i64 %steps, %step
  %up = add i64 %step, 4096
  %small = icmp ule i64 %up, 8192
  br i1 %small, label %dense, label %sparse
dense:
  %end.first = add i64 %first, %way
  %end.last = add i64 %last, %way
  %down = icmp slt i64 %step, 0
  %low = select i1 %down, i64 %end.first, i64 %first
  %high = select i1 %down, i64 %last, i64 %end.last
  %from = lshr i64 %low, 12
  %to = lshr i64 %high, 12
  call void @gpumemprof.dense(i64 %from, i64 %to, i32 %bits)
  ret void
sparse:
  call void @gpumemprof.sparse(i64 %first, i64 %last, i64 %step, i64 %count, i32 %bits)
  ret void
}
)";

/// Each thread for itself.
constexpr char Alone[] = R"(
define internal void @gpumemprof.touch(ptr addrspace(1) %word, i32 %bits) {
  call void @gpumemprof.update(ptr addrspace(1) %word, i32 %bits)
  ret void
}
define internal void @gpumemprof.dense(i64 %from, i64 %to, i32 %bits) {
  call void @gpumemprof.between(i64 %from, i64 %to, i64 1, i32 %bits)
  ret void
}
define internal void @gpumemprof.sparse(i64 %first, i64 %last, i64 %step, i64 %count, i32 %bits) {
  call void @gpumemprof.steps(i64 %first, i64 %last, i64 %step, i64 0, i64 1, i64 %count, i32 %bits)
  ret void
}
)";

/// Threads of a warp that are here at the same time together.
constexpr char Shared[] = R"(
declare i32 @llvm.nvvm.activemask()
declare i32 @llvm.nvvm.match.any.sync.i64(i32, i64)
declare i32 @llvm.nvvm.redux.sync.umin(i32, i32)
declare i32 @llvm.nvvm.redux.sync.umax(i32, i32)
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt()
declare i32 @llvm.cttz.i32(i32, i1)
declare i32 @llvm.ctpop.i32(i32)

; Of the threads that have the same word, the first updates it.
define internal void @gpumemprof.touch(ptr addrspace(1) %word, i32 %bits) {
  %here = call i32 @llvm.nvvm.activemask()
  %address = ptrtoint ptr addrspace(1) %word to i64
  %same = call i32 @llvm.nvvm.match.any.sync.i64(i32 %here, i64 %address)
  %first = call i32 @llvm.cttz.i32(i32 %same, i1 true)
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %mine = icmp eq i32 %first, %lane
  br i1 %mine, label %update, label %done
update:
  call void @gpumemprof.update(ptr addrspace(1) %word, i32 %bits)
  br label %done
done:
  ret void
}

define internal void @gpumemprof.dense(i64 %from, i64 %to, i32 %bits) {
  %here = call i32 @llvm.nvvm.activemask()
  %same.from = call i32 @llvm.nvvm.match.any.sync.i64(i32 %here, i64 %from)
  %same.to = call i32 @llvm.nvvm.match.any.sync.i64(i32 %here, i64 %to)
  %group = and i32 %same.from, %same.to
  %below = call i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt()
  %before = and i32 %group, %below
  %rank = call i32 @llvm.ctpop.i32(i32 %before)
  %size = call i32 @llvm.ctpop.i32(i32 %group)
  %rank.wide = zext i32 %rank to i64
  %size.wide = zext i32 %size to i64
  %begin = add i64 %from, %rank.wide
  call void @gpumemprof.between(i64 %begin, i64 %to, i64 %size.wide, i32 %bits)
  ret void
}

; Threads that begin in the same page have the same steps. What they do lies between the first byte of one of them and the last
; of another; if that is less than a page, then at each step both are in all the pages that the threads use.
define internal void @gpumemprof.sparse(i64 %first, i64 %last, i64 %step, i64 %count, i32 %bits) {
  %here = call i32 @llvm.nvvm.activemask()
  %page = and i64 %first, -4096
  %same.page = call i32 @llvm.nvvm.match.any.sync.i64(i32 %here, i64 %page)
  %same.step = call i32 @llvm.nvvm.match.any.sync.i64(i32 %here, i64 %step)
  %same.count = call i32 @llvm.nvvm.match.any.sync.i64(i32 %here, i64 %count)
  %same = and i32 %same.page, %same.step
  %group = and i32 %same, %same.count
  %from.wide = sub i64 %first, %page
  %to.wide = sub i64 %last, %page
  %from = trunc i64 %from.wide to i32
  %to = trunc i64 %to.wide to i32
  %least = call i32 @llvm.nvvm.redux.sync.umin(i32 %from, i32 %group)
  %most = call i32 @llvm.nvvm.redux.sync.umax(i32 %to, i32 %group)
  %extent = sub i32 %most, %least
  %near = icmp ult i32 %extent, 4096
  br i1 %near, label %together, label %single
together:
  %below = call i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt()
  %before = and i32 %group, %below
  %rank = call i32 @llvm.ctpop.i32(i32 %before)
  %size = call i32 @llvm.ctpop.i32(i32 %group)
  %rank.wide = zext i32 %rank to i64
  %size.wide = zext i32 %size to i64
  %least.wide = zext i32 %least to i64
  %most.wide = zext i32 %most to i64
  %a = add i64 %page, %least.wide
  %b = add i64 %page, %most.wide
  call void @gpumemprof.steps(i64 %a, i64 %b, i64 %step, i64 %rank.wide, i64 %size.wide, i64 %count, i32 %bits)
  ret void
single:
  call void @gpumemprof.steps(i64 %first, i64 %last, i64 %step, i64 0, i64 1, i64 %count, i32 %bits)
  ret void
}
)";

/// Our functions are compiled for the device that the program's are compiled for.
void copyTarget(Function &Ours, const Module &M) {
  for (const Function &F : M) {
    if (F.isDeclaration() || !F.hasFnAttribute("target-cpu")) continue;
    for (StringRef Name : {"target-cpu", "target-features"})
      if (F.hasFnAttribute(Name)) Ours.addFnAttr(F.getFnAttribute(Name));
    return;
  }
}

} // namespace

PageCode addPageCode(Module &M, bool Together) {
  SMDiagnostic Wrong;
  std::string Text = std::string(Common) + (Together ? Shared : Alone);
  bool WithoutNames = M.getContext().shouldDiscardValueNames(); // the parser refuses to work so
  M.getContext().setDiscardValueNames(false);
  std::unique_ptr<Module> Code = parseAssemblyString(Text, Wrong, M.getContext());
  M.getContext().setDiscardValueNames(WithoutNames);
  if (!Code) report_fatal_error(Twine("gpumemprof's device code: ") + Wrong.getMessage());
  Code->setDataLayout(M.getDataLayout());
  Code->setTargetTriple(M.getTargetTriple());
  SmallVector<std::string, 16> Ours;
  for (GlobalObject &G : Code->global_objects()) {
    if (!G.hasLocalLinkage()) continue;
    Ours.push_back(G.getName().str());
    G.setLinkage(GlobalValue::ExternalLinkage); // the linker leaves out what is local and not used
  }
  for (Function &F : *Code) {
    if (F.isDeclaration()) continue;
    F.addFnAttr(Attribute::NoUnwind);
    F.addFnAttr(Attribute::Convergent);
    copyTarget(F, M);
  }
  if (Linker::linkModules(M, std::move(Code)))
    report_fatal_error("gpumemprof's device code does not link");
  for (StringRef Name : Ours) M.getNamedValue(Name)->setLinkage(GlobalValue::InternalLinkage);
  return {M.getGlobalVariable(GPUMEMPROF_PAGES_SYMBOL),
          M.getGlobalVariable("gpumemprof.none", true), M.getFunction("gpumemprof.touch"),
          M.getFunction("gpumemprof.range"), M.getFunction("gpumemprof.stride")};
}

void removeUnused(Module &M) {
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (Function &F : make_early_inc_range(M))
      if (F.getName().starts_with("gpumemprof.") && F.hasLocalLinkage() && F.use_empty()) {
        F.eraseFromParent();
        Changed = true;
      }
  }
}

} // namespace gpumemprof
