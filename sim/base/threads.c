/* Threads that share one piece of work (threads.h). */
#include "threads.h"

#include <pthread.h>

void sms__work_in_threads(size_t wanted, void *(*work)(void *user), void *user)
{
    pthread_t thread[SMS__THREADS_MAX];
    size_t threads = 0;
    while (threads + 1 < wanted && threads + 1 < SMS__THREADS_MAX &&
           !pthread_create(&thread[threads], NULL, work, user))
        threads++;
    work(user);
    while (threads > 0)
        pthread_join(thread[--threads], NULL);
}
