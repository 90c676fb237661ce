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
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/SourceMgr.h"

#include <cstddef>

using namespace llvm;

namespace gpumemprof {
namespace {

static_assert(GPUMEMPROF_PAGE_BITS == 12 && GPUMEMPROF_PAGES_WINDOW_BITS == 37 &&
                  GPUMEMPROF_PAGES_WINDOWS == 1024 && sizeof(gpumemprof_page) == 8 &&
                  offsetof(gpumemprof_page, written) == 4 && GPUMEMPROF_PAGES_NONE == 8 &&
                  GPUMEMPROF_PAGE_READ == 1 && GPUMEMPROF_PAGE_WRITTEN == 2,
              "the numbers in the text are those of pages.h");

constexpr char Common[] = R"(
@__gpumemprof_pages = weak addrspace(4) externally_initialized global { i32, i32, [1024 x i64] } zeroinitializer, align 8
@gpumemprof.none = internal addrspace(1) global [4 x i32] [i32 -1, i32 -1, i32 -1, i32 -1], align 16

define internal void @gpumemprof.check(i64 %page, i32 %bits) {
  %shifted = lshr i64 %page, 25
  %window = and i64 %shifted, 1023
  %at = getelementptr { i32, i32, [1024 x i64] }, ptr addrspace(4) @__gpumemprof_pages, i64 0, i32 2, i64 %window
  %words = load i64, ptr addrspace(4) %at, align 8
  %flag = and i64 %words, 8
  %none = icmp ne i64 %flag, 0
  br i1 %none, label %done, label %there
there:
  %epoch = load i32, ptr addrspace(4) @__gpumemprof_pages, align 8
  %in.window = and i64 %page, 33554431
  %distance = shl i64 %in.window, 3
  %address = add i64 %words, %distance
  %read = inttoptr i64 %address to ptr addrspace(1)
  %written = getelementptr i8, ptr addrspace(1) %read, i64 4
  %both = load <2 x i32>, ptr addrspace(1) %read, align 8
  %when.read = extractelement <2 x i32> %both, i64 0
  %when.written = extractelement <2 x i32> %both, i64 1
  %read.older = icmp ult i32 %when.read, %epoch
  %written.older = icmp ult i32 %when.written, %epoch
  %reads = trunc i32 %bits to i1
  %writes = icmp uge i32 %bits, 2
  %mark.read = and i1 %reads, %read.older
  %mark.written = and i1 %writes, %written.older
  br i1 %mark.read, label %reading, label %next
reading:
  %was.read = atomicrmw umax ptr addrspace(1) %read, i32 %epoch syncscope("device") monotonic, align 4
  br label %next
next:
  br i1 %mark.written, label %writing, label %done
writing:
  %was.written = atomicrmw umax ptr addrspace(1) %written, i32 %epoch syncscope("device") monotonic, align 4
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

; Steps of an access, as long as `left` is above 0; it falls by `every` at each. Of each step the page of its first and of its last
; byte.
define internal void @gpumemprof.steps(i64 %first, i64 %last, i64 %step, i64 %left, i32 %every, i32 %bits) {
entry:
  %by = zext i32 %every to i64
  %any = icmp sgt i64 %left, 0
  br i1 %any, label %each, label %done
each:
  %a = phi i64 [ %first, %entry ], [ %a.next, %following ]
  %b = phi i64 [ %last, %entry ], [ %b.next, %following ]
  %rest = phi i64 [ %left, %entry ], [ %rest.next, %following ]
  %page = lshr i64 %a, 12
  %other = lshr i64 %b, 12
  call void @gpumemprof.check(i64 %page, i32 %bits)
  %two = icmp ne i64 %page, %other
  br i1 %two, label %second, label %following
second:
  call void @gpumemprof.check(i64 %other, i32 %bits)
  br label %following
following:
  %a.next = add i64 %a, %step
  %b.next = add i64 %b, %step
  %rest.next = sub i64 %rest, %by
  %more = icmp sgt i64 %rest.next, 0
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
define internal void @gpumemprof.dense(i64 %from, i64 %to, i32 %bits) {
  call void @gpumemprof.between(i64 %from, i64 %to, i64 1, i32 %bits)
  ret void
}
define internal void @gpumemprof.sparse(i64 %first, i64 %last, i64 %step, i64 %count, i32 %bits) {
  call void @gpumemprof.steps(i64 %first, i64 %last, i64 %step, i64 %count, i32 1, i32 %bits)
  ret void
}
)";

/// Threads of a warp that are here at the same time together. They leave together, too, so that
/// they share the next work as well.
constexpr char Shared[] = R"(
declare i32 @llvm.nvvm.activemask()
declare i32 @llvm.nvvm.match.any.sync.i64(i32, i64)
declare i32 @llvm.nvvm.redux.sync.umin(i32, i32)
declare i32 @llvm.nvvm.redux.sync.umax(i32, i32)
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt()
declare i32 @llvm.ctpop.i32(i32)
declare void @llvm.nvvm.bar.warp.sync(i32)

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
  call void @llvm.nvvm.bar.warp.sync(i32 %here)
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
  %ahead = mul i64 %rank.wide, %step
  %begin.a = add i64 %a, %ahead
  %begin.b = add i64 %b, %ahead
  %wide.step = mul i64 %size.wide, %step
  %left = sub i64 %count, %rank.wide
  call void @gpumemprof.steps(i64 %begin.a, i64 %begin.b, i64 %wide.step, i64 %left, i32 %size, i32 %bits)
  br label %done
single:
  call void @gpumemprof.steps(i64 %first, i64 %last, i64 %step, i64 %count, i32 1, i32 %bits)
  br label %done
done:
  call void @llvm.nvvm.bar.warp.sync(i32 %here)
  ret void
}
)";

/// The table has no words for any window, so that kernels that are launched without the runtime
/// mark nothing.
void fillTable(GlobalVariable &Pages, GlobalVariable &None) {
  auto *Table = cast<StructType>(Pages.getValueType());
  auto *Words = cast<ArrayType>(Table->getElementType(2));
  Type *I8 = Type::getInt8Ty(Pages.getContext());
  Type *I64 = Words->getElementType();
  Constant *Entry = ConstantExpr::getPtrToInt(
      ConstantExpr::getGetElementPtr(I8, &None, ConstantInt::get(I64, GPUMEMPROF_PAGES_NONE)), I64);
  SmallVector<Constant *, 0> All(Words->getNumElements(), Entry);
  Constant *Zero = ConstantInt::get(Table->getElementType(0), 0);
  Pages.setInitializer(ConstantStruct::get(Table, {Zero, Zero, ConstantArray::get(Words, All)}));
}

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
  GlobalVariable *Pages = M.getGlobalVariable(GPUMEMPROF_PAGES_SYMBOL);
  fillTable(*Pages, *M.getGlobalVariable("gpumemprof.none", true));
  return {Pages, M.getFunction("gpumemprof.range"), M.getFunction("gpumemprof.stride"), Together};
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
