/*
 * Keeps the container of a disk image alive, so that its file system stays mounted, and ends when asked to.
 * Runs as PID 1 of images that hold nothing but a disk: static, and with the signals it waits for blocked before
 * anything can arrive (PID 1 has no default action for them).
 */
#include <signal.h>
#include <stddef.h>

int main(void) {
  sigset_t wanted;
  int signal;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGTERM);
  sigaddset(&wanted, SIGINT);
  sigprocmask(SIG_BLOCK, &wanted, NULL);
  while (sigwait(&wanted, &signal) != 0) {
  }
  return 0;
}
