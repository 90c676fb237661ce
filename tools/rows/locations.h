/* locations.h - the names of rows and call paths: "main.c:10 main float *x = n * sizeof(float)".
 *
 * Unless a comment says otherwise, a function returns the text that its comment describes, which is
 * clean (text.h) and which the caller frees. */
#ifndef GPM_TOOLS_LOCATIONS_H
#define GPM_TOOLS_LOCATIONS_H

#include "rows/rows.h"

/* The text at an offset of the capture; "" if there is none. */
char *gpm_locations_text(const struct gpm_reader *reader, uint32_t offset);
/* "float *x = n * sizeof(float)", or "" where the site allocates nothing. */
char *gpm_locations_allocation(const struct gpm_reader *reader, uint32_t site);
/* " (+2 more)" after the location of a line with 3 calls, of which one is named; "" for a line with
 * one call. */
char *gpm_locations_more(uint64_t calls);
/* "main.c:10 main" for a node; unknown locations are named as unknown. */
char *gpm_locations_node(const struct gpm_profile *profile, uint32_t node);
/* "main.c:10 main" for a site, or GPUMEMPROF_NONE. */
char *gpm_locations_site(const struct gpm_reader *reader, uint32_t site);
/* For a node, or without the function: "main.c:10". */
char *gpm_locations_node_short(const struct gpm_profile *profile, uint32_t node, bool function);
/* "main.c:10 main  float *x = n" for a node: where it is, and what it allocates there if it does.
 */
char *gpm_locations_node_allocation(const struct gpm_profile *profile, uint32_t node);
/* "main.c:11 main > main.c:4 step > main.c:1 make": the calls above and including a node. */
char *gpm_locations_path(const struct gpm_profile *profile, uint32_t node);
/* Only the calls above a node: "main.c:12 main > main.c:3 step", or "". */
char *gpm_locations_callers(const struct gpm_profile *profile, uint32_t node);
/* Returns the node of the call that led to a node; 0: no call did. */
uint32_t gpm_locations_caller(const struct gpm_profile *profile, uint32_t node);
/* Returns whether a user may call the function by that name: "solve" names "ns::solve<int>", too.
 */
bool gpm_locations_is_called(const char *function, const char *name);
/* Returns which text a row is of, as an offset of the capture, for rows by a text. */
uint32_t gpm_locations_name(const struct gpm_rows *rows, const struct gpm_row *row);
/* The location column of a row. */
char *gpm_locations_row(const struct gpm_rows *rows, const struct gpm_row *row);
/* Returns the location of a row as a key; for a row by path, the location of its node. */
struct gpm_key gpm_locations_key(const struct gpm_rows *rows, const struct gpm_row *row);
/* "frees 200.00 MiB of main.c:10 main (x)", or null. */
char *gpm_locations_foreign(const struct gpm_rows *rows, const struct gpm_row *row, unsigned style);
/* "host" or a similar word for an ordinal that is not a GPU's; null for a GPU. The text is static.
 */
const char *gpm_locations_not_gpu(int ordinal);
/* "GPU 0" or "host". */
char *gpm_locations_device(const struct gpm_reader *reader, uint32_t device);
const char *gpm_locations_kind(uint32_t kind);
/* "default stream of GPU 0" or "stream 55d0c0 of GPU 1" for the record of a stream; "(no stream)"
 * for the number after the last. */
char *gpm_locations_stream(const struct gpm_reader *reader, uint32_t stream);
#define GPM_LOCATIONS_UUID 41
/* Writes "GPU-0f1e2d3c-..." to `text`, or "" if it is not known, and returns `text`. */
const char *gpm_locations_uuid(const struct gpm_reader *reader, uint32_t device,
                               char text[GPM_LOCATIONS_UUID]);
/* The name of a pool of CUDA: "the device's default pool", "pool made at main.c:3". */
char *gpm_locations_pool(const struct gpm_reader *reader,
                         const struct gpumemprof_capture_pool *pool);

#endif
