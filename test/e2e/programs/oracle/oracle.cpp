// oracle.cpp - see oracle.h. Written for plainness, not speed: figures come from whole-history
// scans.
#include "oracle.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace {

struct Block {
  const void *address;
  uint64_t bytes;
  int device;       // -1: pinned host memory
  std::string line; // file:line of the allocation
  std::set<std::string> allocated_in;
  std::string freed_line; // empty: live
  std::set<std::string> freed_in;
  bool at_peak = false;
};

struct Activation {
  std::string function;
  int64_t net = 0, peak = 0;
  uint64_t device_peak = 0;
  bool moved = false;
};

struct Function {
  int64_t own_peak = 0;
  uint64_t device_peak = 0;
};

struct Line {
  uint64_t live = 0, live_peak = 0;
};

struct Book {
  std::mutex lock;
  std::vector<Block> blocks;
  std::map<int, uint64_t> totals, peaks;
  std::map<std::string, Line> lines;
  std::map<std::string, Function> functions;
  std::list<std::list<Activation>> threads;
};

// Never destroyed: objects with static storage allocate before main and free after it.
Book &book() {
  static Book *const only = new Book;
  return *only;
}

thread_local std::list<Activation> *stack;

std::list<Activation> &my_stack() {
  if (!stack) {
    book().threads.emplace_back();
    stack = &book().threads.back();
  }
  return *stack;
}

std::set<std::string> open_functions() {
  std::set<std::string> names;
  for (const Activation &activation : my_stack()) names.insert(activation.function);
  return names;
}

void fold(const Activation &activation) {
  if (!activation.moved) return;
  Function &function = book().functions[activation.function];
  function.own_peak = std::max(function.own_peak, activation.peak);
  function.device_peak = std::max(function.device_peak, activation.device_peak);
}

void move(int device, int64_t change) {
  for (Activation &activation : my_stack()) {
    activation.moved = true;
    if (device < 0) continue;
    activation.net += change;
    activation.peak = std::max(activation.peak, activation.net);
  }
  book().totals[device] += static_cast<uint64_t>(change);
  if (book().totals[device] > book().peaks[device]) {
    book().peaks[device] = book().totals[device];
    for (Block &block : book().blocks)
      if (block.device == device) block.at_peak = block.freed_line.empty();
  }
  if (device < 0) return;
  for (auto &other : book().threads)
    for (Activation &activation : other)
      activation.device_peak = std::max(activation.device_peak, book().totals[device]);
}

std::string place(const char *file, int line) {
  const char *slash = std::strrchr(file, '/');
  return std::string(slash ? slash + 1 : file) + ":" + std::to_string(line);
}

int current_device() {
  int device = 0;
  cudaGetDevice(&device);
  return device;
}

} // namespace

extern "C" void oracle_allocated(const char *file, int line, const void *address, size_t bytes,
                                 int pinned) {
  const int device = pinned ? -1 : current_device();
  std::lock_guard<std::mutex> guard(book().lock);
  const std::string here_name = place(file, line);
  book().blocks.push_back({address, bytes, device, here_name, open_functions(), "", {}, false});
  Line &here = book().lines[here_name];
  here.live += bytes;
  here.live_peak = std::max(here.live_peak, here.live);
  move(device, static_cast<int64_t>(bytes));
}

extern "C" void oracle_freed(const char *file, int line, const void *address) {
  std::lock_guard<std::mutex> guard(book().lock);
  for (Block &block : book().blocks) {
    if (block.address != address || !block.freed_line.empty()) continue;
    block.freed_line = place(file, line);
    block.freed_in = open_functions();
    book().lines[block.line].live -= block.bytes;
    move(block.device, -static_cast<int64_t>(block.bytes));
    return;
  }
}

extern "C" int oracle_enter(const char *function) {
  std::lock_guard<std::mutex> guard(book().lock);
  uint64_t highest = 0;
  for (auto &[device, total] : book().totals)
    if (device >= 0) highest = std::max(highest, total);
  my_stack().push_back({function, 0, 0, highest, false});
  return static_cast<int>(my_stack().size());
}

static void leave_above(size_t depth) {
  std::lock_guard<std::mutex> guard(book().lock);
  while (my_stack().size() > depth) {
    fold(my_stack().back());
    my_stack().pop_back();
  }
}

extern "C" void oracle_leave(const int *scope) {
  leave_above(static_cast<size_t>(*scope) - 1);
}
extern "C" void oracle_back(const int *scope) {
  leave_above(static_cast<size_t>(*scope));
}

extern "C" void *oracle_leave_stack() {
  void *left = stack;
  stack = nullptr;
  return left;
}
extern "C" void oracle_back_on_stack(void *left) {
  stack = static_cast<std::list<Activation> *>(left);
}

extern "C" void oracle_print() {
  std::lock_guard<std::mutex> guard(book().lock);
  for (auto &open : book().threads)
    for (const Activation &activation : open) fold(activation);

  std::printf("{\"devices\": {");
  const char *comma = "";
  for (auto &[device, peak] : book().peaks) {
    std::printf("%s\"%d\": {\"peak\": %lu, \"live\": %lu}", comma, device, peak,
                book().totals[device]);
    comma = ", ";
  }
  std::printf("},\n \"lines\": {");
  std::set<std::string> numbers;
  for (const Block &block : book().blocks) {
    numbers.insert(block.line);
    if (!block.freed_line.empty()) numbers.insert(block.freed_line);
  }
  comma = "";
  for (const std::string &number : numbers) {
    uint64_t allocated = 0, freed = 0, leaked = 0, leaked_blocks = 0, at_peak = 0;
    for (const Block &block : book().blocks) {
      if (block.freed_line == number) freed += block.bytes;
      if (block.line != number) continue;
      allocated += block.bytes;
      if (block.freed_line.empty()) leaked += block.bytes, leaked_blocks++;
      if (block.at_peak) at_peak += block.bytes;
    }
    std::printf("%s\"%s\": {\"self_alloc\": %lu, \"self_freed\": %lu, \"leaked\": %lu, "
                "\"leaked_blocks\": %lu, \"at_peak\": %lu, \"live_peak\": %lu}",
                comma, number.c_str(), allocated, freed, leaked, leaked_blocks, at_peak,
                book().lines[number].live_peak);
    comma = ",\n  ";
  }
  std::printf("},\n \"functions\": {");
  comma = "";
  for (auto &[name, function] : book().functions) {
    uint64_t allocated = 0, own = 0, others = 0, elsewhere = 0, escaped = 0, at_peak = 0;
    for (const Block &block : book().blocks) {
      const bool mine = block.allocated_in.count(name), here = block.freed_in.count(name);
      if (mine) {
        allocated += block.bytes;
        if (block.at_peak) at_peak += block.bytes;
        if (block.freed_line.empty()) escaped += block.bytes;
        else if (!here) elsewhere += block.bytes;
      }
      if (here) (mine ? own : others) += block.bytes;
    }
    std::printf(
        "%s\"%s\": {\"incl_alloc\": %lu, \"incl_freed\": %lu, \"freed_own\": %lu, "
        "\"freed_others\": %lu, \"freed_elsewhere\": %lu, \"escaped\": %lu, \"at_peak\": %lu, "
        "\"own_peak_max\": %ld, \"device_peak\": %lu}",
        comma, name.c_str(), allocated, own + others, own, others, elsewhere, escaped, at_peak,
        function.own_peak, function.device_peak);
    comma = ",\n  ";
  }
  std::printf("}}\n");
}
