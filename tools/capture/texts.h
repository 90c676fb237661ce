/* texts.h - texts that the tool adds to a capture it has read: names of addresses, shorter names.
 * They follow the capture's own texts, so that records refer to them by an offset as to all others.
 */
#ifndef GPM_TOOLS_TEXTS_H
#define GPM_TOOLS_TEXTS_H

#include "capture/reader.h"
#include "support/map.h"
#include "support/memory.h"

struct gpm_texts {
  struct gpm_reader *reader; /* null: they are texts of their own, which begin at offset 1 */
  struct gpm_map known;      /* hash -> offset */
  char *text;
  size_t size, room;
};

/* The offset of a text, the same for equal texts; 0 for no text, and if no offset is left. */
uint32_t gpm_texts_put(struct gpm_texts *texts, const char *text);
/* Moves the texts to the reader, and frees this struct's memory. */
void gpm_texts_publish(struct gpm_texts *texts);

#endif
