/*
 * Write beside, then rename. The temporary file has a random name in the target's own folder,
 * because only a rename within one file system is atomic; its mode is what a freshly created file
 * would have. A target that is no plain file (a device, a pipe, /dev/full) cannot be replaced and
 * is written directly.
 */
#define _GNU_SOURCE /* mkostemp */
#include "sim/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faults/points.h"
#include "model/assert.h"
#include "sim/complaint.h"

static bool failed(const struct output *out, struct complaint *complaint)
{
    return complain(complaint, out->standard ? "standard output" : out->path, 0,
                    "cannot be written: %s", strerror(errno));
}

/* Where the target is a symbolic link, what it points to is replaced, not the link. */
static bool set_path(struct output *out, const char *path)
{
    char *real = realpath(path, NULL);
    int bytes = snprintf(out->path, sizeof out->path, "%s", real ? real : path);

    free(real);
    errno = ENAMETOOLONG;
    return bytes >= 0 && (size_t)bytes < sizeof out->path - sizeof ".XXXXXX";
}

static bool open_beside(struct output *out)
{
    size_t length = strlen(out->path);
    mode_t mask = umask(0);

    umask(mask);
    memcpy(out->temporary, out->path, length);
    memcpy(out->temporary + length, ".XXXXXX", sizeof ".XXXXXX");
    int fd = point_fails(POINT_OUTPUT_OPEN) ? -1 : mkostemp(out->temporary, O_CLOEXEC);

    if (fd < 0) {
        out->temporary[0] = '\0';
        return false;
    }
    if (!fchmod(fd, 0666 & ~mask))
        out->stream = fdopen(fd, "w");
    if (out->stream)
        return true;
    close(fd);
    unlink(out->temporary);
    return false;
}

bool output_open(struct output *out, const char *path, struct complaint *complaint)
{
    struct stat about;

    memset(out, 0, sizeof *out);
    if (!strcmp(path, "-")) {
        out->standard = true;
        out->stream = stdout;
        return true;
    }
    if (!set_path(out, path))
        return failed(out, complaint);
    bool exists = stat(out->path, &about) == 0;

    if (exists && S_ISDIR(about.st_mode)) {
        errno = EISDIR;
        return failed(out, complaint);
    }
    if (exists && !S_ISREG(about.st_mode)) {
        out->stream = fopen(out->path, "we");
        return out->stream || failed(out, complaint);
    }
    return open_beside(out) || failed(out, complaint);
}

bool output_commit(struct output *out, struct complaint *complaint)
{
    ASSERT(out->stream);
    bool good =
        !point_fails(POINT_OUTPUT_WRITE) && fflush(out->stream) == 0 && !ferror(out->stream);

    if (!good)
        failed(out, complaint);
    if (!out->standard && (fclose(out->stream) || point_fails(POINT_OUTPUT_CLOSE)) && good)
        good = failed(out, complaint);
    out->stream = NULL;
    if (good && out->temporary[0] &&
        (point_fails(POINT_OUTPUT_RENAME) || rename(out->temporary, out->path)))
        good = failed(out, complaint);
    if (!good && out->temporary[0])
        unlink(out->temporary);
    return good;
}

void output_abandon(struct output *out)
{
    if (!out->stream)
        return;
    if (!out->standard)
        fclose(out->stream);
    out->stream = NULL;
    if (out->temporary[0])
        unlink(out->temporary);
}
