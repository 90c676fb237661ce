/* page_section.c - writes a section of the page: see page.h.
 *
 *   <script type="application/octet-stream" data-section="NAME">H4sIAAAA...</script>
 *
 * Base64 has no character that means anything in HTML, so that no text of a capture can end the
 * section or the page.
 */
#include "input/command.h"
#include "page/page.h"
#include "support/gzip.h"

#include <stdlib.h>
#include <string.h>

#define HEAD "<script type=\"application/octet-stream\" data-section=\"%s\">"
#define TAIL "</script>\n"

/* ---- base64 ------------------------------------------------------------------------------------
 */

struct encoder {
  FILE *to;
  uint64_t *size; /* bytes written, added up here */
  unsigned char left[3];
  unsigned count; /* of them */
};

static void encode(const unsigned char three[3], char four[4]) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  uint32_t bits = (uint32_t)three[0] << 16 | (uint32_t)three[1] << 8 | three[2];
  for (unsigned i = 0; i < 4; i++) four[i] = digits[bits >> (18 - 6 * i) & 63];
}

static ssize_t write_encoded(void *cookie, const char *data, size_t size) {
  struct encoder *e = cookie;
  char out[4096];
  size_t made = 0;
  for (size_t i = 0; i < size; i++) {
    e->left[e->count++] = (unsigned char)data[i];
    if (e->count < 3) continue;
    e->count = 0;
    encode(e->left, out + made);
    made += 4;
    if (made < sizeof out) continue;
    if (fwrite(out, 1, made, e->to) != made) return 0;
    *e->size += made;
    made = 0;
  }
  if (fwrite(out, 1, made, e->to) != made) return 0;
  *e->size += made;
  return (ssize_t)size;
}

static int close_encoded(void *cookie) {
  struct encoder *e = cookie;
  char four[4];
  bool ok = true;
  if (e->count) {
    for (unsigned i = e->count; i < 3; i++) e->left[i] = 0;
    encode(e->left, four);
    for (unsigned i = e->count + 1; i < 4; i++) four[i] = '=';
    ok = fwrite(four, 1, sizeof four, e->to) == sizeof four;
    *e->size += sizeof four;
  }
  free(e);
  return ok ? 0 : EOF;
}

static FILE *base64(FILE *to, uint64_t *size) {
  struct encoder *e = gpm_memory_array(1, sizeof *e);
  *e = (struct encoder){.to = to, .size = size};
  return fopencookie(e, "w",
                     (cookie_io_functions_t){.write = write_encoded, .close = close_encoded});
}

/* ---- sections ----------------------------------------------------------------------------------
 */

bool gpm_page_section_begin(struct gpm_page_section *s, FILE *to, const char *name) {
  *s = (struct gpm_page_section){.to = to};
  int head = fprintf(to, HEAD, name);
  s->size = head > 0 ? (uint64_t)head : 0;
  s->base64 = base64(to, &s->size);
  s->file = s->base64 ? gpm_gzip_open(s->base64) : NULL;
  if (!s->file) gpm_say("there is not enough memory to compress the page");
  return s->file != NULL;
}

bool gpm_page_section_end(struct gpm_page_section *s) {
  bool ok = !ferror(s->file);
  ok = !fclose(s->file) && ok;
  ok = !fclose(s->base64) && ok;
  ok = fputs(TAIL, s->to) >= 0 && ok;
  s->size += strlen(TAIL);
  return ok;
}
