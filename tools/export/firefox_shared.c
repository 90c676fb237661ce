/* firefox_shared.c - the tables that the threads of a profile share: stacks, frames, functions,
 * sources, strings.
 *
 * The viewer's call tree is made of functions, and it shows a function with the line that the
 * function is said to begin at. Its function is therefore a frame of ours, with the line of the
 * call: otherwise the memory of all lines of a function would be one row.
 */
#include "export/clean_text.h"
#include "export/firefox.h"

#include <inttypes.h>

/* A stack is a node that has a frame; node 0 is also that of paths without any. */
static bool is_stack(const struct gpm_frames *frames, uint32_t node) {
  return !node || frames->of_node[node] != GPUMEMPROF_NONE;
}

/* Parents have lower numbers than their children, as the format wants it. */
void gpm_firefox_number_stacks(struct gpm_firefox *p) {
  const struct gpm_frames *frames = p->x->frames;
  uint32_t count = p->x->profile->node_count, stacks = 0;
  p->stack = gpm_memory_array(count, sizeof *p->stack);
  for (uint32_t n = 0; n < count; n++)
    p->stack[n] = is_stack(frames, n) ? stacks++ : p->stack[p->x->profile->tree.node[n].parent];
}

static void write_stacks(struct gpm_firefox *p) {
  const struct gpm_frames *frames = p->x->frames;
  uint32_t count = p->x->profile->node_count, stacks = 0;
  const char *comma = "";
  fputs("\"stackTable\":{\"frame\":[", p->f);
  for (uint32_t n = 0; n < count; n++) {
    if (!is_stack(frames, n)) continue;
    fprintf(p->f, "%s%" PRIu32, comma, gpm_frames_innermost(frames, n));
    comma = ",";
    stacks++;
  }
  fputs("],\n\"prefix\":[", p->f);
  comma = "";
  for (uint32_t n = 0; n < count; n++) {
    uint32_t above = n;
    if (!is_stack(frames, n)) continue;
    if (gpm_frames_above(frames, &above) == GPUMEMPROF_NONE) fprintf(p->f, "%snull", comma);
    else fprintf(p->f, "%s%" PRIu32, comma, p->stack[above]);
    comma = ",";
  }
  fprintf(p->f, "],\n\"length\":%" PRIu32 "}", stacks);
}

static void write_lines(struct gpm_firefox *p, const char *key) {
  fprintf(p->f, ",\n\"%s\":[", key);
  for (uint32_t i = 0; i < p->x->frames->keys.count; i++) {
    uint32_t line = gpm_frames_line(p->x->frames, i);
    if (line) fprintf(p->f, "%s%" PRIu32, i ? "," : "", line);
    else fprintf(p->f, "%snull", i ? "," : "");
  }
  putc(']', p->f);
}

static void write_frames(struct gpm_firefox *p) {
  uint32_t count = p->x->frames->keys.count;
  fprintf(p->f, ",\n\"frameTable\":{\"length\":%" PRIu32 ",\n\"func\":[", count);
  for (uint32_t i = 0; i < count; i++) fprintf(p->f, "%s%" PRIu32, i ? "," : "", i);
  putc(']', p->f);
  write_lines(p, "line");
  gpm_firefox_write_same(p, "column", "null", count);
  gpm_firefox_write_same(p, "address", "-1", count);
  gpm_firefox_write_same(p, "inlineDepth", "0", count);
  fputs(",\n\"category\":[", p->f);
  for (uint32_t i = 0; i < count; i++)
    fprintf(p->f, "%s%d", i ? "," : "", p->x->frames->keys.key[i].function ? 1 : 0);
  putc(']', p->f);
  gpm_firefox_write_same(p, "subcategory", "0", count);
  gpm_firefox_write_same(p, "nativeSymbol", "null", count);
  gpm_firefox_write_same(p, "innerWindowID", "0", count);
  putc('}', p->f);
}

/* `files` gets the text of each source, in the order of their numbers. */
static void write_functions(struct gpm_firefox *p, struct gpm_words *files) {
  const struct gpm_frames *frames = p->x->frames;
  uint32_t count = frames->keys.count;
  fprintf(p->f, ",\n\"funcTable\":{\"length\":%" PRIu32 ",\n\"name\":[", count);
  for (uint32_t i = 0; i < count; i++) {
    char *name = gpm_frames_function(frames, i);
    fprintf(p->f, "%s%" PRIu32, i ? "," : "", gpm_words_exact(&p->strings, name));
    free(name);
  }
  fputs("],\n\"source\":[", p->f);
  for (uint32_t i = 0; i < count; i++) {
    char *file = gpm_frames_file(frames, i);
    if (*file) fprintf(p->f, "%s%" PRIu32, i ? "," : "", gpm_words_exact(files, file));
    else fprintf(p->f, "%snull", i ? "," : "");
    free(file);
  }
  putc(']', p->f);
  write_lines(p, "lineNumber");
  gpm_firefox_write_same(p, "columnNumber", "null", count);
  gpm_firefox_write_same(p, "isJS", "false", count);
  gpm_firefox_write_same(p, "relevantForJS", "false", count);
  gpm_firefox_write_same(p, "resource", "-1", count);
  putc('}', p->f);
}

static void write_sources(struct gpm_firefox *p, const struct gpm_words *files) {
  fprintf(p->f, ",\n\"sources\":{\"length\":%" PRIu32 ",\n\"filename\":[", files->count);
  for (uint32_t i = 0; i < files->count; i++)
    fprintf(p->f, "%s%" PRIu32, i ? "," : "", gpm_words_exact(&p->strings, files->text[i]));
  putc(']', p->f);
  gpm_firefox_write_same(p, "id", "null", files->count);
  gpm_firefox_write_same(p, "startLine", "1", files->count);
  gpm_firefox_write_same(p, "startColumn", "1", files->count);
  gpm_firefox_write_same(p, "sourceMapURL", "null", files->count);
  putc('}', p->f);
}

static void write_strings(struct gpm_firefox *p) {
  fputs(",\n\"stringArray\":[", p->f);
  for (uint32_t i = 0; i < p->strings.count; i++) {
    fputs(i ? ",\n" : "", p->f);
    gpm_export_quote(p->f, p->strings.text[i]);
  }
  putc(']', p->f);
}

void gpm_firefox_write_shared(struct gpm_firefox *p) {
  struct gpm_words files = {0};
  fputs("\"shared\":{", p->f);
  write_stacks(p);
  write_frames(p);
  write_functions(p, &files);
  write_sources(p, &files);
  fputs(",\n\"resourceTable\":{\"length\":0,\"lib\":[],\"name\":[],\"host\":[],\"type\":[]}"
        ",\n\"nativeSymbols\":{\"length\":0,\"libIndex\":[],\"address\":[],\"name\":[],"
        "\"functionSize\":[]}",
        p->f);
  write_strings(p);
  putc('}', p->f);
  gpm_words_free(&files);
}
