// gpumemprof.hpp - the calls of gpumemprof.h for C++17 and later: objects that end what they began.
//
//   gpumemprof::scope step("step");                     measured until the end of the block ...
//   gpumemprof::result r = step.end();                  ... or until here
//   gpumemprof::snapshot now = gpumemprof::take_snapshot();
//   gpumemprof::hooks counting([&](const gpumemprof::event &e) { n++; }, gpumemprof::on::allocated);
//
// The header has only inline calls of the C functions. The comments of those functions apply here,
// too: units, costs and threads are documented there. These classes throw no exceptions of their
// own, and everything is safe without the runtime.
//
// An object that began something ends it. It can be neither copied nor moved, because the profiler
// has its address. It converts to false if it could not begin, and error() says why. An object that
// calls a function of the program keeps that function: an lvalue by reference (it must outlive the
// object), a temporary in itself. Such a function is called as control.h says; an exception that it
// throws must not pass through the profiler, and ends the program by std::terminate.
#ifndef GPUMEMPROF_HPP
#define GPUMEMPROF_HPP

#include "gpumemprof/gpumemprof.h"

#include <cstddef>
#include <type_traits>

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
using event = struct ::gpumemprof_event;
using crossing = struct ::gpumemprof_crossing;
using cycle = struct ::gpumemprof_cycle;
using block = struct ::gpumemprof_block;
using remaining = struct ::gpumemprof_remaining;

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

// What an object began, or why it could not.
class beginning {
public:
  beginning(const beginning &) = delete;
  beginning &operator=(const beginning &) = delete;
  explicit operator bool() const noexcept { return status >= 0; }
  int error() const noexcept { return status < 0 ? status : 0; }

protected:
  explicit beginning(int result = GPUMEMPROF_ERROR_OFF) noexcept : status(result) {}
  ~beginning() = default;
  int status; // what the C call gave: a handle, 0, or an error
};

// ---- callbacks ---------------------------------------------------------------------------------

// The members of struct gpumemprof_hooks.
namespace on {
constexpr auto allocation_requested = &::gpumemprof_hooks::allocation_requested;
constexpr auto allocated = &::gpumemprof_hooks::allocated;
constexpr auto free_requested = &::gpumemprof_hooks::free_requested;
constexpr auto freed = &::gpumemprof_hooks::freed;
constexpr auto free_failed = &::gpumemprof_hooks::free_failed;
constexpr auto acquired = &::gpumemprof_hooks::acquired;
} // namespace on

// Calls function(const event &) at the events that are named, while the object lives. Its end waits
// for threads that are in the function, so it must not end in a hook.
template <class F> class hooks : public beginning {
public:
  template <class... Which>
  GPUMEMPROF_TRANSPARENT_ explicit hooks(F &&called, Which... which)
      : function(static_cast<F &&>(called)) {
    static_assert(sizeof...(which) > 0, "say at which events: gpumemprof::on::allocated, ...");
    struct ::gpumemprof_hooks set = {};
    set.size = sizeof set;
    ((set.*which = call), ...);
    status = gpumemprof_hooks_add(&set, this);
  }
  GPUMEMPROF_TRANSPARENT_ ~hooks() {
    if (status > 0) gpumemprof_hooks_remove(status);
  }

private:
  GPUMEMPROF_TRANSPARENT_ static void call(const event *what, void *self) noexcept {
    static_cast<hooks *>(self)->function(*what);
  }
  F function;
};
template <class F, class... Which> hooks(F &&, Which...) -> hooks<F>;

// As struct gpumemprof_threshold; 0: no limit.
struct limits {
  int device = GPUMEMPROF_EVERY_DEVICE;
  uint64_t warn_bytes = 0, critical_bytes = 0;
  double warn_percent = 0, critical_percent = 0;
};

// Calls function(const crossing &) when a limit is passed, while the object lives; ends as hooks do.
template <class F> class threshold : public beginning {
public:
  GPUMEMPROF_TRANSPARENT_ explicit threshold(const limits &l, F &&called)
      : function(static_cast<F &&>(called)) {
    struct ::gpumemprof_threshold t = {};
    t.size = sizeof t;
    t.device = l.device;
    t.warn_bytes = l.warn_bytes;
    t.critical_bytes = l.critical_bytes;
    t.warn_percent = l.warn_percent;
    t.critical_percent = l.critical_percent;
    t.callback = call;
    t.data = this;
    status = gpumemprof_threshold_add(&t);
  }
  GPUMEMPROF_TRANSPARENT_ ~threshold() {
    if (status > 0) gpumemprof_threshold_remove(status);
  }

private:
  GPUMEMPROF_TRANSPARENT_ static void call(const crossing *what, void *self) noexcept {
    static_cast<threshold *>(self)->function(*what);
  }
  F function;
};
template <class F> threshold(const limits &, F &&) -> threshold<F>;

// Calls function(const cycle &), an object, when a cycle of the schedule has ended, instead of the
// one before; null: nobody. A thread may be in that one still, so that what is given has to stay to
// the end of the program. 0, or an error.
template <class F, class = std::enable_if_t<std::is_object_v<F>>>
GPUMEMPROF_TRANSPARENT_ inline int on_cycle(F &function) noexcept {
  struct calling {
    GPUMEMPROF_TRANSPARENT_ static void call(const cycle *what, void *data) noexcept {
      (*static_cast<F *>(data))(*what);
    }
  };
  const void *data = &function;
  return gpumemprof_on_cycle(calling::call, const_cast<void *>(data));
}
template <class F> int on_cycle(const F &&) = delete; // it would be gone by then
GPUMEMPROF_TRANSPARENT_ inline int on_cycle(std::nullptr_t) noexcept {
  return gpumemprof_on_cycle(nullptr, nullptr);
}

// ---- what is left -----------------------------------------------------------------------------

constexpr uint64_t until_now = GPUMEMPROF_NOW; // in place of a mark

GPUMEMPROF_TRANSPARENT_ inline uint64_t mark(const char *name = nullptr) noexcept {
  return gpumemprof_mark(name);
}
GPUMEMPROF_TRANSPARENT_ inline remaining leaks(uint64_t from, uint64_t to = until_now) noexcept {
  return gpumemprof_leaks(from, to, nullptr, nullptr);
}
// And calls function(const block &) for each.
template <class F, class = std::enable_if_t<std::is_invocable_v<F &, const block &>>>
GPUMEMPROF_TRANSPARENT_ inline remaining leaks(uint64_t from, uint64_t to, F &&function) noexcept {
  struct calling {
    std::remove_reference_t<F> &function;
    GPUMEMPROF_TRANSPARENT_ static void call(const block *what, void *data) noexcept {
      static_cast<calling *>(data)->function(*what);
    }
  } each{function};
  return gpumemprof_leaks(from, to, calling::call, &each);
}
#ifdef GPUMEMPROF_SPAN_
// As many of them as there is room for.
GPUMEMPROF_TRANSPARENT_ inline std::span<block> leaks(uint64_t from, uint64_t to,
                                                      std::span<block> room) noexcept {
  struct filling {
    std::span<block> room;
    size_t count;
    GPUMEMPROF_TRANSPARENT_ static void call(const block *what, void *data) noexcept {
      filling *f = static_cast<filling *>(data);
      if (f->count < f->room.size()) f->room[f->count++] = *what;
    }
  } fill{room, 0};
  gpumemprof_leaks(from, to, filling::call, &fill);
  return room.first(fill.count);
}
#endif

// ---- control -----------------------------------------------------------------------------------

// What any thread allocates and frees while the object lives belongs to the line (paused).
class paused : public beginning {
public:
  GPUMEMPROF_TRANSPARENT_ paused() noexcept : beginning(gpumemprof_pause()) {}
  GPUMEMPROF_TRANSPARENT_ ~paused() {
    if (!status) gpumemprof_resume();
  }
};

// Samples of the devices in every interval while the object lives; there is one monitor, so its end
// also ends one that the option monitor= began.
class monitor : public beginning {
public:
  GPUMEMPROF_TRANSPARENT_ explicit monitor(uint64_t interval_ns) noexcept
      : beginning(gpumemprof_monitor_start(interval_ns)) {}
  GPUMEMPROF_TRANSPARENT_ ~monitor() {
    if (!status) gpumemprof_monitor_stop();
  }
};

// "off", "ring" or "all". 0, or an error.
GPUMEMPROF_TRANSPARENT_ inline int history(const char *mode) noexcept {
  return gpumemprof_history(mode);
}
// A copy of the capture as it is now; null: a name of its own. 0, or an error.
GPUMEMPROF_TRANSPARENT_ inline int dump(const char *path = nullptr) noexcept {
  return gpumemprof_dump(path);
}
// The CUDA ordinal of "1", "GPU-3f2a" or "current", or an error.
GPUMEMPROF_TRANSPARENT_ inline int device(const char *text) noexcept {
  return gpumemprof_device(text);
}

} // namespace gpumemprof

#endif // GPUMEMPROF_HPP
