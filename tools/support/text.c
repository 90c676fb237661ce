/* text.c - see text.h. */
#include "support/text.h"

#include "support/host.h"
#include "support/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* size / 2^shift in hundredths. Halves are rounded up, as the page does: printf takes the even
 * digit. */
static uint64_t hundredths(uint64_t size, unsigned shift) {
  return (uint64_t)(((unsigned __int128)size * 100 + ((uint64_t)1 << shift) / 2) >> shift);
}

/* With its own unit, as the page has it: 1023.996 KiB would read 1024.00, and is 1.00 MiB. */
static void put_with_unit(char out[GPM_TEXT_NUMBER], const char *sign, uint64_t size) {
  static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  unsigned unit = 0;
  while (unit < 4 && hundredths(size, 10 * (unit + 1)) >= 102400) unit++;
  uint64_t parts = hundredths(size, 10 * (unit + 1));
  snprintf(out, GPM_TEXT_NUMBER, "%s%" PRIu64 ".%02" PRIu64 " %s", sign, parts / 100, parts % 100,
           units[unit]);
}

const char *gpm_text_bytes(char out[GPM_TEXT_NUMBER], int64_t bytes, unsigned style) {
  uint64_t size = bytes < 0 ? 0 - (uint64_t)bytes : (uint64_t)bytes;
  const char *sign = bytes < 0 ? "-" : bytes > 0 && (style & GPM_TEXT_SIGN) ? "+" : "";
  if (style & GPM_TEXT_EXACT) snprintf(out, GPM_TEXT_NUMBER, "%s%" PRIu64, sign, size);
  else if (!size) snprintf(out, GPM_TEXT_NUMBER, "0");
  else if (size < 1024) snprintf(out, GPM_TEXT_NUMBER, "%s%" PRIu64 " B", sign, size);
  else put_with_unit(out, sign, size);
  return out;
}

/* Three significant digits, and a unit. */
static void put_short(char out[GPM_TEXT_NUMBER], const char *sign, double value, double step,
                      const char *units) {
  while (units[1] && value >= step - 0.5) {
    value /= step;
    units++;
  }
  int places = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  snprintf(out, GPM_TEXT_NUMBER, "%s%.*f%c", sign, places, value, *units);
}

const char *gpm_text_short_bytes(char out[GPM_TEXT_NUMBER], int64_t bytes, unsigned style) {
  uint64_t size = bytes < 0 ? 0 - (uint64_t)bytes : (uint64_t)bytes;
  const char *sign = bytes < 0 ? "-" : bytes > 0 && (style & GPM_TEXT_SIGN) ? "+" : "";
  if (size < 1024) snprintf(out, GPM_TEXT_NUMBER, "%s%" PRIu64 "%s", sign, size, size ? "B" : "");
  else put_short(out, sign, (double)size / 1024, 1024, "KMGTPE");
  return out;
}

const char *gpm_text_short_count(char out[GPM_TEXT_NUMBER], double count) {
  if (count <= 0) snprintf(out, GPM_TEXT_NUMBER, "0");
  else if (count < 0.1) snprintf(out, GPM_TEXT_NUMBER, "<0.1");
  else if (count < 9.95 && count != (double)(int)count)
    snprintf(out, GPM_TEXT_NUMBER, "%.1f", count);
  else if (count < 99999.5) snprintf(out, GPM_TEXT_NUMBER, "%.0f", count);
  else put_short(out, "", count / 1000, 1000, "kMGTPE");
  return out;
}

const char *gpm_text_duration(char out[GPM_TEXT_NUMBER], uint64_t ns) {
  bool is_ms = ns >= 999950; /* never 1000.0 us */
  uint64_t step = is_ms ? 100000 : 100, tenths = ns / step + (ns % step >= step / 2);
  if (ns < 1000) snprintf(out, GPM_TEXT_NUMBER, "%" PRIu64 " ns", ns);
  else if (ns < 999950000)
    snprintf(out, GPM_TEXT_NUMBER, "%" PRIu64 ".%" PRIu64 " %s", tenths / 10, tenths % 10,
             is_ms ? "ms" : "us");
  else {
    uint64_t ms = ns / 1000000 + (ns % 1000000 >= 500000);
    snprintf(out, GPM_TEXT_NUMBER, "%" PRIu64 ".%03" PRIu64 " s", ms / 1000, ms % 1000);
  }
  return out;
}

int64_t gpm_text_whole(double number) {
  double rounded = number < 0 ? number - 0.5 : number + 0.5;
  if (rounded >= 0x1p63) return INT64_MAX;
  return rounded <= -0x1p63 ? INT64_MIN : (int64_t)rounded;
}

bool gpm_text_parse_bytes(const char *text, uint64_t *bytes) {
  static const char units[] = "KMGT";
  if (*text < '0' || *text > '9') return false;
  char *end;
  double number = strtod(text, &end);
  unsigned shift = 0;
  while (*end == ' ') end++;
  if (*end && strchr(units, *end & ~0x20)) {
    shift = 10 * (unsigned)(strchr(units, *end & ~0x20) - units + 1);
    end++;
    if (*end == 'i') end++;
  }
  if (*end == 'B' || *end == 'b') end++;
  number *= (double)((uint64_t)1 << shift);
  if (*end || !(number >= 0 && number < 0x1p63)) return false;
  *bytes = (uint64_t)number;
  return true;
}

bool gpm_text_lacks_unit(const char *text) {
  size_t digits = strspn(text, "0123456789");
  return digits && !text[digits] && digits < 4 && strtoul(text, NULL, 10);
}

bool gpm_text_parse_size(const char *text, uint64_t *bytes) {
  return !gpm_text_lacks_unit(text) && gpm_text_parse_bytes(text, bytes);
}

bool gpm_text_parse_duration(const char *text, uint64_t *ns) {
  static const struct {
    const char *name;
    double ns;
  } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}, {"h", 3600e9}};
  size_t digits = strspn(text, "0123456789");
  if (!digits) return false;
  const char *unit = text + digits;
  if (*unit == '.') unit += 1 + strspn(unit + 1, "0123456789");
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    if (strcmp(units[i].name, unit) != 0) continue;
    double value = strtod(text, NULL) * units[i].ns + 0.5;
    *ns = value < 0x1p63 ? (uint64_t)value : INT64_MAX;
    return true;
  }
  return false;
}

bool gpm_text_is_duration(const char *text) {
  uint64_t ns;
  return !strcmp(text, "0") || !strcmp(text, "off") || gpm_text_parse_duration(text, &ns);
}

bool gpm_text_parse_count(const char *text, uint32_t most, uint32_t *count) {
  uint64_t number = 0;
  if (!*text) return false;
  for (; *text; text++) {
    if (*text < '0' || *text > '9') return false;
    number = number * 10 + (uint64_t)(*text - '0');
    if (number > most) return false;
  }
  *count = (uint32_t)number;
  return true;
}

/* Length of the valid UTF-8 sequence at s, 0 when there is none. */
static size_t sequence(const unsigned char *s) {
  if (s[0] < 0x80) return 1;
  size_t n = s[0] >= 0xc2 && s[0] < 0xe0   ? 2
             : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
             : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                           : 0;
  for (size_t i = 1; i < n; i++)
    if ((s[i] & 0xc0) != 0x80) return 0;
  if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)) return 0;
  if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)) return 0;
  return n;
}

char *gpm_text_clean(const char *text) {
  const unsigned char *s = (const unsigned char *)text;
  char *out = gpm_memory_array(strlen(text) * 3 + 1, 1), *at = out;
  while (*s) {
    size_t n = sequence(s);
    bool control = n == 1 ? *s < 0x20 || *s == 0x7f : n == 2 && s[0] == 0xc2 && s[1] < 0xa0;
    if (!n || control) {
      memcpy(at, n ? " " : "\xef\xbf\xbd", n ? 1 : 3);
      at += n ? 1 : 3;
      s += n ? n : 1;
    } else {
      memcpy(at, s, n);
      at += n;
      s += n;
    }
  }
  return out;
}

const char *gpm_text_base(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

char *gpm_text_path(const struct gpm_host *host, const char *path) {
  bool bare = host && host->bare_files;
  const char *folder = host ? host->folder : NULL;
  char *clean = gpm_text_clean(bare ? gpm_text_base(path) : path);
  if (bare || clean[0] != '/' || !folder) return clean;
  size_t same = 0; /* length of the common folders, with their slash */
  for (size_t i = 0;; i++) {
    bool boundary = folder[i] ? folder[i] == '/' : clean[i] == '/';
    if (boundary && clean[i] == '/') same = i + 1;
    if (!folder[i] || folder[i] != clean[i]) break;
  }
  if (same < 2) return clean;
  unsigned up = 0;
  if (same < strlen(folder)) {
    up = 1;
    for (const char *c = folder + same; *c; c++) up += *c == '/';
  }
  if (up * 3 + strlen(clean + same) >= strlen(clean)) return clean;
  char *relative = gpm_memory_array(up * 3 + strlen(clean + same) + 1, 1);
  for (unsigned i = 0; i < up; i++) strcat(relative, "../");
  strcat(relative, clean + same);
  free(clean);
  return relative;
}

char *gpm_text_file(const struct gpm_host *host, const char *path) {
  size_t length = host && host->shared ? strlen(host->shared) : 0;
  if (length && !strncmp(path, host->shared, length)) return gpm_text_clean(path + length);
  return gpm_text_path(host, path);
}

char *gpm_text_shell(const char *word) {
  if (*word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
                                  "@%+=:,./-")])
    return gpm_memory_text(word);
  char *quoted = gpm_memory_array(strlen(word) * 4 + 3, 1), *at = quoted;
  *at++ = '\'';
  for (; *word; word++) {
    if (*word == '\'') at = stpcpy(at, "'\\''");
    else *at++ = *word;
  }
  *at = '\'';
  return quoted;
}

/* Edit distance, in which - and _ are alike. Words are short. */
static size_t distance(const char *a, const char *b) {
  size_t n = strlen(b), row[64];
  if (n > 62 || strlen(a) > 62) return SIZE_MAX;
  for (size_t j = 0; j <= n; j++) row[j] = j;
  for (size_t i = 1; *a; a++, i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= n; j++) {
      bool same = *a == b[j - 1] || (*a == '-' && b[j - 1] == '_');
      size_t best = diagonal + (same ? 0 : 1);
      if (row[j] + 1 < best) best = row[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      diagonal = row[j];
      row[j] = best;
    }
  }
  return row[n];
}

const char *gpm_text_nearest(const char *word, const char *const *words) {
  size_t length = strlen(word); /* of what was begun, the first that goes on like that */
  for (size_t i = 0; length > 1 && words[i]; i++)
    if (!strncmp(words[i], word, length)) return words[i];
  const char *nearest = NULL;
  size_t least = (length + 2) / 3 + 1; /* a third of it may be wrong: `foo` is no `pool` */
  for (; *words; words++) {
    size_t d = distance(word, *words);
    if (d < least) {
      least = d;
      nearest = *words;
    }
  }
  return nearest;
}

char *gpm_text_choose(const char *what, const char *word, const char *const *words,
                      size_t *chosen) {
  for (*chosen = 0; words[*chosen]; ++*chosen)
    if (!strcmp(words[*chosen], word)) return NULL;
  const char *nearest = gpm_text_nearest(word, words);
  if (nearest)
    return gpm_memory_format("there is no %s `%s`; did you mean `%s`?", what, word, nearest);
  char *all = gpm_text_alternatives(words);
  char *wrong = gpm_memory_format("there is no %s `%s`; use %s", what, word, all);
  free(all);
  return wrong;
}

const char *gpm_text_s(uint64_t count) {
  return count == 1 ? "" : "s";
}

/* The noun is the first word that ends in s: of "CUDA functions found", and of "call paths", the
 * second. */
char *gpm_text_counted(uint64_t count, const char *text) {
  size_t end = strcspn(text, " ");
  while (text[end] && text[end - 1] != 's') end += 1 + strcspn(text + end + 1, " ");
  bool plural = end && text[end - 1] == 's';
  if (count != 1 || !plural) return gpm_memory_format("%" PRIu64 " %s", count, text);
  bool ies = end > 3 && !strncmp(text + end - 3, "ies", 3); /* boundaries */
  return gpm_memory_format("1 %.*s%s%s", (int)(end - (ies ? 3 : 1)), text, ies ? "y" : "",
                           text + end);
}

char *gpm_text_alternatives(const char *const *words) {
  char *list = gpm_memory_text(words[0]);
  for (size_t i = 1; words[i]; i++) {
    char *longer = gpm_memory_format("%s%s%s", list, words[i + 1] ? ", " : " or ", words[i]);
    free(list);
    list = longer;
  }
  return list;
}

char *gpm_text_url(const char *text) {
  static const char plain[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/:,@";
  char *url = gpm_memory_array(strlen(text) * 3 + 1, 1), *to = url;
  for (; *text; text++)
    if (strchr(plain, *text)) *to++ = *text;
    else to += sprintf(to, "%%%02X", (unsigned char)*text);
  return url;
}

bool gpm_text_is_of_the_system(const char *file) {
  static const char *const folders[] = {"/usr/", "/opt/", "/lib/", "/lib64/"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    if (!strncmp(file, folders[i], strlen(folders[i]))) return true;
  return false;
}
