/* cmd_advise.c - `gpumemprof advise`: which line to change, and by how many bytes the peak of a
 * device falls then. */
#include "advise/advise.h"
#include "analysis/oom.h"
#include "capture/source_root.h"
#include "commands/facts_option.h"
#include "input/command.h"
#include "output/summary.h"
#include "rows/locations.h"
#include "support/text.h"

#include <stdlib.h>
#include <string.h>

enum { OPTION_RULE = 256, OPTION_FAIL, OPTION_ROOT, OPTION_BOUNDS };
enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_SARIF };

struct advise {
  struct gpm_input input;
  enum format format;
  unsigned rules; /* a bit for each --rule of changes */
  unsigned costs; /* the same of costs. Neither was given: all changes */
  bool fail, bounds, least_given;
  const char *asked_root;
  struct gpm_kernel_code code;
};

const struct argp_option gpm_cmd_advise_options[] = {
    {"rule", OPTION_RULE, "RULE", 0,
     "only changes by this rule of those below, such as late-free (may be given several times; a "
     "finding "
     "of several changes needs the rules of all of them)",
     0},
    {"bounds", OPTION_BOUNDS, NULL, 0,
     "how low the peak could be, whatever is changed: instead of changes in text, and in addition "
     "to them in JSON",
     0},
    {"fail", OPTION_FAIL, NULL, 0,
     "exit status 1 when there is a finding, and 2 when there is none but memory was not judged",
     0},
    GPM_FACTS_OPTION(""),
    {"source-root", OPTION_ROOT, "DIR", 0,
     "with --format sarif: what paths are relative to (default: the top of the git repository that "
     "the working folder is in)",
     0},
    {NULL, 0, NULL, 0, "Rules of what lowers the peak:", GPM_OPTIONS_WORDS},
#define GPM_ADVICE(NAME, id, round, effort, action, text)                                          \
  {id, 0, NULL, OPTION_DOC, text, GPM_OPTIONS_WORDS},
#define GPM_ADVICE_CASE(...)
#include "advice/rules.def"
    {NULL, 0, NULL, 0, "Rules of something else, which are listed only if --rule names them:",
     GPM_OPTIONS_MORE_WORDS},
#define GPM_COST(NAME, id, text) {id, 0, NULL, OPTION_DOC, text, GPM_OPTIONS_MORE_WORDS},
#include "costs/costs.def"
    {0},
};

/* Sets the bits of the rule with an id, of changes or of costs. */
static void ask_for(struct advise *o, const char *word) {
  const char *words[(unsigned)GPM_ADVICE_IDS + GPM_COSTS + 1] = {0};
  for (unsigned i = 0; i < GPM_ADVICE_IDS; i++) words[i] = gpm_advice_texts[i].id;
  for (unsigned i = 0; i < GPM_COSTS; i++)
    words[(unsigned)GPM_ADVICE_IDS + i] = gpm_cost_texts[i].id;
  unsigned rule = (unsigned)gpm_say_choice("rule", word, words);
  if (rule >= GPM_ADVICE_IDS) {
    o->costs |= 1u << (rule - GPM_ADVICE_IDS);
    return;
  }
  for (unsigned i = 0; i < GPM_ADVICE_RULES; i++)
    if ((unsigned)gpm_advice_rule_with_id((enum gpm_advice_rule)i) == rule) o->rules |= 1u << i;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct advise *o = state->input;
  switch (key) {
  case OPTION_RULE:
    ask_for(o, arg);
    return 0;
  case OPTION_BOUNDS:
    o->bounds = true;
    return 0;
  case ARGP_KEY_END:
    if (o->bounds && o->format == FORMAT_SARIF)
      argp_error(state, "--bounds are no findings, so they have no SARIF; --format json has them");
    if (o->bounds && o->format == FORMAT_TEXT &&
        (o->rules || o->costs || o->fail || o->least_given))
      argp_error(state, "--bounds cannot be combined with --rule, --min or --fail");
    return 0;
  case OPTION_FAIL:
    o->fail = true;
    return 0;
  case GPM_OPTION_FACTS:
    return gpm_facts_option_add(&o->code, arg);
  case OPTION_ROOT:
    o->asked_root = arg;
    return 0;
  case GPM_OPTION_MIN:
    o->least_given = true;
    return gpm_input_parse(key, arg, state, &o->input);
  case 'f':
    o->format = (enum format)gpm_options_format(o->input.command, arg);
    o->input.format = o->format == FORMAT_TEXT ? GPM_FORMAT_TABLE : GPM_FORMAT_JSON;
    return 0;
  default:
    return gpm_input_parse(key, arg, state, &o->input);
  }
}

/* Fills in which findings are wanted, and how many of them are shown. */
static void select_findings(const struct advise *o, struct gpm_advise *a) {
  a->finding = gpm_memory_array(a->advice->count, sizeof(struct gpm_advice_finding *));
  for (uint32_t i = 0; i < a->advice->count; i++) {
    struct gpm_advice_finding *f = &a->advice->finding[i];
    if (a->device != GPM_ALL_DEVICES && a->device != f->changes->device) continue;
    if (gpm_advice_is_large(a->advice, f)) a->finding[a->count++] = f;
    else a->small++;
  }
  a->shown = gpm_input_shown(&o->input, a->count);
}

static int answer(struct advise *o, const struct gpm_profile *profile, const char *root) {
  struct gpm_uses uses;
  struct gpm_pages pages = {.count = 0};
  struct gpm_advice advice;
  bool changes = !o->bounds || o->format != FORMAT_TEXT;
  gpm_progress("reading PTX");
  gpm_kernel_code_add_modules(&o->code, o->input.reader);
  gpm_progress("finding what used which memory");
  bool marked = o->input.reader->pages.count != 0;
  if (!gpm_uses_read(&uses, o->input.reader, profile, &o->code) ||
      (marked && !gpm_pages_read(&pages, o->input.reader))) {
    gpm_pages_free(&pages);
    gpm_uses_free(&uses);
    return GPM_EXIT_USAGE;
  }
  gpm_progress(changes ? "trying what lowers the peak" : "finding how low the peak can be");
  if (changes)
    gpm_advice_make_of(&advice, &uses, marked ? &pages : NULL,
                       o->rules || o->costs ? o->rules : GPM_ADVICE_BY_DEFAULT,
                       o->least_given ? o->input.least : GPM_ADVICE_HUNDREDTH);
  else advice = (struct gpm_advice){0};
  struct gpm_costs costs = {0};
  if (o->costs) gpm_costs_find(&costs, &uses, &advice, o->input.reader, o->costs);
  gpm_progress(NULL);
  struct gpm_advise a = {.profile = profile,
                         .uses = &uses,
                         .advice = &advice,
                         .bounds = o->bounds,
                         .costs = o->costs ? &costs : NULL,
                         .all = gpm_input_shows_all(&o->input),
                         .rules = o->rules,
                         .device = o->input.filter.device,
                         .style = o->input.exact ? GPM_TEXT_EXACT : 0};
  select_findings(o, &a);
  if (o->costs) a.shown_costs = gpm_input_shown(&o->input, gpm_advise_costs(&a));
  if (changes) gpm_advise_warn_of_newer_source(&a);
  if (!changes) gpm_advise_print_bounds(&a);
  else if (o->format == FORMAT_TEXT) {
    if (gpm_oom_count(o->input.reader)) gpm_summary_print_failures(profile, a.style);
    if (o->rules || !o->costs) gpm_advise_print_text(&a);
    if (o->costs) gpm_advise_print_costs(&a);
  } else if (o->format == FORMAT_JSON) gpm_advise_print_json(&a);
  else gpm_advise_print_sarif(&a, root);
  bool found = a.count || (o->costs && gpm_advise_costs(&a));
  int status = o->fail && found ? GPM_EXIT_FINDING : GPM_EXIT_OK;
  bool of_peak = o->rules || !o->costs;
  if (o->fail && !found && of_peak &&
      gpm_advise_leaves_open(&a, o->least_given ? &o->input.least : NULL))
    status = GPM_EXIT_USAGE;
  free(a.finding);
  gpm_costs_free(&costs);
  gpm_advice_free(&advice);
  gpm_pages_free(&pages);
  gpm_uses_free(&uses);
  return status;
}

/* Returns why there is no answer about the device that was asked for, as a sentence that the caller
 * frees, or null. */
static char *why_not_of_device(const struct advise *o) {
  uint32_t device = o->input.filter.device;
  const struct gpm_reader *r = o->input.reader;
  if (device == GPM_ALL_DEVICES || gpm_advice_is_gpu(r, device)) return NULL;
  if (r->devices[device].ordinal != GPUMEMPROF_HOST)
    return gpm_memory_format("there is no advice about --device %s: it is about memory of GPUs and "
                             "pinned memory of the host",
                             gpm_locations_not_gpu(r->devices[device].ordinal));
  return o->bounds ? gpm_memory_text("--bounds are of GPUs: how the host uses its memory is not "
                                     "recorded")
                   : NULL;
}

int gpm_cmd_advise_run(const struct gpm_command *command, int argc, char **argv) {
  struct advise o = {0};
  char *wrong = NULL, *root = NULL;
  gpm_command_parse(command, argc, argv, 0, parse, &o);
  if (o.format == FORMAT_SARIF) {
    root = gpm_source_root(o.asked_root, &wrong);
    gpm_say_refuse(wrong);
  }
  int status = GPM_EXIT_USAGE;
  struct gpm_profile *profile = gpm_input_read(&o.input);
  if (profile) {
    gpm_progress(NULL);
    if (gpm_say_is_wrong(gpm_uses_lacks(o.input.reader, "advice")))
      gpm_say("`gpumemprof advise --help` and docs/guide/lower-the-peak.md say how; a program that "
              "was built with `gpumemprof flags sim` needs --facts, too");
    else if (!gpm_say_is_wrong(why_not_of_device(&o))) status = answer(&o, profile, root);
    gpm_input_close(&o.input, profile);
  }
  gpm_kernel_code_free(&o.code);
  free(root);
  return status;
}
