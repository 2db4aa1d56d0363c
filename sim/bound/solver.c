/* GLPK's environment belongs to the thread; one that was not there before does not stay. */
#include "solver.h"

#include <smsched/smsched.h>

#include <glpk.h>

struct solving {
    struct sms__arena *arena;
    bool broken; /* an error of GLPK's: its environment is to be freed */
};

/* GLPK ends the process on an error, which can only be one of memory, unless this leads out of it. */
static void leave(void *user)
{
    struct solving *solving = user;
    solving->broken = true;
    longjmp(*solving->arena->out_of_memory, 1);
}

/* What it prints on an error, with its output turned off or not, goes nowhere. */
static int swallow(void *user, const char *text)
{
    (void)user, (void)text;
    return 1;
}

int sms__with_solver(struct sms__arena *arena, struct glp_prob **problem, int (*body)(void *user), void *user)
{
    struct solving solving = {.arena = arena};
    int found = glp_init_env(); /* 0: it is new; 1: it was there */
    if (found > 1)
        return SMS_ENOMEM;
    int terminal = glp_term_out(GLP_OFF);
    glp_term_hook(swallow, NULL);
    glp_error_hook(leave, &solving);
    int code = sms__guard(arena, body, user);
    if (solving.broken) {
        glp_free_env();
        return code;
    }
    glp_error_hook(NULL, NULL);
    glp_term_hook(NULL, NULL);
    if (*problem)
        glp_delete_prob(*problem);
    if (found == 0)
        glp_free_env();
    else
        glp_term_out(terminal);
    return code;
}
