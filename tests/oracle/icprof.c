/*
 * icprof.so - QEMU TCG plugin: exact instruction profile of the guest kernel between marks.
 *
 * The guest marks a point by executing the 8-byte no-op  0f 1f 84 00 <id16> e0 51
 * (nopl 0x51e0<id>(%rax,%rax,1); see "mark:" in ioseq.c).  At each mark the plugin appends to
 * the file named by out=FILE:   M <id>   and then one line per executed block of kernel code
 *   B <vaddr> <insns in block> <times executed since start>
 * Two marks are subtracted by calls.py, which also maps addresses to functions with the guest's
 * /proc/kallsyms.  Only the plugin ABI is declared here; Debian's qemu packages ship no header.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef struct qemu_info_t qemu_info_t;
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };
typedef void (*tb_trans_cb)(qemu_plugin_id_t, struct qemu_plugin_tb *);
typedef void (*udata_cb)(unsigned int vcpu, void *userdata);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, tb_trans_cb);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *, enum qemu_plugin_op, void *,
                                              uint64_t);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *, udata_cb,
                                            enum qemu_plugin_cb_flags, void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

struct blk {
    uint64_t vaddr, n, count;
    struct blk *next;
};
#define NB (1u << 18)
static struct blk *tab[NB];
static FILE *out;

static struct blk *get(uint64_t va, uint64_t n)
{
    unsigned h = (unsigned)((va * 0x9e3779b97f4a7c15ull ^ n * 0x85ebca6bull) >> 20) & (NB - 1);
    struct blk *b;
    for (b = tab[h]; b; b = b->next)
        if (b->vaddr == va && b->n == n)
            return b;
    b = calloc(1, sizeof *b);
    b->vaddr = va;
    b->n = n;
    b->next = tab[h];
    tab[h] = b;
    return b;
}

static void mark(unsigned int vcpu, void *u)
{
    unsigned i;
    struct blk *b;
    fprintf(out, "M %u\n", (unsigned)(uintptr_t)u);
    for (i = 0; i < NB; i++)
        for (b = tab[i]; b; b = b->next)
            if (b->count)
                fprintf(out, "B %" PRIx64 " %" PRIu64 " %" PRIu64 "\n", b->vaddr, b->n, b->count);
    fflush(out);
}

static void trans(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    uint64_t va = qemu_plugin_tb_vaddr(tb);
    size_t n = qemu_plugin_tb_n_insns(tb), i;

    if (va >> 63) {
        qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64, &get(va, n)->count,
                                                 1);
        return;
    }
    for (i = 0; i < n; i++) {
        struct qemu_plugin_insn *in = qemu_plugin_tb_get_insn(tb, i);
        const uint8_t *d = qemu_plugin_insn_data(in);
        if (qemu_plugin_insn_size(in) == 8 && !memcmp(d, "\x0f\x1f\x84\x00", 4) && d[6] == 0xe0 &&
            d[7] == 0x51)
            qemu_plugin_register_vcpu_insn_exec_cb(in, mark, QEMU_PLUGIN_CB_NO_REGS,
                                                   (void *)(uintptr_t)(d[4] | d[5] << 8));
    }
}

__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id,
                                                               const qemu_info_t *info, int argc,
                                                               char **argv)
{
    int i;
    const char *fn = "icprof.out";
    for (i = 0; i < argc; i++)
        if (!strncmp(argv[i], "out=", 4))
            fn = argv[i] + 4;
    out = fopen(fn, "w");
    if (!out)
        return -1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, trans);
    return 0;
}
