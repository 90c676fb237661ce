/* words.c - how messages name bytes, files and functions. Texts come from the capture, which stays
 * mapped when the program's objects do not. */
#include "capture/words.h"
#include "base/text.h"
#include "capture/capture.h"
#include "capture/strings.h"

#include <string.h>

static size_t longest_name(const struct gpm_words *w) {
  return w->longest_name ? w->longest_name : 64;
}

void gpm_words_add(struct gpm_words *w, const char *text) {
  w->length = gpm_text_add(w->text, sizeof w->text, w->length, text);
}

void gpm_words_number(struct gpm_words *w, uint64_t number) {
  w->length = gpm_text_add_number(w->text, sizeof w->text, w->length, number);
}

void gpm_words_bytes(struct gpm_words *w, uint64_t bytes) {
  w->length = gpm_text_add_bytes(w->text, sizeof w->text, w->length, bytes);
}

static void words_cut(struct gpm_words *w, const char *text, size_t most) {
  for (; *text && most; text++, most--) {
    const char one[2] = {*text, 0};
    gpm_words_add(w, (unsigned char)*text < 0x20 || *text == 0x7f ? " " : one);
  }
  if (*text) gpm_words_add(w, "...");
}

static const char *words_text(uint32_t string) {
  return string ? gpm_strings_text(string) : "";
}

void gpm_words_name(struct gpm_words *w, uint32_t string) {
  words_cut(w, words_text(string), longest_name(w));
}

static void words_path(struct gpm_words *w, const char *path, uint32_t line) {
  const char *folder = gpm_capture->directory;
  size_t n = strlen(folder);
  if (n && !strncmp(path, folder, n) && path[n] == '/') path += n + 1;
  size_t length = strlen(path);
  if (w->longest_file && length > w->longest_file) {
    path += length - w->longest_file;
    const char *slash = strchr(path, '/');
    if (slash && slash[1]) path = slash;
    gpm_words_add(w, "...");
  }
  words_cut(w, path, length);
  if (!line) return;
  gpm_words_add(w, ":");
  gpm_words_number(w, line);
}

void gpm_words_file(struct gpm_words *w, uint32_t file, uint32_t line) {
  words_path(w, words_text(file), line);
}

void gpm_words_at(struct gpm_words *w, const char *file, uint32_t line, const char *function) {
  if (line) words_path(w, file, line);
  else if (!*function) gpm_words_add(w, "code that was not rebuilt");
  if (line && *function) gpm_words_add(w, " ");
  words_cut(w, function, longest_name(w));
}

void gpm_words_location(struct gpm_words *w, uint32_t file, uint32_t line, uint32_t function) {
  gpm_words_at(w, words_text(file), line, words_text(function));
}
