/* Reading and writing regular files on the host's behalf. */
#ifndef HUB_FILES_H
#define HUB_FILES_H

#include "wire.h"

void read_file(const struct frame *frame, const char *base);
void write_file(const struct frame *frame, const char *base);

#endif
