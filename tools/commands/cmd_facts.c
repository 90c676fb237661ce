/* cmd_facts.c - `gpumemprof facts`: what kernels do with the memory that their parameters point to,
 * as the device code of a program says it (facts.h). */
#include "facts/facts.h"
#include "input/command.h"
#include "output/json.h"
#include "support/sink.h"
#include "support/string.h"
#include "support/text.h"
#include "symbols/symbols.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MANY_ALIKE = 8 }; /* words of a structure that are counted, not listed */

struct facts {
  struct gpm_input input; /* of which --format is used */
  struct gpm_facts facts;
  uint32_t files;
  const char *output;
};

const struct argp_option gpm_cmd_facts_options[] = {
    {"output", 'o', "FILE", 0, "default: standard output", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct facts *o = state->input;
  switch (key) {
  case 'o':
    o->output = arg;
    return 0;
  case ARGP_KEY_ARG:
    o->files++;
    gpm_progress("reading device code");
    gpm_say_refuse(gpm_facts_add(&o->facts, arg));
    return 0;
  case ARGP_KEY_END:
    if (!o->files) argp_error(state, "of which program? `gpumemprof facts app`");
    return 0;
  default:
    return gpm_input_parse(key, arg, state, &o->input);
  }
}

/* The name without its parameters and its result, which is none. To be freed. */
static char *name_of(const struct gpm_kernel_facts *k) {
  static const char result[] = "void ";
  char *name = gpm_symbols_readable(gpm_memory_text(k->symbol)), *clean = gpm_text_clean(name);
  free(name);
  if (!strncmp(clean, result, sizeof result - 1))
    memmove(clean, clean + sizeof result - 1, strlen(clean) - sizeof result + 2);
  return clean;
}

static char *reason_of(const struct gpm_kernel_facts *k) {
  char *reason = gpm_facts_reason(k), *clean = gpm_text_clean(reason);
  free(reason);
  return clean;
}

/* ---- text --------------------------------------------------------------------------------------
 */

static const char *letters_of(const struct gpm_facts_word *word) {
  static const char *const letters[] = {[GPM_FACTS_NONE] = "-",
                                        [GPM_FACTS_READ] = "r",
                                        [GPM_FACTS_WRITE] = "w",
                                        [GPM_FACTS_BOTH] = "rw",
                                        [GPM_FACTS_UNKNOWN] = "?"};
  return word->is_number ? "." : letters[word->access];
}

static const char *source_of(const struct gpm_kernel_facts *k) {
  static const char *const sources[] = {[0] = "-",
                                        [GPM_FACTS_OF_PTX] = "PTX",
                                        [GPM_FACTS_OF_COMPILER] = "clang",
                                        [GPM_FACTS_OF_PTX | GPM_FACTS_OF_COMPILER] = "both"};
  return sources[k->sources];
}

/* How many words from this one on have the same letters, before `end`. */
static uint32_t alike(const struct gpm_kernel_facts *k, uint32_t word, uint32_t end) {
  uint32_t next = word + 1;
  while (next < end && !strcmp(letters_of(&k->word[next]), letters_of(&k->word[word]))) next++;
  return next - word;
}

/* "r w . {w - r}": of each parameter, and of each 8 bytes of a structure. Many that are alike are
 * counted: "{r x3900}". */
static char *parameters_text(const struct gpm_kernel_facts *k) {
  struct gpm_string text = {0};
  if (!k->sources) gpm_string_add(&text, "?");
  for (uint32_t p = 0, w = 0; p < k->parameters; p++) {
    uint32_t end = w;
    while (end < k->words && k->word[end].parameter == p) end++;
    bool several = end > w + 1;
    gpm_string_add(&text, "%s%s", p ? " " : "", several ? "{" : "");
    if (w == end) gpm_string_add(&text, ".");
    for (uint32_t first = w, same; w < end; w += same) {
      same = alike(k, w, end);
      if (same < MANY_ALIKE) same = 1;
      gpm_string_add(&text, "%s%s", w > first ? " " : "", letters_of(&k->word[w]));
      if (same > 1) gpm_string_add(&text, " x%" PRIu32, same);
    }
    if (several) gpm_string_add(&text, "}");
  }
  return gpm_string_take(&text);
}

static void print_text(const struct gpm_facts *facts, FILE *file) {
  char **names = gpm_memory_array((size_t)facts->kernels + 1, sizeof *names),
       **parameters = gpm_memory_array((size_t)facts->kernels + 1, sizeof *parameters);
  int widest_name = 6, widest_parameters = 10; /* the titles */
  enum { WIDEST = 48 };
  for (uint32_t i = 0; i < facts->kernels; i++) {
    names[i] = name_of(&facts->kernel[i]);
    parameters[i] = parameters_text(&facts->kernel[i]);
    size_t name = strlen(names[i]), words = strlen(parameters[i]);
    if (name <= WIDEST && (int)name > widest_name) widest_name = (int)name;
    if (words <= WIDEST && (int)words > widest_parameters) widest_parameters = (int)words;
  }
  if (facts->kernels)
    fprintf(file, "%-*s  from   %-*s  %s\n", widest_name, "kernel", widest_parameters, "parameters",
            "other memory");
  for (uint32_t i = 0; i < facts->kernels; i++) {
    const struct gpm_kernel_facts *k = &facts->kernel[i];
    char *reason = k->closed ? gpm_memory_text("closed") : reason_of(k);
    fprintf(file, "%-*s  %-5s  %-*s  %s%s\n", widest_name, names[i], source_of(k),
            widest_parameters, parameters[i], k->closed ? "" : "open: ", reason);
    free(reason);
    free(names[i]);
    free(parameters[i]);
  }
  free(names);
  free(parameters);
}

/* ---- JSON --------------------------------------------------------------------------------------
 */

static json_t *words_json(const struct gpm_kernel_facts *k) {
  static const char *const classes[] = {[GPM_FACTS_NONE] = "none",
                                        [GPM_FACTS_READ] = "read",
                                        [GPM_FACTS_WRITE] = "write",
                                        [GPM_FACTS_BOTH] = "both",
                                        [GPM_FACTS_UNKNOWN] = "unknown"};
  json_t *words = json_array();
  for (uint32_t w = 0; w < k->words; w++) {
    json_t *word = json_object();
    gpm_json_put(word, facts_word, parameter, json_integer(k->word[w].parameter));
    gpm_json_put(word, facts_word, offset, json_integer(k->word[w].offset));
    gpm_json_put(word, facts_word, access, json_string(classes[k->word[w].access]));
    gpm_json_put(word, facts_word, is_number, json_boolean(k->word[w].is_number));
    json_array_append_new(words, word);
  }
  return words;
}

static json_t *kernel_json(const struct gpm_kernel_facts *k) {
  static const char *const sources[] = {
      [GPM_FACTS_OF_PTX] = "ptx",
      [GPM_FACTS_OF_COMPILER] = "clang",
      [GPM_FACTS_OF_PTX | GPM_FACTS_OF_COMPILER] = "both",
  };
  json_t *json = json_object();
  char *name = name_of(k), *reason = k->closed ? NULL : reason_of(k);
  gpm_json_put(json, kernel_facts, symbol, gpm_json_text(k->symbol));
  gpm_json_put(json, kernel_facts, name, gpm_json_text(name));
  gpm_json_put(json, kernel_facts, source,
               k->sources ? json_string(sources[k->sources]) : json_null());
  gpm_json_put(json, kernel_facts, parameters,
               k->sources ? json_integer(k->parameters) : json_null());
  gpm_json_put(json, kernel_facts, words, words_json(k));
  gpm_json_put(json, kernel_facts, closed, json_boolean(k->closed));
  gpm_json_put(json, kernel_facts, reason, reason ? gpm_json_text(reason) : json_null());
  free(name);
  free(reason);
  return json;
}

static void print_json(const struct gpm_facts *facts, FILE *file) {
  gpm_json_to(file);
  gpm_json_version();
  gpm_json_field(facts, texts, json_integer(facts->texts));
  gpm_json_field(facts, damaged, json_integer(facts->damaged));
  gpm_json_field(facts, compressed, json_integer(facts->compressed));
  gpm_json_list(facts, kernels);
  for (uint32_t i = 0; i < facts->kernels; i++) gpm_json_item(kernel_json(&facts->kernel[i]), !i);
  gpm_json_list_end();
  gpm_json_close();
  gpm_json_to(NULL);
}

/* ---- what is missing ---------------------------------------------------------------------------
 */

static void say_losses(const struct gpm_facts *facts) {
  if (facts->compressed)
    gpm_say(
        "%" PRIu32 " part%s of the device code cannot be read, because this gpumemprof was built "
        "without libzstd; build it again where libzstd-dev is installed, or compile the program "
        "with -Xfatbin -compress=false",
        facts->compressed, gpm_text_s(facts->compressed));
  if (facts->damaged)
    gpm_say("%" PRIu32
            " part%s of the device code could not be read: damaged, or of a version that "
            "is not known",
            facts->damaged, gpm_text_s(facts->damaged));
  if (facts->cut)
    gpm_say("%" PRIu32 " PTX text%s within a kernel, so a part is missing; write the PTX again",
            facts->cut, facts->cut == 1 ? " ends" : "s end");
  if (!facts->kernels && !facts->compressed && !facts->damaged)
    gpm_say(
        "there is no kernel in what was given; name the program, the library or the PTX that the "
        "kernels are in (`gpumemprof flags sim` compiles no device code)");
  uint32_t without = 0;
  for (uint32_t i = 0; i < facts->kernels; i++) without += !facts->kernel[i].sources;
  if (without)
    gpm_say("%" PRIu32 " kernel%s there only as machine code that says nothing; %s", without,
            without == 1 ? " is" : "s are", gpm_facts_remedy);
}

int gpm_cmd_facts_run(const struct gpm_command *command, int argc, char **argv) {
  struct facts o = {.files = 0};
  struct gpm_sink sink;
  gpm_command_parse(command, argc, argv, 0, parse, &o);
  gpm_progress(NULL);
  bool ok = gpm_sink_open(&sink, o.output ? o.output : "-", false);
  if (ok) {
    if (o.input.format == GPM_FORMAT_JSON) print_json(&o.facts, sink.file);
    else print_text(&o.facts, sink.file);
    ok = gpm_sink_close(&sink, true);
    say_losses(&o.facts);
  }
  gpm_facts_free(&o.facts);
  return ok ? GPM_EXIT_OK : GPM_EXIT_USAGE;
}
