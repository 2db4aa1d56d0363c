/* What every note is made of: a list of a few names, and its place among the notes of the results. */
#ifndef SMS_RESULTS_NOTE_TEXT_H
#define SMS_RESULTS_NOTE_TEXT_H

#include "results.h"

/* "a (87), b (43), c (2) and 2 more": the first names in words, the rest by number. {0} is an empty list. */
struct sms__names {
    char text[256];
    size_t count;
};

/* Adds a name, with its count in parentheses unless that is negative. */
void sms__names_add(struct sms__names *names, const char *name, double count);
/* The list in words. The text lives in the results' arena; NULL if memory ran out. */
const char *sms__names_print(struct sms_results *results, const struct sms__names *names);

/* Appends a note to those of the results, which must outlive it. NULL adds none. */
void sms__note(struct sms_results *results, const char *text);

#endif
