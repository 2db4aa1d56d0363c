/* The library as it is installed: without the oracle. */
#include "oracle.h"

const struct sms__oracle *const sms__oracle = NULL;
