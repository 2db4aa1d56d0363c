#include "validate.h"
void pairs(struct site *site) { (void)site; }
