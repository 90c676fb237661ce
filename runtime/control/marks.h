/* marks.h - moments that the program names: see marks.c. */
#ifndef GPM_MARKS_H
#define GPM_MARKS_H

void gpm_marks_start(void); /* with each capture */

#endif /* GPM_MARKS_H */
