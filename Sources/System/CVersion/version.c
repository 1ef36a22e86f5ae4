#include "CVersion.h"

const char *flotilla_version(void) { return FLOTILLA_VERSION; }
