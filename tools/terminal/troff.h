/* troff.h - text in manual pages: what troff would read otherwise is written so that it stays as it
 * is, and comes out as typed. On stdout. */
#ifndef GPM_TOOLS_TROFF_H
#define GPM_TOOLS_TROFF_H

/* Running text, with a line's end behind it; broken at blanks, which is the same to troff. */
void gpm_troff_text(const char *text);
/* Within a line, or a line of what is printed as it stands. */
void gpm_troff_words(const char *text);
/* A list's item: its term in bold, with the argument of an option or null, then what it is. */
void gpm_troff_item(const char *term, const char *argument, const char *text);
/* A line that a user may type, by itself. */
void gpm_troff_example(const char *line);

#endif
