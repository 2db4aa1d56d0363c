/* Figures. The results are in an SQLite database: a table for each CSV file, or the database of a sweep. A file
 * `NAME.sql` of the installed folder plots/ chooses what one kind of figure shows. It becomes a CSV file and a
 * self-contained gnuplot script, made of the variables that the SQL gives, `common.gp` and a script for a kind of mark.
 */
#ifndef SMS_FIGURES_FIGURES_H
#define SMS_FIGURES_FIGURES_H

#include "../base/arena.h"
#include "../base/errors.h"

#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

enum { SMS__FIGURES_MOST = 3000 };

struct sms__figure_names {
    const char **name;
    size_t count;
};

/* Strings live in the arena. Functions are called inside a guard, and return SMS_OK or the code of the error that they
 * reported. After a failure the database may have open statements. */
struct sms__figures {
    struct sms__arena arena;
    struct sms_errors errors;
    sqlite3 *file;
    const char *source;    /* the results, for messages */
    const char *scripts;   /* the folder plots/ */
    const char *temporary; /* where the files are made */
    const char *target;    /* where they will be, which messages name */
    double width_in;       /* 0: as each figure chooses */
    bool is_folder;        /* of CSV files */
    atomic_bool *cancel;
    struct sms__figure_names only;        /* patterns of the names that are wanted; none: all */
    struct sms__figure_names made, empty; /* empty: the results have nothing for them */
    struct sms__figure_names tables;      /* that the SQL files so far may make */
};

/* load.c: makes an empty database, and fills it with the small CSV files of a results folder, or with one CSV file,
 * which becomes the table `comparison`. */
int sms__figures_load(struct sms__figures *figures);
/* Loads the CSV files of these tables, which may be large, and tells whether there are `all` of them now. Reports a
 * name, of those that blanks separate, which is no table: neither of the results, nor of results of another kind, nor
 * of the SQL so far. */
int sms__figures_load_tables(struct sms__figures *figures, const char *names, struct sms__mark place, bool *all);
/* Whether --figures may ask for a name that begins with one of these words, or there are none of them. */
bool sms__figures_may_want(const struct sms__figures *figures, const char *beginnings);

/* sql.c: adds to the database the functions, the collation and the tables `palette` and `metric_words` that the SQL
 * uses. */
int sms__figures_functions(struct sms__figures *figures);
/* The error of a failed query. `what` is where it came from. */
int sms__figures_error(struct sms__figures *figures, const char *what);

/* figures.c: makes the scripts and the data of all figures. */
int sms__figures_make(struct sms__figures *figures);

/* draw.c: draws one figure in one format: svg, pdf or png. */
int sms__figures_draw(struct sms__figures *figures, const char *name, const char *format);

#endif
