#include "CFileStatus.h"

#include <sys/stat.h>

int file_status_of(int descriptor, struct file_status *status) {
    struct stat found;
    if (fstat(descriptor, &found) != 0) return -1;
    status->mode = found.st_mode;
    status->owner = found.st_uid;
    status->links = found.st_nlink;
    return 0;
}
