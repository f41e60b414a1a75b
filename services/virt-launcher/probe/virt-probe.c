/*
 * What the kubelet runs in the compute container for a probe that asks the guest agent. It hands its arguments to the
 * launcher, each ended by a NUL, and repeats the answer: a line with the exit code, then what goes to standard output.
 * Static and without a runtime of its own, because it is started every few seconds for as long as the guest lives.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define SOCKET "/var/run/kubevirt-private/probe.sock"

static void say(const char *what, const char *why) {
  char text[256];
  int length = snprintf(text, sizeof text, "virt-probe: %s%s%s\n", what, why ? ": " : "", why ? why : "");
  if (length > 0 && write(STDOUT_FILENO, text, (size_t)length) < 0) _exit(1);
}

static void on_alarm(int signal) {
  (void)signal;
  static const char text[] = "virt-probe: the launcher does not answer\n";
  if (write(STDOUT_FILENO, text, sizeof text - 1) < 0) _exit(1);
  _exit(1);
}

static int fail(const char *what) {
  say(what, strerror(errno));
  return 1;
}

static int send_all(int socket, const char *text, size_t length) {
  while (length > 0) {
    ssize_t sent = send(socket, text, length, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return -1;
    text += sent;
    length -= (size_t)sent;
  }
  return 0;
}

/* The launcher keeps to the timeout itself; one that hangs must not leave a process behind for each probe. */
static unsigned int patience(int argc, char **argv) {
  for (int i = 1; i + 1 < argc && strcmp(argv[i], "--") != 0; i++) {
    if (strcmp(argv[i], "--timeoutSeconds") == 0) return (unsigned int)strtoul(argv[i + 1], NULL, 10) + 1;
  }
  return 6;
}

int main(int argc, char **argv) {
  const char *path = getenv("VIRT_PROBE_SOCKET");
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", path ? path : SOCKET);
  signal(SIGALRM, on_alarm);
  alarm(patience(argc, argv));

  int launcher = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (launcher < 0) return fail("no socket");
  if (connect(launcher, (struct sockaddr *)&address, sizeof address) < 0) return fail("the launcher cannot be reached");
  for (int i = 1; i < argc; i++) {
    if (send_all(launcher, argv[i], strlen(argv[i]) + 1) < 0) return fail("the launcher does not listen");
  }
  if (shutdown(launcher, SHUT_WR) < 0) return fail("the launcher does not listen");

  char buffer[4096];
  int code = 0;
  int digits = 0;
  int in_code = 1;
  for (;;) {
    ssize_t got = read(launcher, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail("no answer of the launcher");
    if (got == 0) break;
    char *text = buffer;
    while (in_code && got > 0) {
      if (*text == '\n') in_code = 0;
      else code = code * 10 + (*text - '0'), digits++;
      text++;
      got--;
    }
    while (got > 0) {
      ssize_t written = write(STDOUT_FILENO, text, (size_t)got);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) break;
      text += written;
      got -= written;
    }
  }
  if (in_code || digits == 0) {
    say("the launcher went away without an answer", NULL);
    return 1;
  }
  return code > 255 ? 1 : code;
}
