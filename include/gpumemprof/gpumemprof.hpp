// gpumemprof.hpp - the calls of gpumemprof.h for C++17 and later: objects that end what they began.
//
//   gpumemprof::scope step("step");                     measured until the end of the block ...
//   gpumemprof::result r = step.end();                  ... or until here
//   gpumemprof::snapshot now = gpumemprof::take_snapshot();
//
// Header-only, and nothing but inline calls of the C functions, whose comments hold: units, costs and
// threads are documented there. No exceptions of its own; everything is safe without the runtime.
#ifndef GPUMEMPROF_HPP
#define GPUMEMPROF_HPP

#include "gpumemprof/gpumemprof.h"

#if defined(__has_include) && __cplusplus >= 202002L
#if __has_include(<span>)
#include <span>
#define GPUMEMPROF_SPAN_
#endif
#endif

namespace gpumemprof {

using snapshot = struct ::gpumemprof_snapshot;
using result = struct ::gpumemprof_result;
using amount = struct ::gpumemprof_amount;

using summary_row = struct ::gpumemprof_summary_row;
using by = enum ::gpumemprof_summary_by;

constexpr int current_device = GPUMEMPROF_CURRENT_DEVICE;

// All zeros when nothing is recorded (time_ns too).
GPUMEMPROF_TRANSPARENT_ inline snapshot take_snapshot(int device = current_device,
                                                      unsigned asked = 0) noexcept {
  snapshot now;
  gpumemprof_snapshot(&now, device, asked);
  return now;
}

GPUMEMPROF_TRANSPARENT_ inline uint64_t step() noexcept {
  return gpumemprof_step();
}

GPUMEMPROF_TRANSPARENT_ inline bool reset() noexcept {
  return gpumemprof_reset();
}

// How many rows there are; as many as there is room for are filled, the largest live ones first.
GPUMEMPROF_TRANSPARENT_ inline size_t summarize(by what, summary_row *rows, size_t room) noexcept {
  return gpumemprof_summary(what, rows, room);
}
#ifdef GPUMEMPROF_SPAN_
// The rows that were filled.
GPUMEMPROF_TRANSPARENT_ inline std::span<summary_row>
summarize(by what, std::span<summary_row> room) noexcept {
  const size_t count = gpumemprof_summary(what, room.data(), room.size());
  return room.first(count < room.size() ? count : room.size());
}
#endif

#if defined(__GNUC__)
#define GPUMEMPROF_HERE_                                                                           \
  const char *file = __builtin_FILE(), const char *function = __builtin_FUNCTION(),                \
             unsigned line = __builtin_LINE()
#else
#define GPUMEMPROF_HERE_ const char *file = "", const char *function = "", unsigned line = 0
#endif

// A measured scope of the function that makes it: on that function's stack, not in a container or in
// what a function returns, since a scope ends with its function.
class scope {
public:
  GPUMEMPROF_TRANSPARENT_ explicit scope(const char *name, int device = current_device,
                                         unsigned asked = 0, GPUMEMPROF_HERE_) noexcept
      : handle(gpumemprof_scope_open(name, file, function, line, device, asked)) {}
  scope(const scope &) = delete;
  scope &operator=(const scope &) = delete;
  GPUMEMPROF_TRANSPARENT_ ~scope() { gpumemprof_scope_end(handle, into); }

  // Ends it now; all zeros when it has ended, or when nothing is recorded.
  GPUMEMPROF_TRANSPARENT_ result end() noexcept {
    result r;
    gpumemprof_scope_end(handle, &r);
    handle = 0;
    return r;
  }
  // Where the result goes if the block is left before end(), by an exception too: must outlive it.
  GPUMEMPROF_TRANSPARENT_ scope &leave_in(result &where) noexcept {
    into = &where;
    return *this;
  }
  GPUMEMPROF_TRANSPARENT_ explicit operator bool() const noexcept { return handle != 0; }

private:
  uint64_t handle;
  result *into = nullptr;
};

// Work handed over by another thread (gpumemprof_context_capture), for as long as the object lives.
class attached {
public:
  GPUMEMPROF_TRANSPARENT_ explicit attached(struct gpumemprof_context *context) noexcept
      : frame(gpumemprof_context_attach(context)) {}
  attached(const attached &) = delete;
  attached &operator=(const attached &) = delete;
  GPUMEMPROF_TRANSPARENT_ ~attached() { gpumemprof_context_detach(frame); }

private:
  struct gpumemprof_frame *frame;
};

// What this thread allocates while the object lives is also counted under the label.
class label {
public:
  GPUMEMPROF_TRANSPARENT_ explicit label(const char *text) noexcept
      : depth(gpumemprof_label_push(text)) {}
  label(const label &) = delete;
  label &operator=(const label &) = delete;
  GPUMEMPROF_TRANSPARENT_ ~label() {
    if (depth > 0) gpumemprof_label_pop();
  }

private:
  int depth;
};

} // namespace gpumemprof

#endif // GPUMEMPROF_HPP
