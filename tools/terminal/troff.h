/* troff.h - writes text of manual pages to stdout, and escapes the characters that troff would
 * interpret, so that a page shows the text as typed. */
#ifndef GPM_TOOLS_TROFF_H
#define GPM_TOOLS_TROFF_H

/* Running text and a newline. It is broken at blanks, which makes no difference to troff. */
void gpm_troff_text(const char *text);
/* Text within a line, or a line that is printed verbatim. */
void gpm_troff_words(const char *text);
/* A list's item: its term in bold, with the argument of an option or null, then what it is. */
void gpm_troff_item(const char *term, const char *argument, const char *text);
/* A command that a user may type, on a line of its own. */
void gpm_troff_example(const char *line);

#endif
