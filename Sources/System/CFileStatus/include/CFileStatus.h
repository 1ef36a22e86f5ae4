#ifndef C_FILE_STATUS_H
#define C_FILE_STATUS_H

#include <stdint.h>

/// What fstat tells of an open file.
struct file_status {
    uint32_t mode;
    uint32_t owner;
    uint64_t links;
};

/// Fills in the status of an open file. Returns 0, or -1 with errno.
int file_status_of(int descriptor, struct file_status *status);

#endif
