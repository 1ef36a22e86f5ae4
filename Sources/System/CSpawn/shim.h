// Of glibc since 2.34, and not in its module for Swift: spawn.h declares it for programs that define _GNU_SOURCE.
#include <spawn.h>

extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);
