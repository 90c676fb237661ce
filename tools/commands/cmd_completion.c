/* cmd_completion.c - `gpumemprof completion`: shell completions, made from the table of commands
 * and their options, so that they always match what the tool accepts. */
#include "manual/values.h"

#include <stdio.h>
#include <string.h>

const struct argp_option gpm_cmd_completion_options[] = {{0}};

struct completion {
  size_t shell;
  bool chosen;
};
static const char *const shells[] = {"bash", "zsh", "fish", NULL};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct completion *o = state->input;
  switch (key) {
  case ARGP_KEY_ARG:
    if (o->chosen) argp_error(state, "one shell, please: `%s` is one too many", arg);
    o->shell = gpm_say_choice("shell", arg, shells);
    o->chosen = true;
    return 0;
  case ARGP_KEY_END:
    if (!o->chosen) argp_error(state, "for which shell? bash, zsh or fish");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static void print_value(void *to, const char *word, const char *text) {
  (void)to;
  (void)text;
  printf(" %s", word);
}

/* Prints the values that an option accepts, each after a blank; nothing if it accepts all. */
static void print_values(const struct gpm_command *c, const struct argp_option *o) {
  gpm_values_visit(c, o->name, print_value, NULL);
}

static void print_bash(void) {
  printf(
      "# bash completion of gpumemprof, made by `gpumemprof completion bash`\n"
      "_gpumemprof() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} options= words= "
      "values= files=\n"
      "  if [[ $cur == = ]]; then cur=\n"
      "  elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
      "  if ((COMP_CWORD == 1)); then\n    COMPREPLY=($(compgen -W '--help --no-pager --version");
  for (const struct gpm_command *c = gpm_commands; c->name; c++) printf(" %s", c->name);
  printf("' -- \"$cur\"))\n    return\n  fi\n  case ${COMP_WORDS[1]} in\n");
  for (const struct gpm_command *c = gpm_commands; c->name; c++) {
    struct gpm_options options;
    gpm_options_make(&options, c);
    printf("  %s)\n    options='--help", c->name);
    for (const struct argp_option *o = options.list; o->name; o++) printf(" --%s", o->name);
    printf("'\n");
    if (gpm_values_words(c)) printf("    words='%s'\n", gpm_values_words(c));
    printf("    case $prev in\n");
    for (const struct argp_option *o = options.list; o->name; o++) {
      if (!o->arg) continue;
      printf("    --%s", o->name);
      if (o->key < 256) printf("|-%c", o->key);
      printf(") values='");
      print_values(c, o);
      printf(" ' files=%s ;;\n", gpm_values_are_files(o) ? "1" : "");
    }
    printf("    esac ;;\n");
    gpm_options_free(&options);
  }
  printf(
      "  esac\n"
      "  if [[ $files ]]; then COMPREPLY=($(compgen -f -- \"$cur\"))\n"
      "  elif [[ $values ]]; then COMPREPLY=($(compgen -W \"$values\" -- \"$cur\"))\n"
      "  elif [[ $cur == -* ]]; then COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
      "  elif [[ $words ]]; then COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
      "  elif [[ ${COMP_WORDS[1]} == @(run|dryrun) ]]; then COMPREPLY=($(compgen -c -- \"$cur\") "
      "$(compgen -f -- \"$cur\"))\n"
      "  else COMPREPLY=($(compgen -f -X '!*.gmprof' -- \"$cur\") $(compgen -d -- \"$cur\")); fi\n"
      "}\ncomplete -o filenames -F _gpumemprof gpumemprof\n");
}

/* Text within single quotes of a zsh or fish script; `special` characters get a backslash. */
static void print_quoted(const char *text, const char *special) {
  for (; *text; text++) {
    if (*text == '\'') fputs("'\\''", stdout);
    else {
      if (strchr(special, *text)) putchar('\\');
      putchar(*text);
    }
  }
}

static void print_zsh(void) {
  printf("#compdef gpumemprof\n# made by `gpumemprof completion zsh`\n"
         "local -a commands\ncommands=(\n");
  for (const struct gpm_command *c = gpm_commands; c->name; c++) {
    printf("  '%s:", c->name);
    print_quoted(c->summary, ":");
    printf("'\n");
  }
  printf(")\nif ((CURRENT == 2)); then\n  _describe command commands\n  return\nfi\n"
         "local command=$words[2]\nshift words\n((CURRENT--))\ncase $command in\n");
  for (const struct gpm_command *c = gpm_commands; c->name; c++) {
    struct gpm_options options;
    gpm_options_make(&options, c);
    printf("%s)\n  _arguments '--help[explain the command]'", c->name);
    for (const struct argp_option *o = options.list; o->name; o++) {
      printf(" \\\n    '--%s%s[", o->name, o->arg ? "=" : "");
      print_quoted(o->doc, "[]:");
      putchar(']');
      if (o->arg) {
        if (gpm_values_are_files(o)) printf(":%s:_files", o->arg);
        else {
          printf(":%s:(", o->arg);
          print_values(c, o);
          printf(" )");
        }
      }
      putchar('\'');
    }
    if (gpm_values_words(c)) printf(" \\\n    '1:which:(%s)'", gpm_values_words(c));
    else if (strstr(c->arguments, "PROGRAM")) printf(" \\\n    '*::program:_normal'");
    else printf(" \\\n    '*:capture:_files -g \"*.gmprof\"'");
    printf(" ;;\n");
    gpm_options_free(&options);
  }
  printf("esac\n");
}

static void print_fish(void) {
  printf("# made by `gpumemprof completion fish`\n");
  for (const struct gpm_command *c = gpm_commands; c->name; c++) {
    printf("complete -c gpumemprof -n __fish_use_subcommand -f -a %s -d '", c->name);
    print_quoted(c->summary, "");
    printf("'\n");
    struct gpm_options options;
    gpm_options_make(&options, c);
    for (const struct argp_option *o = options.list; o->name; o++) {
      printf("complete -c gpumemprof -n '__fish_seen_subcommand_from %s' -l %s", c->name, o->name);
      if (o->key < 256) printf(" -s %c", o->key);
      if (o->arg) {
        printf(gpm_values_are_files(o) ? " -r -F" : " -x -a '");
        if (!gpm_values_are_files(o)) {
          print_values(c, o);
          putchar('\'');
        }
      }
      printf(" -d '");
      print_quoted(o->doc, "");
      printf("'\n");
    }
    gpm_options_free(&options);
    if (gpm_values_words(c))
      printf("complete -c gpumemprof -n '__fish_seen_subcommand_from %s' -f -a '%s'\n", c->name,
             gpm_values_words(c));
  }
}

int gpm_cmd_completion_run(const struct gpm_command *command, int argc, char **argv) {
  struct completion o = {.chosen = false};
  gpm_command_parse(command, argc, argv, 0, parse, &o);
  if (o.shell == 0) print_bash();
  else if (o.shell == 1) print_zsh();
  else print_fish();
  return GPM_EXIT_OK;
}
