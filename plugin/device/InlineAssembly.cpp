//===- InlineAssembly.cpp - what inline assembly does to memory -----------===//
//
// Its text is PTX with `$2` for an operand. An instruction accesses what is in brackets:
//
//   @p ld.global.f32 $0, [$1+4];    reads operand 1
//   { .reg .u64 t; cvta.to.shared.u64 t, $1; st.shared.u32 [t], $2; }
//
// An address in a register of its own may come from any operand, and each of them may be what
// is stored there.
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

/// The text without comments, in one line.
std::string withoutComments(StringRef Text) {
  std::string Rest;
  while (!Text.empty()) {
    if (Text.starts_with("//")) Text = Text.drop_until([](char C) { return C == '\n'; });
    else if (Text.starts_with("/*")) Text = Text.drop_front(2).split("*/").second;
    else {
      Rest += isSpace(Text.front()) ? ' ' : Text.front();
      Text = Text.drop_front();
      continue;
    }
    Rest += ' ';
  }
  return Rest;
}

class AssemblyReader {
public:
  explicit AssemblyReader(const CallBase &Call)
      : Call(Call), Whole(cast<InlineAsm>(Call.getCalledOperand())->getAsmString()),
        Text(withoutComments(Whole)) {
    findArguments();
  }

  CallEffect read() {
    Effect.Result = ResultOf::Kept;
    SmallVector<StringRef, 16> Statements;
    StringRef(Text).split(Statements, ';', -1, false);
    for (StringRef Statement : Statements) statement(Statement);
    if (LoadsAddresses && HasOwnAddress) open(Reason::LOADED, "");
    if (IntoShared && !Call.getType()->isAggregateType()) Effect.Result = ResultOf::Shared;
    else if (Whole.contains("%envreg")) Effect.Result = ResultOf::Driver;
    else if (Computes || (Moves && !Effect.Touches.empty())) Effect.Result = ResultOf::Assembly;
    else if (!Effect.Touches.empty()) Effect.Result = ResultOf::Load;
    if (Effect.Opens) {
      Effect.TakesAll = true;
      Effect.Result = ResultOf::Unknown;
    }
    return Effect;
  }

private:
  struct Operand {
    int Argument;       // of the call; -1: none
    bool IsSet = false; // by the assembly
  };

  /// Which argument of the call an operand is. An output has none, unless an input is tied to it.
  void findArguments() {
    InlineAsm::ConstraintInfoVector Constraints =
        cast<InlineAsm>(Call.getCalledOperand())->ParseConstraints();
    int Next = 0;
    for (const InlineAsm::ConstraintInfo &C : Constraints)
      All.push_back({C.hasArg() ? Next++ : -1});
    for (unsigned I = 0; I < All.size(); ++I) {
      if (Constraints[I].Type != InlineAsm::isOutput) continue;
      All[I].IsSet = true;
      if (!Constraints[I].hasMatchingInput()) continue;
      Operand &Tied = All[unsigned(Constraints[I].MatchingInput)];
      Tied.IsSet = true;
      All[I].Argument = Tied.Argument;
    }
  }

  /// One instruction, perhaps with a block's brace, a label or a predicate before it.
  void statement(StringRef Line) {
    Line = Line.trim(" {}");
    if (Line.starts_with("@")) Line = Line.drop_until(isSpace).ltrim();
    StringRef Label = Line.take_while([](char C) { return isAlnum(C) || C == '_' || C == '$'; });
    if (!Label.empty() && Line.drop_front(Label.size()).ltrim().starts_with(":"))
      return statement(Line.split(':').second);
    if (Line.empty() || Line.starts_with(".")) return; // .reg, .pragma
    StringRef Opcode = Line.take_until(isSpace);
    instruction(Opcode, Line.drop_front(Opcode.size()));
  }

  void instruction(StringRef Opcode, StringRef Operands) {
    noteValues(Operands);
    Action Does = actionOf(Opcode);
    SmallVector<char, 2> Spaces = spacesOf(Opcode);
    char Space = Spaces.empty() ? 'g' : Spaces[0];
    switch (Does) {
    case Action::LOAD:
      noteLoad(Opcode, Operands);
      return access(Operands, 0, Space, Reads);
    case Action::STORE:
    case Action::DISCARD:
      return access(Operands, 0, Space, Writes);
    case Action::ATOMIC:
      noteLoad(Opcode, Operands);
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
    case Action::SHARED_LOAD:
      Effect.FromShared = true;
      return;
    case Action::ALLOCA:
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
    Effect.Name = Whole.substr(Whole.find(Name), Name.size());
  }

  /// What is in the brackets with that number, from 0.
  void access(StringRef Operands, unsigned Number, char Space, unsigned How) {
    if (Space == 's') {
      Effect.ToShared |= How & Writes;
      Effect.FromShared |= How & Reads;
    }
    if (Space != 'g') return;
    for (; Number; --Number) Operands = Operands.split(']').second;
    StringRef Address = Operands.split('[').second.split(']').first.trim();
    const Operand *O = operandAt(Address);
    if (O && O->Argument >= 0) touch(unsigned(O->Argument), How);
    if (O && O->Argument >= 0 && !O->IsSet) return;
    HasOwnAddress = true;
    Effect.ToAny |= How & Writes;
    for (unsigned I = 0; I < Call.arg_size(); ++I) touch(I, How);
  }

  /// The operand that a text begins with, or null.
  const Operand *operandAt(StringRef At) const {
    unsigned Number = 0;
    bool IsOperand =
        At.consume_front("$") && (At.consume_front("{") || true) && !At.consumeInteger(10, Number);
    return IsOperand && Number < All.size() ? &All[Number] : nullptr;
  }

  /// Whether a load may load an address that the assembly uses: of 8 bytes, or halves of one.
  void noteLoad(StringRef Opcode, StringRef Operands) {
    StringRef Type = Opcode.rsplit('.').second;
    bool Halves = Type.ends_with("32") && StringRef(Text).contains("mov.b64");
    if (Type.starts_with("f") || !(Halves || Type.ends_with("64") || Type.ends_with("128"))) return;
    StringRef Loaded = Operands.take_until([](char C) { return C == '['; }).trim(" ,{}");
    SmallVector<StringRef, 4> Names;
    Loaded.split(Names, ',', -1, false);
    for (StringRef Name : Names) {
      Name = Name.trim();
      LoadsAddresses |= !operandAt(Name) || StringRef(Text).count(Name) > 1;
    }
  }

  /// What is not in brackets may be stored.
  void noteValues(StringRef Values) {
    for (unsigned Brackets = 0; !Values.empty(); Values = Values.drop_front()) {
      if (Values.front() == '[') ++Brackets;
      if (Values.front() == ']' && Brackets) --Brackets;
      const Operand *O = Brackets ? nullptr : operandAt(Values);
      if (O && O->Argument >= 0) Effect.Values.push_back(unsigned(O->Argument));
    }
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
  StringRef Whole; // lives as long as the context
  std::string Text;
  SmallVector<Operand, 8> All;
  CallEffect Effect;
  bool Moves = false, Computes = false;
  bool LoadsAddresses = false; // into registers that it uses
  bool HasOwnAddress = false;  // an address that is no operand, or one that the assembly sets
  bool IntoShared = false; // the result is an address in shared memory, whatever it is made from
};

} // namespace

CallEffect effectOfAssembly(const CallBase &Call) {
  return AssemblyReader(Call).read();
}

} // namespace gpumemprof
