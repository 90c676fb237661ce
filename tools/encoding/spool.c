/* spool.c - see spool.h. */
#include "encoding/spool.h"

#include "support/memory.h"
#include "support/say.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static void fail(struct gpm_spool *s, const char *what) {
  if (!s->failed) gpm_say("a temporary file could not be %s: %s", what, strerror(errno));
  s->failed = true;
}

bool gpm_spool_open(struct gpm_spool *s) {
  *s = (struct gpm_spool){.file = tmpfile()};
  if (!s->file) fail(s, "made");
  return s->file;
}

void gpm_spool_close(struct gpm_spool *s) {
  if (s->file) fclose(s->file);
}

static off_t place(uint64_t page) {
  return (off_t)(page * sizeof(struct gpm_spool_page));
}

static void write_page(struct gpm_spool *s, const struct gpm_spool_page *page, uint64_t number) {
  if (s->failed) return;
  ssize_t done = pwrite(fileno(s->file), page, sizeof *page, place(number));
  if (done == (ssize_t)sizeof *page) return;
  if (done >= 0) errno = ENOSPC;
  fail(s, "written");
}

static bool read_page(struct gpm_spool *s, struct gpm_spool_page *page, uint64_t number) {
  ssize_t done = s->failed ? 0 : pread(fileno(s->file), page, sizeof *page, place(number));
  if (done == (ssize_t)sizeof *page) return true;
  if (done >= 0) errno = EIO;
  fail(s, "read");
  return false;
}

void gpm_spool_add(struct gpm_spool *s, struct gpm_spool_list *list,
                   struct gpm_spool_record record) {
  size_t at = list->count % GPM_SPOOL_PAGE;
  if (!list->page) {
    list->page = gpm_memory_array(1, sizeof *list->page);
    list->first = list->last = s->pages++;
  } else if (!at) {
    list->page->next = s->pages++;
    write_page(s, list->page, list->last);
    list->last = list->page->next;
  }
  list->page->record[at] = record;
  list->count++;
}

void gpm_spool_free(struct gpm_spool_list *list) {
  free(list->page);
}

const struct gpm_spool_record *gpm_spool_next(struct gpm_spool_cursor *c) {
  if (c->at == c->list->count) return NULL;
  size_t at = c->at % GPM_SPOOL_PAGE;
  bool in_last = c->at / GPM_SPOOL_PAGE == (c->list->count - 1) / GPM_SPOOL_PAGE;
  if (!at && !in_last && !read_page(c->spool, &c->page, c->at ? c->page.next : c->list->first))
    return NULL;
  c->at++;
  return in_last ? &c->list->page->record[at] : &c->page.record[at];
}
