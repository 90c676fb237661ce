/* own_names.h - see own_names.c. */
#ifndef OWN_NAMES_H
#define OWN_NAMES_H

void own_names_fill(void);
void own_names_use(void);

#endif
