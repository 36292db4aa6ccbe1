/* The host's side of the start: see launch.c. */
#ifndef HUB_LAUNCH_H
#define HUB_LAUNCH_H

int launch_main(int argc, char **argv);

#endif
