// Of glibc, and not in its module for Swift.
#include <malloc.h>
