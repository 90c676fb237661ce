/* text.h - numbers, paths and names as people read them. */
#ifndef GPM_TOOLS_TEXT_H
#define GPM_TOOLS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpm_host;

#define GPM_TEXT_NUMBER 48 /* room for any number below */

enum gpm_text_style {
  GPM_TEXT_EXACT = 1, /* bytes, all digits */
  GPM_TEXT_SIGN = 2,  /* + or - before it, unless 0 */
};

/* "350.00 MiB", "976.56 KiB", "12 B": in its own unit, as pages have it. */
const char *gpm_text_bytes(char out[GPM_TEXT_NUMBER], int64_t bytes, unsigned style);
/* "5.8 ms", "1.250 s"; as pages have it (test/figures.txt). */
const char *gpm_text_duration(char out[GPM_TEXT_NUMBER], uint64_t ns);
/* At most five columns and a sign: "1.50G" (K, M, G, T: KiB and so on), "12345", "1.23M" (thousands
 * k, millions M) and, less than 10, "0.5". What is not 0 never looks like it. */
const char *gpm_text_short_bytes(char out[GPM_TEXT_NUMBER], int64_t bytes, unsigned style);
const char *gpm_text_short_count(char out[GPM_TEXT_NUMBER], double count);
/* Rounded to the nearest whole number; a value that is too large becomes the largest. */
int64_t gpm_text_whole(double number);
/* "24GiB", "512M", "1000": false when it is none. */
bool gpm_text_parse_bytes(const char *text, uint64_t *bytes);

/* "100ms", "1.5s", "0" or "off", as the runtime takes it. */
bool gpm_text_is_duration(const char *text);
/* "20": as bytes or nanoseconds hardly what anybody means; 0 needs no unit. */
bool gpm_text_lacks_unit(const char *text);
/* As an option of the command line: bytes, and no number that lacks its unit. */
bool gpm_text_parse_size(const char *text, uint64_t *bytes);
/* "100ms", "1.5s": a number with a unit; else false. */
bool gpm_text_parse_duration(const char *text, uint64_t *ns);

/* Only digits, and a value of no more than `most`. */
bool gpm_text_parse_count(const char *text, uint32_t most, uint32_t *count);

/* Valid UTF-8 without control characters, because texts of a capture are written to a terminal. To
 * be freed. */
char *gpm_text_clean(const char *text);
/* The part after the last slash, within the given text. */
const char *gpm_text_base(const char *path);
/* A path as the host wants it: relative below the host's folder, elsewhere the shorter form, or no
 * folders at all. To be freed. */
char *gpm_text_path(const struct gpm_host *host, const char *path);
/* The same of a source file, without the folder that all files of the program share. To be freed.
 */
char *gpm_text_file(const struct gpm_host *host, const char *path);
/* "off, ring or all", of one word or more up to a null; to be freed. */
char *gpm_text_alternatives(const char *const *words);
/* A path, or a value in a link, encoded for a URL: %20 for a blank. To be freed. */
char *gpm_text_url(const char *text);
/* One word of a command line, quoted for the shell where it needs it; to be freed. */
char *gpm_text_shell(const char *word);
/* The ending of a noun: "" for one, else "s". */
const char *gpm_text_s(uint64_t count);
/* What so many of a counter are, "3 threads that ..." as counters.def has it: 1 thread that ...; to
 * be freed. */
char *gpm_text_counted(uint64_t count, const char *text);
/* Finds the index of a word in a list (ending with null). Null, or what is wrong ("there is no
 * format `jsn`; did you mean `json`?"), to be freed. */
char *gpm_text_choose(const char *what, const char *word, const char *const *words, size_t *chosen);
/* The word of a list (ending with null) nearest to a mistyped one; null when none is near. */
const char *gpm_text_nearest(const char *word, const char *const *words);

/* Whether a file came with the system, and not with the program. */
bool gpm_text_is_of_the_system(const char *file);
/* "0x1a2b in app": a function, or a call, of which nothing else is known. */
static inline bool gpm_text_is_address(const char *function) {
  return function[0] == '0' && function[1] == 'x';
}

#endif
