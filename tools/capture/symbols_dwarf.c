/* symbols_dwarf.c - see symbols.h. Debug information by libdwarf.
 *
 * Each compilation unit whose ranges hold a wanted address is read once: its line table gives the
 * line of the innermost code, its tree of subprograms and inlined subroutines gives the functions
 * and where each was inlined. Damaged information ends the search in its unit and gives no wrong
 * names.
 */
#include "capture/symbols.h"

#include "support/memory.h"

#ifndef GPM_HAVE_LIBDWARF

bool gpm_dwarf_find(const struct gpm_elf *elf, struct gpm_source *sources, size_t count) {
  (void)elf, (void)sources, (void)count;
  return false;
}

#else

#include <dwarf.h>
#include <libdwarf.h>
#include <stdlib.h>
#include <unistd.h>

#define DEEPEST 200        /* nested blocks; deeper ones are ignored */

struct unit {
  Dwarf_Debug dbg;
  Dwarf_Die die;
  Dwarf_Half version;
  Dwarf_Addr base;
  char **files; /* the files of its line table */
  Dwarf_Signed file_count;
  const unsigned char *table; /* .debug_line, and where the unit's lines begin in it */
  uint64_t table_size, table_at;
};

static bool has(const struct unit *u, Dwarf_Die die, Dwarf_Half which, Dwarf_Attribute *a) {
  (void)u;
  return dwarf_attr(die, which, a, NULL) == DW_DLV_OK;
}

static bool number(const struct unit *u, Dwarf_Die die, Dwarf_Half which, Dwarf_Unsigned *value) {
  Dwarf_Attribute a;
  Dwarf_Signed s;
  if (!has(u, die, which, &a)) return false;
  bool ok = dwarf_formudata(a, value, NULL) == DW_DLV_OK;
  if (!ok && dwarf_formsdata(a, &s, NULL) == DW_DLV_OK) *value = (Dwarf_Unsigned)s, ok = true;
  dwarf_dealloc(u->dbg, a, DW_DLA_ATTR);
  return ok;
}

/* DWARF 5. */
static bool listed(const struct unit *u, Dwarf_Attribute a, Dwarf_Half form, Dwarf_Unsigned where,
                   Dwarf_Addr pc) {
  Dwarf_Rnglists_Head head;
  Dwarf_Unsigned entries = 0, offset = 0;
  bool found = false;
  (void)u;
  if (dwarf_rnglists_get_rle_head(a, form, where, &head, &entries, &offset, NULL) != DW_DLV_OK)
    return false;
  for (Dwarf_Unsigned i = 0; i < entries && !found; i++) {
    unsigned length, code;
    Dwarf_Unsigned raw1, raw2, low = 0, high = 0;
    Dwarf_Bool unavailable = 0;
    if (dwarf_get_rnglists_entry_fields_a(head, i, &length, &code, &raw1, &raw2, &unavailable, &low,
                                          &high, NULL) != DW_DLV_OK ||
        code == DW_RLE_end_of_list)
      break;
    bool range = code == DW_RLE_startx_endx || code == DW_RLE_startx_length ||
                 code == DW_RLE_offset_pair || code == DW_RLE_start_end ||
                 code == DW_RLE_start_length;
    found = range && !unavailable && pc >= low && pc < high;
  }
  dwarf_dealloc_rnglists_head(head);
  return found;
}

/* DWARF 2 to 4. */
static bool in_ranges(const struct unit *u, Dwarf_Die die, Dwarf_Off offset, Dwarf_Addr pc) {
  Dwarf_Ranges *ranges;
  Dwarf_Signed count = 0;
  Dwarf_Unsigned bytes = 0;
  Dwarf_Off real = 0;
  Dwarf_Addr base = u->base;
  bool found = false;
  if (dwarf_get_ranges_b(u->dbg, offset, die, &real, &ranges, &count, &bytes, NULL) != DW_DLV_OK)
    return false;
  for (Dwarf_Signed i = 0; i < count && !found; i++) {
    if (ranges[i].dwr_type == DW_RANGES_ADDRESS_SELECTION) base = ranges[i].dwr_addr2;
    else if (ranges[i].dwr_type == DW_RANGES_ENTRY)
      found = pc >= base + ranges[i].dwr_addr1 && pc < base + ranges[i].dwr_addr2;
  }
  dwarf_ranges_dealloc(u->dbg, ranges, count);
  return found;
}

static bool covers(const struct unit *u, Dwarf_Die die, Dwarf_Addr pc) {
  Dwarf_Addr low = 0, high = 0;
  Dwarf_Half form = 0;
  enum Dwarf_Form_Class class;
  Dwarf_Attribute a;
  if (dwarf_lowpc(die, &low, NULL) == DW_DLV_OK &&
      dwarf_highpc_b(die, &high, &form, &class, NULL) == DW_DLV_OK)
    return pc >= low && pc < (class == DW_FORM_CLASS_CONSTANT ? low + high : high);
  if (!has(u, die, DW_AT_ranges, &a)) return false;
  Dwarf_Unsigned where = 0;
  Dwarf_Off offset = 0;
  bool found = false;
  if (dwarf_whatform(a, &form, NULL) == DW_DLV_OK) {
    bool ok = form == DW_FORM_rnglistx ? dwarf_formudata(a, &where, NULL) == DW_DLV_OK
                                       : dwarf_global_formref(a, &offset, NULL) == DW_DLV_OK;
    if (form != DW_FORM_rnglistx) where = offset;
    if (ok) found = u->version >= 5 ? listed(u, a, form, where, pc) : in_ranges(u, die, where, pc);
  }
  dwarf_dealloc(u->dbg, a, DW_DLA_ATTR);
  return found;
}

/* Its linkage name, which includes class and namespace, or else its plain name. */
static char *own_name(const struct unit *u, Dwarf_Die die) {
  Dwarf_Attribute a;
  char *name = NULL;
  if (has(u, die, DW_AT_linkage_name, &a)) {
    bool ok = dwarf_formstring(a, &name, NULL) == DW_DLV_OK;
    dwarf_dealloc(u->dbg, a, DW_DLA_ATTR);
    if (ok) return gpm_symbols_readable(gpm_memory_text(name));
  }
  return dwarf_diename(die, &name, NULL) == DW_DLV_OK ? gpm_memory_text(name) : NULL;
}

/* A function's name: its own or that of what it is a copy or the definition of. */
static char *name_of(const struct unit *u, Dwarf_Die die, int depth) {
  char *name = own_name(u, die);
  if (name) return name;
  static const Dwarf_Half links[] = {DW_AT_abstract_origin, DW_AT_specification};
  for (int i = 0; i < 2 && depth < 8; i++) {
    Dwarf_Attribute a;
    Dwarf_Off offset = 0;
    Dwarf_Die other;
    if (!has(u, die, links[i], &a)) continue;
    bool ok = dwarf_global_formref(a, &offset, NULL) == DW_DLV_OK;
    dwarf_dealloc(u->dbg, a, DW_DLA_ATTR);
    if (!ok || dwarf_offdie_b(u->dbg, offset, 1, &other, NULL) != DW_DLV_OK) continue;
    name = name_of(u, other, depth + 1);
    dwarf_dealloc(u->dbg, other, DW_DLA_DIE);
    return name;
  }
  return NULL;
}

static char *file_of(const struct unit *u, Dwarf_Unsigned index) {
  if (u->version < 5) index--; /* counted from 1 */
  return index < (Dwarf_Unsigned)u->file_count ? gpm_memory_text(u->files[index]) : NULL;
}

/* The functions that hold an address, outermost first. */
struct holders {
  Dwarf_Die die[16];
  unsigned count;
};

static void find_holders(const struct unit *u, Dwarf_Die parent, Dwarf_Addr pc, struct holders *h,
                         int depth) {
  Dwarf_Die child, next;
  int more = dwarf_child(parent, &child, NULL);
  while (more == DW_DLV_OK) {
    Dwarf_Half tag = 0;
    bool kept = false;
    dwarf_tag(child, &tag, NULL);
    bool function = tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
    bool around = tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
                  tag == DW_TAG_catch_block; /* or namespaces and classes, without ranges */
    bool names = tag == DW_TAG_namespace || tag == DW_TAG_class_type ||
                 tag == DW_TAG_structure_type || tag == DW_TAG_module;
    if (depth < DEEPEST && (names || ((function || around) && covers(u, child, pc)))) {
      if (function && h->count < sizeof h->die / sizeof *h->die) {
        h->die[h->count++] = child;
        kept = true;
      }
      find_holders(u, child, pc, h, depth + 1);
    }
    more = dwarf_siblingof_b(u->dbg, child, 1, &next, NULL);
    if (!kept) dwarf_dealloc(u->dbg, child, DW_DLA_DIE);
    child = next;
  }
}

/* The line of an address by the line table: the last entry at or below it, in its sequence. */
static void find_line(const struct unit *u, Dwarf_Line *lines, Dwarf_Signed count, Dwarf_Addr pc,
                      struct gpm_source_frame *f) {
  for (Dwarf_Signed i = 0; i + 1 < count; i++) {
    Dwarf_Addr here = 0, next = 0;
    Dwarf_Bool end = 0;
    Dwarf_Unsigned line = 0, number = 1;
    char *file = NULL;
    if (dwarf_lineaddr(lines[i], &here, NULL) || dwarf_lineaddr(lines[i + 1], &next, NULL) ||
        dwarf_lineendsequence(lines[i], &end, NULL))
      return;
    if (end || pc < here || pc >= next) continue;
    if (!dwarf_lineno(lines[i], &line, NULL)) f->line = (uint32_t)line;
    if (u->version >= 5 && !dwarf_line_srcfileno(lines[i], &number, NULL) && !number)
      number = gpm_lines_file(u->table, u->table_size, u->table_at, pc, 0);
    else number = 0;
    if (number) f->file = file_of(u, number);
    else if (!dwarf_linesrc(lines[i], &file, NULL)) f->file = gpm_memory_text(file);
    return;
  }
}

static void describe(const struct unit *u, Dwarf_Line *lines, Dwarf_Signed line_count,
                     struct gpm_source *s) {
  struct holders h = {.count = 0};
  struct gpm_source_frame where = {0};
  find_holders(u, u->die, s->address, &h, 0);
  find_line(u, lines, line_count, s->address, &where);
  for (unsigned i = h.count; i-- > 0;) { /* innermost first */
    Dwarf_Half tag = 0;
    struct gpm_source_frame *f = &s->frame[s->count++];
    *f = where;
    f->function = name_of(u, h.die[i], 0);
    where = (struct gpm_source_frame){0};
    dwarf_tag(h.die[i], &tag, NULL);
    if (tag == DW_TAG_inlined_subroutine) { /* where the next one called it */
      Dwarf_Unsigned file = 0, line = 0;
      if (number(u, h.die[i], DW_AT_call_file, &file)) where.file = file_of(u, file);
      if (number(u, h.die[i], DW_AT_call_line, &line)) where.line = (uint32_t)line;
    }
    dwarf_dealloc(u->dbg, h.die[i], DW_DLA_DIE);
  }
  if (!s->count && where.file) s->frame[s->count++] = where;
}

static void find_table(struct unit *u, const struct gpm_elf *elf) {
  Dwarf_Attribute a;
  Dwarf_Off offset = 0;
  if (!has(u, u->die, DW_AT_stmt_list, &a)) return;
  bool ok = dwarf_global_formref(a, &offset, NULL) == DW_DLV_OK;
  dwarf_dealloc(u->dbg, a, DW_DLA_ATTR);
  if (ok) u->table = gpm_elf_section(elf, ".debug_line", &u->table_size);
  u->table_at = offset;
}

static bool is_skeleton(const struct unit *u) {
  Dwarf_Bool old = 0, new = 0;
  dwarf_hasattr(u->die, DW_AT_GNU_dwo_name, &old, NULL);
  dwarf_hasattr(u->die, DW_AT_dwo_name, &new, NULL);
  return old || new;
}

static void search_unit(struct unit *u, const struct gpm_elf *elf, struct gpm_source *sources,
                        size_t count) {
  Dwarf_Line_Context context = NULL;
  Dwarf_Line *lines = NULL;
  Dwarf_Signed line_count = 0;
  Dwarf_Unsigned version = 0;
  Dwarf_Small tables = 0;
  bool opened = false;
  dwarf_lowpc(u->die, &u->base, NULL);
  for (size_t i = 0; i < count; i++) {
    if (sources[i].count || !covers(u, u->die, sources[i].address)) continue;
    if (!opened) { /* a unit is opened for the first address in it */
      opened = true;
      find_table(u, elf);
      if (dwarf_srcfiles(u->die, &u->files, &u->file_count, NULL) != DW_DLV_OK) u->file_count = 0;
      if (dwarf_srclines_b(u->die, &version, &tables, &context, NULL) != DW_DLV_OK ||
          dwarf_srclines_from_linecontext(context, &lines, &line_count, NULL) != DW_DLV_OK)
        line_count = 0;
    }
    describe(u, lines, line_count, &sources[i]);
    sources[i].partial = is_skeleton(u);
  }
  if (context) dwarf_srclines_dealloc_b(context);
  for (Dwarf_Signed i = 0; i < u->file_count; i++)
    dwarf_dealloc(u->dbg, u->files[i], DW_DLA_STRING);
  if (u->file_count) dwarf_dealloc(u->dbg, u->files, DW_DLA_LIST);
}

/* Without a handler libdwarf ends the process if a call without an error argument fails. */
static void pass_over(Dwarf_Error error, Dwarf_Ptr context) {
  (void)error, (void)context;
}

bool gpm_dwarf_find(const struct gpm_elf *elf, struct gpm_source *sources, size_t count) {
  Dwarf_Debug dbg;
  int fd = dup(elf->fd);
#ifdef DW_LIBDWARF_VERSION /* 0.1 and newer */
  bool open = dwarf_init_b(fd, DW_GROUPNUMBER_ANY, pass_over, NULL, &dbg, NULL) == DW_DLV_OK;
#else
  bool open =
      dwarf_init_b(fd, DW_DLC_READ, DW_GROUPNUMBER_ANY, pass_over, NULL, &dbg, NULL) == DW_DLV_OK;
#endif
  while (open) {
    struct unit u = {.dbg = dbg};
    Dwarf_Unsigned length, type_offset, next;
    Dwarf_Half address_size, length_size, extension, unit_type;
    Dwarf_Off abbreviations;
    Dwarf_Sig8 signature;
    if (dwarf_next_cu_header_d(dbg, 1, &length, &u.version, &abbreviations, &address_size,
                               &length_size, &extension, &signature, &type_offset, &next,
                               &unit_type, NULL) != DW_DLV_OK ||
        dwarf_siblingof_b(dbg, NULL, 1, &u.die, NULL) != DW_DLV_OK)
      break;
    search_unit(&u, elf, sources, count);
    dwarf_dealloc(dbg, u.die, DW_DLA_DIE);
  }
#ifdef DW_LIBDWARF_VERSION
  if (open) dwarf_finish(dbg);
#else
  if (open) dwarf_finish(dbg, NULL);
#endif
  close(fd);
  return true;
}

#endif
