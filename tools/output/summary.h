/* summary.h - prints what precedes every report: program, state, devices, conservation, losses,
 * failures. */
#ifndef GPM_TOOLS_SUMMARY_H
#define GPM_TOOLS_SUMMARY_H

#include "analysis/conserve.h"
#include "model/profile.h"
#include "support/text.h"

/* Prints the head of a report: a line for each device, and above it what is not as it should be.
 * With `verbose` also what is: the program, the names of devices, the balance, what is in use.
 * `style` is that of text.h. */
void gpm_summary_print(const struct gpm_profile *profile, unsigned style, bool verbose);
/* Prints the head of an answer, which has its own figures of devices: only what is not as it should
 * be (a run that did not end, a part of it, sums that do not balance, losses), or all of the above.
 */
void gpm_summary_print_before_answer(const struct gpm_profile *profile, unsigned style,
                                     bool verbose);
/* Returns when the device's peak was: "after 3.9 ms", "when the part began". `text` has room for
 * it.
 */
enum { GPM_SUMMARY_WHEN = GPM_TEXT_NUMBER + 16 };
const char *gpm_summary_when(char *text, const struct gpm_reader *reader,
                             const struct gpumemprof_capture_device *device);
/* Prints "1 KiB allocated - 0 freed = 1 KiB live (blocks: 1 - 0 = 1)", of a part of the run with
 * what was live before it. */
void gpm_summary_print_balance(const struct gpm_conservation *sums, bool part, unsigned style);
/* The sums of what the filter of the profile leaves. */
struct gpm_conservation gpm_summary_left(const struct gpm_profile *profile);
/* Prints their balance; nothing without --filter, or if they are not known (sizes, in reports that
 * do not split cells by them). */
void gpm_summary_print_filter(const struct gpm_profile *profile, unsigned style);
/* Whether that time was before the latest reset of figures. */
bool gpm_summary_is_before_reset(const struct gpm_reader *reader, uint64_t ticks);
/* Prints that what follows `what`, "the drawing has", is of the time before the reset as well,
 * unlike the figures of the summary. */
void gpm_summary_print_before_reset(const struct gpm_reader *reader, const char *what);
/* Prints losses, limits that were reached, and failed allocations. These come last so that they are
 * seen. */
void gpm_summary_print_losses(const struct gpm_reader *reader);
/* Prints the same with a text before each line. */
void gpm_summary_print_losses_behind(const struct gpm_reader *reader, const char *before);
void gpm_summary_print_failures(const struct gpm_profile *profile, unsigned style);

enum gpm_counter_class { /* is_loss of counters.def */
                         GPM_COUNTER_OTHER,
                         GPM_COUNTER_LOSS,
                         GPM_COUNTER_LIMIT, /* totals are exact, but not everything has a row of its
                                               own */
                         GPM_COUNTER_UNCHECKED, /* a check that was asked for could not be made */
                         GPM_COUNTER_CLASSES
};
struct gpm_counter {
  const char *name, *unit, *text;
  enum gpm_counter_class class;
};
/* By number in the header. The table ends with an entry without a name. */
extern const struct gpm_counter gpm_counters[];
/* The first word of a line about a counter, by class. It is null for OTHER. */
extern const char *const gpm_counter_words[GPM_COUNTER_CLASSES];

#endif
