//===- InlineAssembly.cpp - what inline assembly does to memory -----------===//
//
// Its text is PTX with `$2` for an operand. An instruction accesses what is in brackets:
//
//   @p ld.global.f32 $0, [$1+4];    reads operand 1
//   { .reg .u64 t; cvta.to.shared.u64 t, $1; st.shared.u32 [t], $2; }
//
// An address in a register of its own may come from any operand.
//
//===----------------------------------------------------------------------===//
#include "device/CallEffects.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"

using namespace llvm;

namespace gpumemprof {
namespace {

// What an instruction does with addresses; tools/facts/ptx_ops.h says what they mean.
enum class Action {
  COMPUTE,
  NOTHING,
  COMPARE,
  MOVE,
  KEEP,
  ADD,
  SUBTRACT,
  MULTIPLY_ADD,
  AND,
  CONVERT,
  SCALE,
  LOAD,
  STORE,
  ATOMIC,
  MATRIX,
  COPY,
  DISCARD,
  SHARED_LOAD,
  SHARED_STORE,
  TEXTURE,
  TENSOR_MAP,
  ALLOCA,
  CALL
};

Action actionOf(StringRef Opcode) {
  static constexpr struct {
    StringLiteral Mnemonic;
    Action Does;
  } Table[] = {
#define GPUMEMPROF_PTX_OP(mnemonic, ACTION) {#mnemonic, Action::ACTION},
#include "gpumemprof/ptx_ops.def"
  };
  StringRef Mnemonic = Opcode.split('.').first;
  for (const auto &Entry : Table)
    if (Entry.Mnemonic == Mnemonic) return Entry.Does;
  return Action::COMPUTE;
}

/// The spaces that an opcode names, in their order: 'g' for global or generic memory.
SmallVector<char, 2> spacesOf(StringRef Opcode) {
  SmallVector<StringRef, 8> Parts;
  SmallVector<char, 2> Spaces;
  Opcode.split(Parts, '.');
  for (StringRef Part : drop_begin(Parts)) {
    StringRef Space = Part.split(':').first;
    for (StringRef Known : {"global", "shared", "local", "const", "param"})
      if (Space == Known) Spaces.push_back(Known[0]);
  }
  return Spaces;
}

class AssemblyReader {
public:
  explicit AssemblyReader(const CallBase &Call)
      : Call(Call), Text(cast<InlineAsm>(Call.getCalledOperand())->getAsmString()) {
    findArguments();
  }

  CallEffect read() {
    Effect.Result = ResultOf::Kept;
    SmallVector<StringRef, 16> Statements;
    Text.split(Statements, ';', -1, false);
    for (StringRef Statement : Statements) {
      SmallVector<StringRef, 4> Lines;
      Statement.split(Lines, '\n', -1, false);
      for (StringRef Line : Lines) statement(Line);
    }
    if (IntoShared && !Call.getType()->isAggregateType()) Effect.Result = ResultOf::Shared;
    else if (Text.contains("%envreg")) Effect.Result = ResultOf::Driver;
    else if (Computes || (Moves && !Effect.Touches.empty())) Effect.Result = ResultOf::Assembly;
    else if (!Effect.Touches.empty()) Effect.Result = ResultOf::Load;
    if (Effect.Opens) {
      Effect.TakesAll = true;
      Effect.Result = ResultOf::Unknown;
    }
    return Effect;
  }

private:
  /// Which argument of the call an operand is. An output has none, unless an input is tied to it.
  void findArguments() {
    InlineAsm::ConstraintInfoVector All =
        cast<InlineAsm>(Call.getCalledOperand())->ParseConstraints();
    int Next = 0;
    for (const InlineAsm::ConstraintInfo &C : All) Arguments.push_back(C.hasArg() ? Next++ : -1);
    for (unsigned I = 0; I < All.size(); ++I)
      if (All[I].Type == InlineAsm::isOutput && All[I].hasMatchingInput())
        Arguments[I] = Arguments[unsigned(All[I].MatchingInput)];
  }

  /// One instruction, perhaps with a block's brace, a label or a predicate before it.
  void statement(StringRef Line) {
    Line = Line.take_until([](char C) { return C == '/'; }).trim(" \t\r{}");
    if (Line.starts_with("@")) Line = Line.drop_until(isSpace).ltrim();
    StringRef Label = Line.take_while([](char C) { return isAlnum(C) || C == '_' || C == '$'; });
    if (!Label.empty() && Line.drop_front(Label.size()).ltrim().starts_with(":"))
      return statement(Line.split(':').second);
    if (Line.empty() || Line.starts_with(".")) return; // .reg, .pragma
    StringRef Opcode = Line.take_until(isSpace);
    instruction(Opcode, Line.drop_front(Opcode.size()));
  }

  void instruction(StringRef Opcode, StringRef Operands) {
    Action Does = actionOf(Opcode);
    SmallVector<char, 2> Spaces = spacesOf(Opcode);
    char Space = Spaces.empty() ? 'g' : Spaces[0];
    switch (Does) {
    case Action::LOAD:
      return access(Operands, 0, Space, Reads);
    case Action::STORE:
    case Action::DISCARD:
      return access(Operands, 0, Space, Writes);
    case Action::ATOMIC:
      return access(Operands, 0, Space, Reads | Writes);
    case Action::MATRIX:
      return access(Operands, 0, Space, Opcode.contains(".store") ? Writes : Reads);
    case Action::COPY:
      return copy(Opcode, Operands, Spaces);
    case Action::SHARED_STORE:
      Effect.ToShared = true;
      return;
    case Action::TEXTURE:
      return open(Reason::TEXTURE, Opcode);
    case Action::TENSOR_MAP:
      return open(Reason::TENSOR_MAP, Opcode);
    case Action::CALL:
      return open(Reason::POINTER, Opcode);
    case Action::COMPARE:
      Effect.Asks = true;
      return;
    case Action::ALLOCA:
    case Action::SHARED_LOAD: // of numbers, in matrices
    case Action::NOTHING:
      return;
    case Action::MOVE:
      IntoShared |= Opcode.starts_with("cvta.shared") && Operands.ltrim().starts_with("$0");
      [[fallthrough]];
    case Action::KEEP:
      Moves = true;
      return;
    default:
      if (Operands.contains('[')) return open(Reason::INSTRUCTION, Opcode);
      Computes = true;
    }
  }

  void copy(StringRef Opcode, StringRef Operands, ArrayRef<char> Spaces) {
    if (Opcode.contains("prefetch")) return;
    if (Opcode.contains(".tensor")) return open(Reason::TENSOR_MAP, Opcode);
    if (Spaces.size() == 2) {
      unsigned Written = Writes | (Opcode.contains(".reduce") ? Reads : 0);
      access(Operands, 0, Spaces[0], Written);
      access(Operands, 1, Spaces[1], Reads);
      return;
    }
    if (Operands.contains('[') && !Opcode.contains("mbarrier")) open(Reason::INSTRUCTION, Opcode);
  }

  void open(Reason Why, StringRef Name) {
    if (Effect.Opens && Effect.Why <= Why) return;
    Effect.Opens = true;
    Effect.Why = Why;
    Effect.Name = Name;
  }

  /// What is in the brackets with that number, from 0.
  void access(StringRef Operands, unsigned Number, char Space, unsigned How) {
    if (Space == 's') Effect.ToShared |= How & Writes;
    if (Space != 'g') return;
    for (; Number; --Number) Operands = Operands.split(']').second;
    StringRef Address = Operands.split('[').second.split(']').first.trim();
    StringRef Rest = Address;
    unsigned Operand = 0;
    bool IsOperand = Rest.consume_front("$") && !Rest.consumeInteger(10, Operand);
    if (IsOperand && Operand < Arguments.size() && Arguments[Operand] >= 0)
      return touch(unsigned(Arguments[Operand]), How);
    for (unsigned I = 0; I < Call.arg_size(); ++I) touch(I, How);
  }

  void touch(unsigned Argument, unsigned How) {
    Type *T = Call.getArgOperand(Argument)->getType();
    if (!T->isPointerTy() && !T->isIntegerTy(64)) return;
    for (CallEffect::Touched &Known : Effect.Touches)
      if (Known.Argument == Argument) {
        Known.How |= How;
        return;
      }
    Effect.Touches.push_back({Argument, How});
  }

  const CallBase &Call;
  StringRef Text;                // lives as long as the context
  SmallVector<int, 8> Arguments; // of each operand; -1: none
  CallEffect Effect;
  bool Moves = false, Computes = false;
  bool IntoShared = false; // the result is an address in shared memory, whatever it is made from
};

} // namespace

CallEffect effectOfAssembly(const CallBase &Call) {
  return AssemblyReader(Call).read();
}

} // namespace gpumemprof
