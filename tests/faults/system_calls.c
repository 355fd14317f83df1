/* A shim between a process and the C library: it counts the calls that can change a disk, and lets the n-th one fail.

   arm(n, error): before the n-th call from now on, kill the process (error 0) or return that error instead;
   arm(0, 0) lets all calls pass. done() returns how many were counted. See every_call.py. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static long counted, last;
static int failure;

void arm(long n, int error) { counted = 0; last = n; failure = error; }
long done(void) { return counted; }

static int fails(void) {
    if (!last || ++counted != last) return 0;
    if (!failure) kill(getpid(), SIGKILL);
    errno = failure;
    return 1;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define WRAP(kind, name, parameters, arguments) \
    kind name parameters { return fails() ? -1 : NEXT(name) arguments; }

WRAP(ssize_t, write, (int file, const void *data, size_t size), (file, data, size))
WRAP(ssize_t, pwrite, (int file, const void *data, size_t size, off_t at), (file, data, size, at))
WRAP(ssize_t, pwrite64, (int file, const void *data, size_t size, off64_t at), (file, data, size, at))
WRAP(int, ftruncate, (int file, off_t size), (file, size))
WRAP(int, ftruncate64, (int file, off64_t size), (file, size))
WRAP(int, fsync, (int file), (file))
WRAP(int, fdatasync, (int file), (file))
WRAP(int, rename, (const char *from, const char *to), (from, to))
WRAP(int, unlink, (const char *path), (path))
WRAP(int, unlinkat, (int folder, const char *path, int flags), (folder, path, flags))
WRAP(int, rmdir, (const char *path), (path))
WRAP(int, mkdir, (const char *path, mode_t mode), (path, mode))
WRAP(int, fchmod, (int file, mode_t mode), (file, mode))

/* Only an open that may make a file changes the disk. */
#define WRAP_OPEN(name) \
    int name(const char *path, int flags, ...) { \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = va_arg(rest, int); \
        va_end(rest); \
        return (flags & O_CREAT) && fails() ? -1 : NEXT(name)(path, flags, mode); \
    }
WRAP_OPEN(open)
WRAP_OPEN(open64)
