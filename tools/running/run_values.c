/* run_values.c - see run_values.h. */
#include "running/run_values.h"

#include "support/memory.h"
#include "support/text.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* As in runtime/options/options.h and ranks.c. */
enum {
  LONGEST_DUMP = 95,
  LONGEST_RANKS = 511,
  LARGEST_RANK = 999999999,
  SHORTEST_INTERVAL_NS = 10000000
};

int gpm_run_values_signal(const char *name) {
  static const struct {
    const char *name;
    int number;
  } signals[] = {
#define GPUMEMPROF_SIGNAL(name) {#name, SIG##name},
#include "gpumemprof/signals.def"
  };
  char *end;
  long number = strtol(name, &end, 10);
  bool is_number = *name && !*end;
  if (!strncmp(name, "SIG", 3)) name += 3;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    if (is_number ? number == signals[i].number : !strcmp(name, signals[i].name))
      return signals[i].number;
  return is_number && number >= 35 && number <= 64 ? (int)number : 0;
}

static bool is_trigger(const char *text) {
  static const char signal_word[] = "signal:", every[] = "every:", bytes_word[] = "bytes:";
  uint64_t number = 0;
  if (!strcmp(text, "peak")) return true;
  if (!strncmp(text, signal_word, strlen(signal_word)))
    return gpm_run_values_signal(text + strlen(signal_word));
  if (!strncmp(text, every, strlen(every)))
    return gpm_text_parse_duration(text + strlen(every), &number) && number >= SHORTEST_INTERVAL_NS;
  return !strncmp(text, bytes_word, strlen(bytes_word)) &&
         gpm_text_parse_size(text + strlen(bytes_word), &number) && number;
}

bool gpm_run_values_is_dump(const char *text) {
  if (!strcmp(text, "off")) return true;
  if (strlen(text) > LONGEST_DUMP) return false;
  char *copy = gpm_memory_text(text), *rest = copy;
  bool is = true;
  for (const char *one; is && (one = strsep(&rest, ","));) is = is_trigger(one);
  free(copy);
  return is;
}

/* Moves *text behind the number that begins there; false: none does. */
static bool take_number(const char **text, uint64_t *number) {
  char *end;
  if (**text < '0' || **text > '9') return false;
  *number = strtoull(*text, &end, 10);
  *text = end;
  return *number <= LARGEST_RANK;
}

bool gpm_run_values_are_ranks(const char *text) {
  if (!strcmp(text, "all")) return true;
  if (strlen(text) > LONGEST_RANKS) return false;
  for (;; text++) {
    uint64_t first, last;
    if (!take_number(&text, &first)) return false;
    last = first;
    if (*text == '-' && (text++, !take_number(&text, &last) || last < first)) return false;
    if (!*text) return true;
    if (*text != ',') return false;
  }
}
