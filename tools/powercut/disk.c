/*
 * A disk that fails on purpose, and that remembers what it was given: preloaded into a process, this library stands
 * between SQLite and the files of one folder. Nothing is ever synced in truth; the log tells what a disk would hold
 * after the power was cut at any moment. See disk.ts for the log's form and for what can be made to fail.
 *
 *   DISK_FOLDER   the folder whose files are watched, without a slash at its end
 *   DISK_LOG      where operations are noted
 *   DISK_CONTROL  five numbers of 32 bits that are read at each operation: how many fsyncs and writes fail next, with
 *                 which error, whether a failed fsync brings the old bytes back, and how many fsyncs go well before
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define MAX_FDS 65536
#define SKIPPED "-shm" /* The index of the log is made anew after a crash: no disk needs to keep it. */

enum { FSYNCS, WRITES, ERRNO, REVERTS, SPARED, CONTROLS };
static volatile int32_t *control;

/* Notes what was overwritten since the last fsync, so that a failed one can bring it back. */
struct undo {
  ino_t ino;
  off_t at, size; /* where, and how long the file was */
  size_t length;
  struct undo *before;
  char bytes[];
};

static struct undo *undos;
static char watched[MAX_FDS];
static char folder[4096];
static size_t folder_length;
static int log_fd = -1;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) ((__typeof__(&name))real(#name))
static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

__attribute__((constructor)) static void start(void) {
  const char *in = getenv("DISK_FOLDER"), *to = getenv("DISK_LOG"), *by = getenv("DISK_CONTROL");
  if (!in || !to || !by || strlen(in) >= sizeof folder) return;
  int fd = REAL(open)(by, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  void *map = mmap(NULL, CONTROLS * sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  REAL(close)(fd);
  if (map == MAP_FAILED) return;
  log_fd = REAL(open)(to, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  control = map;
  strcpy(folder, in);
  folder_length = strlen(in);
}

/* The name within the folder; NULL for all that is not watched. */
static const char *name_of(const char *path) {
  if (log_fd < 0 || strncmp(path, folder, folder_length) != 0) return NULL;
  if (path[folder_length] == 0) return "";
  if (path[folder_length] != '/') return NULL;
  const char *name = path + folder_length + 1;
  size_t length = strlen(name), skipped = strlen(SKIPPED);
  if (length >= skipped && strcmp(name + length - skipped, SKIPPED) == 0) return NULL;
  return strchr(name, '/') ? NULL : name;
}

/* Node closes its files past this library, and their numbers come again as sockets, which must stay whole. */
static int is_watched(int fd) {
  struct stat found;
  if (fd < 0 || fd >= MAX_FDS || !watched[fd]) return 0;
  return fstat(fd, &found) == 0 && (S_ISREG(found.st_mode) || S_ISDIR(found.st_mode));
}

static ino_t ino_of(int fd) {
  struct stat found;
  return fstat(fd, &found) == 0 ? found.st_ino : 0;
}

static void note(char type, ino_t ino, off_t at, const char *name, const void *bytes, size_t length) {
  struct __attribute__((packed)) {
    char type;
    uint8_t zero;
    uint16_t name;
    uint32_t bytes;
    uint64_t ino, at;
  } head = {type, 0, strlen(name), length, ino, at};
  struct iovec parts[] = {{&head, sizeof head}, {(void *)name, head.name}, {(void *)bytes, length}};
  int was = errno;
  if (REAL(writev)(log_fd, parts, 3) < 0) abort();
  errno = was;
}

/* Takes one of this kind, if there are any left. */
static int takes(int kind) {
  for (int32_t left = control[kind]; left > 0; left = control[kind])
    if (__sync_bool_compare_and_swap(&control[kind], left, left - 1)) return 1;
  return 0;
}

static int fails(int kind) {
  if (control[kind] > 0 && kind == FSYNCS && takes(SPARED)) return 0;
  if (!takes(kind)) return 0;
  errno = control[ERRNO] ? control[ERRNO] : EIO;
  return 1;
}

static void remember(int fd, off_t at, size_t length) {
  struct undo *undo = malloc(sizeof *undo + length);
  struct stat found;
  fstat(fd, &found);
  ssize_t read = length ? pread(fd, undo->bytes, length, at) : 0;
  *undo = (struct undo){found.st_ino, at, found.st_size, read > 0 ? read : 0, undos};
  undos = undo;
}

/* Forgets what the file was, or brings it back. */
static void settle(int fd, int back) {
  ino_t ino = ino_of(fd);
  for (struct undo **at = &undos; *at;) {
    struct undo *undo = *at;
    if (undo->ino != ino) {
      at = &undo->before;
      continue;
    }
    if (back) {
      if (REAL(pwrite64)(fd, undo->bytes, undo->length, undo->at) < 0 || REAL(ftruncate64)(fd, undo->size) < 0) abort();
    }
    *at = undo->before;
    free(undo);
  }
}

static int opened(int fd, const char *path, int flags, int is_new) {
  const char *name = fd < 0 || fd >= MAX_FDS ? NULL : name_of(path);
  if (fd >= 0 && fd < MAX_FDS) watched[fd] = name != NULL;
  if (!name || !*name) return fd;
  pthread_mutex_lock(&mutex);
  if (is_new) note('C', ino_of(fd), 0, name, "", 0);
  else if (flags & O_TRUNC) note('T', ino_of(fd), 0, name, "", 0);
  pthread_mutex_unlock(&mutex);
  return fd;
}

#define OPEN(function)                                                  \
  int function(const char *path, int flags, ...) {                     \
    va_list more;                                                       \
    va_start(more, flags);                                              \
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;           \
    va_end(more);                                                       \
    int is_new = (flags & O_CREAT) && access(path, F_OK) != 0;          \
    return opened(REAL(function)(path, flags, mode), path, flags, is_new); \
  }
OPEN(open)
OPEN(open64)

int close(int fd) {
  if (fd >= 0 && fd < MAX_FDS) watched[fd] = 0;
  return REAL(close)(fd);
}

static ssize_t written(int fd, const void *bytes, size_t length, off_t at) {
  if (fails(WRITES)) return -1;
  pthread_mutex_lock(&mutex);
  remember(fd, at, length);
  ssize_t done = REAL(pwrite64)(fd, bytes, length, at);
  if (done > 0) note('W', ino_of(fd), at, "", bytes, done);
  pthread_mutex_unlock(&mutex);
  return done;
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t at) {
  return is_watched(fd) ? written(fd, bytes, length, at) : REAL(pwrite64)(fd, bytes, length, at);
}
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) { return pwrite64(fd, bytes, length, at); }

ssize_t write(int fd, const void *bytes, size_t length) {
  if (!is_watched(fd)) return REAL(write)(fd, bytes, length);
  ssize_t done = written(fd, bytes, length, lseek(fd, 0, fcntl(fd, F_GETFL) & O_APPEND ? SEEK_END : SEEK_CUR));
  if (done > 0) lseek(fd, done, SEEK_CUR);
  return done;
}

int ftruncate64(int fd, off64_t length) {
  if (!is_watched(fd)) return REAL(ftruncate64)(fd, length);
  pthread_mutex_lock(&mutex);
  struct stat found;
  fstat(fd, &found);
  if (length < found.st_size) remember(fd, length, found.st_size - length);
  int failed = REAL(ftruncate64)(fd, length);
  if (!failed) note('T', found.st_ino, length, "", "", 0);
  pthread_mutex_unlock(&mutex);
  return failed;
}
int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

static int synced(int fd) {
  pthread_mutex_lock(&mutex);
  struct stat found;
  fstat(fd, &found);
  int failed = fails(FSYNCS);
  if (!S_ISDIR(found.st_mode)) settle(fd, failed && control[REVERTS]);
  note(S_ISDIR(found.st_mode) ? (failed ? 'f' : 'd') : failed ? 'F' : 'S', found.st_ino, 0, "", "", 0);
  pthread_mutex_unlock(&mutex);
  return failed ? -1 : 0;
}
int fsync(int fd) { return is_watched(fd) ? synced(fd) : REAL(fsync)(fd); }
int fdatasync(int fd) { return is_watched(fd) ? synced(fd) : REAL(fdatasync)(fd); }

int unlink(const char *path) {
  const char *name = name_of(path);
  int failed = REAL(unlink)(path);
  if (!failed && name) note('U', 0, 0, name, "", 0);
  return failed;
}

int rename(const char *from, const char *to) {
  const char *name = name_of(from), *next = name_of(to);
  int failed = REAL(rename)(from, to);
  if (!failed && name && next) note('R', 0, 0, name, next, strlen(next));
  return failed;
}
