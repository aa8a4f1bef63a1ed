/*
 * ioseq - issue an exactly specified sequence of O_DIRECT I/Os to a block device.
 *
 *   ioseq DEV OP...
 *
 * OP is one of
 *   r:OFF:LEN           one synchronous read  (pread)   OFF, LEN in bytes (K/M suffix allowed)
 *   w:OFF:LEN           one synchronous write (pwrite)
 *   W:OFF:LEN           same, with RWF_DSYNC (FUA or write+flush)
 *   b:OFF:LEN           one buffered write through the page cache; background writeback sends it
 *                       to the array later, without REQ_SYNC (all the others carry REQ_SYNC)
 *   {  ...  }           every r:/w: between the braces goes into ONE io_submit(2) call
 *                       (the kernel plugs it when there are more than two), then wait for all
 *   [  ...  ]           every r:/w: goes into its own io_submit(2) call, back to back,
 *                       none waits for the one before; then wait for all
 *   seq:D:OFF:TOTAL:BS:QD        D = r or w; sequential, QD outstanding (1 = pread/pwrite)
 *   rand:D:RANGE:BS:COUNT:QD:SEED  COUNT requests at offsets BS * (lcg % (RANGE / BS))
 *   mix:RP:RANGE:BS:COUNT:QD:SEED  like rand, each one a read with probability RP/100
 *   sleep:MS            nanosleep
 *   flush               fdatasync
 *   mark:N              execute the no-op that icprof.so takes for mark N (0..3)
 *
 * Random numbers: x = x * 6364136223846793005 + 1442695040888963407 (mod 2^64), used value
 * is x >> 33; the seed is the first x, and x is stepped before each use.  "mix" draws two
 * numbers a request: first offset, then direction (value % 100 < RP is a read).
 *
 * Written data: each 8-byte word = byte offset of the word on the device
 *               + (count of write requests made so far by this process << 40).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define MAXQ   1024
#define MAXLEN (16u << 20)

static int fd, bfd = -1;
static uint64_t writes, rng;
static aio_context_t ctx;
static unsigned long nerr;

static void die(const char *m)
{
    perror(m);
    exit(1);
}

static uint64_t num(char **p)
{
    uint64_t v = strtoull(*p, p, 0);
    if (**p == 'K' || **p == 'k') {
        v <<= 10;
        ++*p;
    } else if (**p == 'M' || **p == 'm') {
        v <<= 20;
        ++*p;
    }
    if (**p == ':')
        ++*p;
    return v;
}

static uint64_t rnd(void)
{
    rng = rng * 6364136223846793005ull + 1442695040888963407ull;
    return rng >> 33;
}

/* page aligned and touched in advance, so that no page fault falls between two requests */
static void *getbuf(size_t len)
{
    void *b;
    if (posix_memalign(&b, 4096, len))
        die("memalign");
    memset(b, 0xa5, len);
    return b;
}

static void fill(void *b, uint64_t off, size_t len)
{
    uint64_t *p = b, i;
    writes++;
    for (i = 0; i < len / 8; i++)
        p[i] = off + 8 * i + (writes << 40);
}

static void sync_io(int dir, uint64_t off, size_t len, void *b)
{
    ssize_t n;
    struct iovec v = { b, len };
    if (dir == 'r')
        n = pread(fd, b, len, off);
    else {
        fill(b, off, len);
        n = dir == 'W' ? pwritev2(fd, &v, 1, off, RWF_DSYNC) : pwrite(fd, b, len, off);
    }
    if (n != (ssize_t)len) {
        nerr++;
        printf("ioseq: %c off=%llu len=%zu -> %zd errno=%d\n", dir, (unsigned long long)off, len, n,
               n < 0 ? errno : 0);
    }
}

/* the displacement must be a constant in the instruction: one no-op for each mark */
static void mark(unsigned n)
{
    switch (n) {
    case 0:
        __asm__ volatile(".byte 0x0f,0x1f,0x84,0x00,0,0,0xe0,0x51");
        break;
    case 1:
        __asm__ volatile(".byte 0x0f,0x1f,0x84,0x00,1,0,0xe0,0x51");
        break;
    case 2:
        __asm__ volatile(".byte 0x0f,0x1f,0x84,0x00,2,0,0xe0,0x51");
        break;
    case 3:
        __asm__ volatile(".byte 0x0f,0x1f,0x84,0x00,3,0,0xe0,0x51");
        break;
    }
}

static void need_ctx(void)
{
    if (!ctx && syscall(SYS_io_setup, MAXQ, &ctx) < 0)
        die("io_setup");
}

static void prep(struct iocb *c, int dir, uint64_t off, size_t len, void *b)
{
    memset(c, 0, sizeof *c);
    c->aio_fildes = fd;
    c->aio_lio_opcode = dir == 'r' ? IOCB_CMD_PREAD : IOCB_CMD_PWRITE;
    c->aio_buf = (uintptr_t)b;
    c->aio_nbytes = len;
    c->aio_offset = off;
    if (dir != 'r')
        fill(b, off, len);
}

static void submit(struct iocb **c, long n)
{
    while (n > 0) {
        long k = syscall(SYS_io_submit, ctx, n, c);
        if (k <= 0)
            die("io_submit");
        n -= k;
        c += k;
    }
}

static struct io_event ev[MAXQ];

static long reap(long min)
{
    long n = syscall(SYS_io_getevents, ctx, min, (long)MAXQ, ev, NULL), i;
    if (n < 0)
        die("io_getevents");
    for (i = 0; i < n; i++) {
        struct iocb *c = (struct iocb *)(uintptr_t)ev[i].obj;
        if (ev[i].res != (int64_t)c->aio_nbytes) {
            nerr++;
            printf("ioseq: aio %d off=%lld len=%llu -> %lld\n", c->aio_lio_opcode,
                   (long long)c->aio_offset, (unsigned long long)c->aio_nbytes,
                   (long long)ev[i].res);
        }
    }
    return n;
}

/* generated streams; kind 0 = sequential, 1 = random, 2 = mixed random */
static void stream(int kind, int dir, unsigned rp, uint64_t base, uint64_t total, uint64_t bs,
                   uint64_t count, unsigned qd)
{
    struct iocb *cb = calloc(qd, sizeof *cb), *one;
    char *buf = getbuf(bs * qd);
    long i, infl = 0;
    uint64_t k;

    if (qd > 1)
        need_ctx();
    for (k = 0; k < count; k++) {
        uint64_t off = base + k * bs;
        int d = dir;
        if (kind)
            off = base + bs * (rnd() % (total / bs));
        if (kind == 2)
            d = rnd() % 100 < rp ? 'r' : 'w';
        if (qd <= 1) {
            sync_io(d, off, bs, buf);
            continue;
        }
        if (infl < qd) {
            one = &cb[infl];
            i = infl++;
        } else {
            /* take exactly one completion, reuse its slot */
            if (syscall(SYS_io_getevents, ctx, 1L, 1L, ev, NULL) != 1)
                die("io_getevents");
            one = (struct iocb *)(uintptr_t)ev[0].obj;
            if (ev[0].res != (int64_t)one->aio_nbytes) {
                nerr++;
                printf("ioseq: aio res %lld\n", (long long)ev[0].res);
            }
            i = one - cb;
        }
        prep(one, d, off, bs, buf + i * bs);
        submit(&one, 1);
    }
    while (infl > 0)
        infl -= reap(1);
    free(cb);
    free(buf);
}

int main(int argc, char **argv)
{
    static struct iocb cbs[MAXQ], *ptr[MAXQ];
    void *bufs[MAXQ];
    int a, grp = 0, n = 0;
    void *b = getbuf(MAXLEN);

    if (argc < 3) {
        fprintf(stderr, "usage: ioseq DEV OP...\n");
        return 2;
    }
    fd = open(argv[1], O_RDWR | O_DIRECT);
    if (fd < 0)
        die(argv[1]);
    for (a = 2; a < argc; a++) {
        char *s = argv[a], *p;
        if (*s == '{' || *s == '[') {
            grp = *s;
            n = 0;
            need_ctx();
            continue;
        }
        if (*s == '}' || *s == ']') {
            long left = n;
            int i;
            for (i = 0; i < n; i++)
                ptr[i] = &cbs[i];
            if (grp == '{')
                submit(ptr, n);
            else
                for (i = 0; i < n; i++)
                    submit(&ptr[i], 1);
            while (left > 0)
                left -= reap(left);
            for (i = 0; i < n; i++)
                free(bufs[i]);
            grp = 0;
            continue;
        }
        p = strchr(s, ':');
        p = p ? p + 1 : s + strlen(s);
        if (*s == 'b' && s[1] == ':') {
            uint64_t off = num(&p), len = num(&p);
            if (bfd < 0 && (bfd = open(argv[1], O_RDWR)) < 0)
                die("open buffered");
            if (len > MAXLEN)
                return 2;
            fill(b, off, len);
            if (pwrite(bfd, b, len, off) != (ssize_t)len)
                die("buffered write");
            continue;
        }
        if ((*s == 'r' || *s == 'w' || *s == 'W') && s[1] == ':') {
            uint64_t off = num(&p), len = num(&p);
            if (len > MAXLEN)
                return 2;
            if (!grp) {
                sync_io(*s, off, len, b);
                continue;
            }
            if (n == MAXQ)
                return 2;
            bufs[n] = getbuf(len);
            prep(&cbs[n], *s, off, len, bufs[n]);
            n++;
        } else if (!strncmp(s, "seq:", 4)) {
            int d = *p;
            p += 2;
            uint64_t off = num(&p), tot = num(&p), bs = num(&p), qd = num(&p);
            stream(0, d, 0, off, tot, bs, tot / bs, qd);
        } else if (!strncmp(s, "rand:", 5)) {
            int d = *p;
            p += 2;
            uint64_t range = num(&p), bs = num(&p), cnt = num(&p), qd = num(&p);
            rng = num(&p);
            stream(1, d, 0, 0, range, bs, cnt, qd);
        } else if (!strncmp(s, "mix:", 4)) {
            unsigned rp = num(&p);
            uint64_t range = num(&p), bs = num(&p), cnt = num(&p), qd = num(&p);
            rng = num(&p);
            stream(2, 'w', rp, 0, range, bs, cnt, qd);
        } else if (!strncmp(s, "sleep:", 6)) {
            uint64_t ms = num(&p);
            struct timespec t = { ms / 1000, (ms % 1000) * 1000000L };
            nanosleep(&t, NULL);
        } else if (!strncmp(s, "mark:", 5)) {
            mark(num(&p));
        } else if (!strcmp(s, "flush")) {
            if (fdatasync(fd))
                die("fdatasync");
        } else {
            fprintf(stderr, "ioseq: bad op %s\n", s);
            return 2;
        }
    }
    if (nerr)
        printf("ioseq: %lu errors\n", nerr);
    return nerr ? 3 : 0;
}
