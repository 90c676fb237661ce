// plain_names.cpp - a program in C++17 that reads a capture and writes each type of the library by
// its plain name. It prints the same as strict.c.
#include <gpumemprof/read.h>

#include <cstdio>
#include <memory>

struct Free {
  void operator()(gpumemprof_read *reader) const { gpumemprof_read_free(reader); }
  void operator()(gpumemprof_read_list *list) const { gpumemprof_read_list_free(list); }
  void operator()(gpumemprof_read_events *events) const { gpumemprof_read_events_free(events); }
};
template <typename T> using Owned = std::unique_ptr<T, Free>;

static gpumemprof_read_status status_of(const Owned<gpumemprof_read> &reader) {
  return gpumemprof_read_status_of(reader.get());
}

static void print_lines(const Owned<gpumemprof_read> &reader) {
  const gpumemprof_read_by by = GPUMEMPROF_READ_BY_LINE;
  const Owned<gpumemprof_read_list> lines{gpumemprof_read_rows(reader.get(), 0, by)};
  const int bytes = gpumemprof_read_column(lines.get(), "self_alloc");
  const int function = gpumemprof_read_column(lines.get(), "function");
  const gpumemprof_read_unit unit = gpumemprof_read_unit_of(lines.get(), bytes);
  if (unit != GPUMEMPROF_READ_BYTES) std::puts("not in bytes");
  for (uint32_t row = 0; row < gpumemprof_read_count(lines.get()); row++)
    std::printf("%s %lu\n", gpumemprof_read_text(lines.get(), row, function),
                static_cast<unsigned long>(gpumemprof_read_number(lines.get(), row, bytes)));
}

// Counts the blocks by a walk, and once more by an iterator.
static bool print_blocks(const Owned<gpumemprof_read> &reader) {
  unsigned walked = 0, blocks = 0;
  const auto count = [](void *data, const gpumemprof_read_event *event) {
    const auto what = static_cast<gpumemprof_read_event_what>(event->what);
    *static_cast<unsigned *>(data) += what == GPUMEMPROF_READ_ALLOCATED;
    return 0;
  };
  const gpumemprof_read_listener listener{sizeof listener, 0, &walked, count};
  if (gpumemprof_read_walk(reader.get(), 0, &listener, 1)) return false;
  const Owned<gpumemprof_read_events> events{gpumemprof_read_events_of(reader.get(), 0)};
  const gpumemprof_read_event *event;
  while (!gpumemprof_read_next(events.get(), &event))
    blocks += event->what == GPUMEMPROF_READ_ALLOCATED;
  std::printf("blocks %u\n", blocks);
  return status_of(reader) == GPUMEMPROF_READ_END && walked == blocks;
}

// Asks for a list and a timeline, only to name their types.
static bool ask_more(const Owned<gpumemprof_read> &reader) {
  const gpumemprof_read_what what = GPUMEMPROF_READ_DEVICES;
  const gpumemprof_read_axis axis = GPUMEMPROF_READ_AXIS_CLOCK;
  const Owned<gpumemprof_read_list> devices{gpumemprof_read_list_of(reader.get(), 0, what)},
      parts{gpumemprof_read_timeline(reader.get(), 0, axis, 3)};
  return devices && parts;
}

int main(int argc, char **argv) {
  const Owned<gpumemprof_read> reader{gpumemprof_read_new()};
  if (argc == 2 && !gpumemprof_read_open(reader.get(), argv[1])) {
    print_lines(reader);
    if (ask_more(reader) && print_blocks(reader)) return 0;
  }
  std::fprintf(stderr, "%s\n", gpumemprof_read_sentence(reader.get()));
  return 1;
}
