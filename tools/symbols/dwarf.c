/* dwarf.c - see symbols.h. Where addresses are in source, by libdw of elfutils.
 *
 * files.c opens a module with its debug information. Each compilation unit whose ranges
 * hold a wanted address is read once: its line table gives the line of the innermost code, its tree
 * of subprograms and inlined subroutines gives the functions and where each was inlined. Units are
 * found by their own ranges, because .debug_aranges is missing where clang compiled. Damaged
 * information ends the search in its unit and gives no wrong names.
 */
#include "symbols/files.h"

#include "support/memory.h"
#include "support/text.h"

#ifdef GPM_HAVE_LIBDW

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST 200 /* nested blocks; deeper ones are ignored */

/* An address that is looked up, and the functions that hold it, outermost first. */
struct place {
  struct gpm_source *source;
  Dwarf_Addr pc;
  Dwarf_Die *holder;
  unsigned count;
};

struct unit {
  Dwarf_Die lines; /* of the file itself: it has the ranges and the line table */
  Dwarf_Die tree;  /* the same, or that of split DWARF: it has the functions */
  bool partial;    /* the file of split DWARF is not there */
};

/* ---- names and lines ---------------------------------------------------------------------------
 */

static const char *text(Dwarf_Die *die, unsigned which) {
  Dwarf_Attribute a;
  return dwarf_formstring(dwarf_attr_integrate(die, which, &a));
}

static uint32_t number(Dwarf_Die *die, unsigned which) {
  Dwarf_Attribute a;
  Dwarf_Word value = 0;
  if (dwarf_formudata(dwarf_attr_integrate(die, which, &a), &value)) return 0;
  return (uint32_t)value;
}

/* The scopes around the class of a function that was inlined, itself first; 0: it is in none. */
static int scopes_of_class(Dwarf_Die *die, Dwarf_Die **scopes) {
  Dwarf_Die function = *die;
  Dwarf_Attribute a;
  static const unsigned links[] = {DW_AT_abstract_origin, DW_AT_specification};
  for (int i = 0; i < 2; i++)
    if (dwarf_attr(&function, links[i], &a) && !dwarf_formref_die(&a, &function)) return 0;
  int count = dwarf_getscopes_die(&function, scopes);
  if (count < 2) return 0;
  int tag = dwarf_tag(&(*scopes)[1]);
  return tag == DW_TAG_class_type || tag == DW_TAG_structure_type ? count : 0;
}

/* Its linkage name, which includes class and namespace, or else its plain name. in_it: a line. */
static char *name_of(struct unit *u, Dwarf_Die *die, const struct gpm_source_frame *in_it);

/* "{lambda at a.cpp:12}": gcc gives a lambda neither a linkage name nor a declaration, so its line
 * is that of its first code, if that was not inlined from another file, or else one in it. */
static char *name_of_lambda(struct unit *u, Dwarf_Die *die, const struct gpm_source_frame *in_it) {
  Dwarf_Addr begin = 0;
  int line = 0;
  Dwarf_Line *found = dwarf_entrypc(die, &begin) ? NULL : dwarf_getsrc_die(&u->lines, begin);
  const char *file = found ? dwarf_linesrc(found, NULL, NULL) : NULL;
  if (!in_it->file) return gpm_memory_text("{lambda}");
  if (!file || strcmp(file, in_it->file) != 0 || dwarf_lineno(found, &line) ||
      line > (int)in_it->line)
    line = (int)in_it->line;
  return gpm_memory_format("{lambda at %s:%d}", gpm_text_base(in_it->file), line);
}

/* "Adder::operator()", or "main::{lambda at a.cpp:12}::operator()". */
static char *name_of_operator(struct unit *u, Dwarf_Die *die, const struct gpm_source_frame *in_it,
                              const char *name) {
  Dwarf_Die *scopes = NULL;
  Dwarf_Attribute a;
  bool is_lambda = dwarf_attr_integrate(die, DW_AT_artificial, &a) != NULL;
  int count = scopes_of_class(die, &scopes); /* which takes time, so only here */
  const char *class = count ? dwarf_diename(&scopes[1]) : NULL;
  char *around = NULL, *lambda = is_lambda ? name_of_lambda(u, die, in_it) : NULL;
  for (int i = 2; is_lambda && i < count && !around; i++)
    if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram) around = name_of(u, &scopes[i], in_it);
  char *whole = gpm_memory_format("%s%s%s%s%s", around ? around : "", around ? "::" : "",
                                  lambda  ? lambda
                                  : class ? class
                                          : "",
                                  lambda || class ? "::" : "", name);
  free(lambda);
  free(around);
  free(scopes);
  return whole;
}

static char *name_of(struct unit *u, Dwarf_Die *die, const struct gpm_source_frame *in_it) {
  const char *name = text(die, DW_AT_linkage_name);
  if (!name) name = text(die, DW_AT_MIPS_linkage_name);
  if (name) return gpm_symbols_readable(gpm_memory_text(name));
  name = text(die, DW_AT_name);
  if (!name) return NULL;
  return strcmp(name, "operator()") != 0 ? gpm_memory_text(name)
                                         : name_of_operator(u, die, in_it, name);
}

/* The file that an attribute numbers, in the table of its own unit. */
static char *file_of(Dwarf_Die *die, unsigned which) {
  Dwarf_Attribute a;
  Dwarf_Word index = 0;
  Dwarf_Die unit;
  Dwarf_Files *files;
  size_t count;
  if (!dwarf_attr_integrate(die, which, &a) || dwarf_formudata(&a, &index) ||
      !dwarf_cu_die(a.cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL) ||
      dwarf_getsrcfiles(&unit, &files, &count) || index >= count)
    return NULL;
  const char *name = dwarf_filesrc(files, index, NULL, NULL);
  return name ? gpm_memory_text(name) : NULL;
}

static void find_line(struct unit *u, Dwarf_Addr pc, struct gpm_source_frame *f) {
  int line = 0;
  Dwarf_Line *found = dwarf_getsrc_die(&u->lines, pc);
  const char *file = found ? dwarf_linesrc(found, NULL, NULL) : NULL;
  if (!file) return;
  f->file = gpm_memory_text(file);
  if (!dwarf_lineno(found, &line) && line > 0) f->line = (uint32_t)line;
}

static void describe(struct unit *u, struct place *p) {
  struct gpm_source *s = p->source;
  struct gpm_source_frame where = {0};
  find_line(u, p->pc, &where);
  s->partial = u->partial;
  free(s->frame); /* of another unit, which did not know it */
  s->frame = gpm_memory_array(p->count ? p->count : 1, sizeof *s->frame);
  for (unsigned i = p->count; i-- > 0;) { /* innermost first */
    struct gpm_source_frame *f = &s->frame[s->count++];
    Dwarf_Die *die = &p->holder[i];
    *f = where;
    f->function = name_of(u, die, f);
    f->declared_file = file_of(die, DW_AT_decl_file);
    f->declared_line = number(die, DW_AT_decl_line);
    where = (struct gpm_source_frame){0};
    if (dwarf_tag(die) != DW_TAG_inlined_subroutine) continue;
    where.file = file_of(die, DW_AT_call_file); /* where the next one called it */
    where.line = number(die, DW_AT_call_line);
  }
  if (!p->count && where.file) s->frame[s->count++] = where;
  else gpm_symbols_free_frame(&where);
}

/* ---- which functions hold an address -----------------------------------------------------------
 */

/* Places in the order of their addresses, each once. */
struct list {
  struct place **place;
  size_t count, room;
};

static int by_address(const void *a, const void *b) {
  const struct place *x = *(struct place *const *)a, *y = *(struct place *const *)b;
  return x->pc < y->pc ? -1 : x->pc > y->pc;
}

static void add(struct list *l, struct place *p) {
  if (l->count == l->room) {
    l->room = l->room ? 2 * l->room : 8;
    l->place = gpm_memory_resize(l->place, l->room, sizeof(struct place *));
  }
  l->place[l->count++] = p;
}

static void add_range(struct list *inside, const struct list *of, Dwarf_Addr begin,
                      Dwarf_Addr end) {
  size_t low = 0, high = of->count; /* low: the first at or behind `begin` */
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (of->place[middle]->pc < begin) low = middle + 1;
    else high = middle;
  }
  for (; low < of->count && of->place[low]->pc < end; low++) add(inside, of->place[low]);
}

/* Those that lie in the ranges of a DIE; its array is to be freed. */
static struct list covered(Dwarf_Die *die, const struct list *of) {
  Dwarf_Addr base = 0, begin, end;
  ptrdiff_t at = 0;
  size_t parts = 0, kept = 0;
  struct list inside = {NULL, 0, 0};
  while ((at = dwarf_ranges(die, at, &base, &begin, &end)) > 0) {
    size_t before = inside.count;
    add_range(&inside, of, begin, end);
    parts += inside.count > before;
  }
  if (parts < 2) return inside;
  qsort(inside.place, inside.count, sizeof(struct place *), by_address);
  for (size_t i = 0; i < inside.count; i++) /* damaged ranges may overlap */
    if (!kept || inside.place[kept - 1] != inside.place[i]) inside.place[kept++] = inside.place[i];
  inside.count = kept;
  return inside;
}

static void hold(struct place *p, const Dwarf_Die *die) {
  p->holder = gpm_memory_resize(p->holder, p->count + 1, sizeof *p->holder);
  p->holder[p->count++] = *die;
}

static void find_holders(Dwarf_Die *parent, const struct list *of, int depth) {
  Dwarf_Die die, next;
  bool more = depth < DEEPEST && dwarf_child(parent, &die) == 0;
  while (more) {
    int tag = dwarf_tag(&die);
    bool function = tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
    bool around = tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
                  tag == DW_TAG_catch_block; /* or namespaces and classes, without ranges */
    bool names = tag == DW_TAG_namespace || tag == DW_TAG_class_type ||
                 tag == DW_TAG_structure_type || tag == DW_TAG_module;
    struct list inside = {NULL, 0, 0};
    if (function || around) inside = covered(&die, of);
    for (size_t i = 0; function && i < inside.count; i++) hold(inside.place[i], &die);
    if (names || inside.count) find_holders(&die, names ? of : &inside, depth + 1);
    free(inside.place);
    /* A damaged sibling that is not behind would never end. */
    more = dwarf_siblingof(&die, &next) == 0 && dwarf_dieoffset(&next) > dwarf_dieoffset(&die);
    die = next;
  }
}

/* ---- units -------------------------------------------------------------------------------------
 */

static void search_unit(struct unit *u, const struct list *of) {
  struct list inside = covered(&u->lines, of), unknown = {NULL, 0, 0};
  for (size_t i = 0; i < inside.count; i++)
    if (!inside.place[i]->source->count) add(&unknown, inside.place[i]);
  if (unknown.count) find_holders(&u->tree, &unknown, 0);
  for (size_t i = 0; i < unknown.count; i++) {
    describe(u, unknown.place[i]);
    free(unknown.place[i]->holder);
    unknown.place[i]->holder = NULL;
    unknown.place[i]->count = 0;
  }
  free(inside.place);
  free(unknown.place);
}

void gpm_dwarf_find(Dwarf *dwarf, uint64_t bias, struct gpm_source *sources, size_t count) {
  struct place *place = gpm_memory_array(count, sizeof *place);
  struct list all = {NULL, 0, 0};
  for (size_t i = 0; i < count; i++) {
    place[i] = (struct place){.source = &sources[i], .pc = sources[i].address + bias};
    add(&all, &place[i]);
  }
  if (count) qsort(all.place, count, sizeof(struct place *), by_address);
  Dwarf_CU *unit = NULL;
  Dwarf_Die die, split;
  uint8_t type;
  while (dwarf_get_units(dwarf, unit, &unit, NULL, &type, &die, &split) == 0) {
    if (type != DW_UT_compile && type != DW_UT_skeleton) continue;
    bool is_split = type == DW_UT_skeleton;
    struct unit u = {
        .lines = die, .tree = is_split && split.cu ? split : die, .partial = is_split && !split.cu};
    search_unit(&u, &all);
  }
  free(all.place);
  free(place);
}

#endif
