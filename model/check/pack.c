/*
 * Layout: one bit for each run of 64 words of the world, in which of them something differs; then
 * for each such run a word of bits and the differing words, as xor with the start's.
 */
#include "model/check/pack.h"

#include <string.h>

enum { RUN = 64 };

static uint64_t live_words(const struct world *w)
{
    return (w->bytes - w->live_at) / sizeof(uint64_t);
}

static const uint64_t *live(const struct world *w)
{
    return (const uint64_t *)(const void *)((const char *)w + w->live_at);
}

static uint64_t runs_of(const struct world *w)
{
    return (live_words(w) + RUN - 1) / RUN;
}

static uint64_t head_words(const struct world *w)
{
    return (runs_of(w) + 63) / 64;
}

uint64_t pack_words_max(const struct world *start)
{
    return head_words(start) + runs_of(start) + live_words(start);
}

/* The differing words of one run, behind their bits; returns the words written, 0 if none differ.
 */
static uint32_t pack_run(const uint64_t *a, const uint64_t *b, uint64_t words, uint64_t *out)
{
    uint64_t bits = 0;
    uint32_t n = 1;

    for (uint64_t i = 0; i < words; i++) {
        uint64_t x = a[i] ^ b[i];

        if (!x)
            continue;
        bits |= UINT64_C(1) << i;
        out[n++] = x;
    }
    out[0] = bits;
    return bits ? n : 0;
}

uint32_t pack(const struct world *start, const struct world *w, uint64_t *out)
{
    const uint64_t *a = live(start), *b = live(w);
    uint64_t words = live_words(start), heads = head_words(start);
    uint64_t at = heads, run = 0;

    memset(out, 0, heads * sizeof *out);
    for (uint64_t first = 0; first < words; first += RUN, run++) {
        uint64_t n = words - first < RUN ? words - first : RUN;
        uint32_t used;

        if (!memcmp(a + first, b + first, n * sizeof *a))
            continue;
        used = pack_run(a + first, b + first, n, out + at);
        out[run / 64] |= UINT64_C(1) << run % 64;
        at += used;
    }
    return (uint32_t)at;
}

void unpack(const struct world *start, const uint64_t *in, struct world *w)
{
    uint64_t *to = (uint64_t *)(void *)((char *)w + w->live_at);
    uint64_t heads = head_words(start), at = heads;

    memcpy(to, live(start), w->bytes - w->live_at);
    for (uint64_t h = 0; h < heads; h++)
        for (uint64_t some = in[h]; some; some &= some - 1) {
            uint64_t first = (h * 64 + (uint64_t)__builtin_ctzll(some)) * RUN;

            for (uint64_t bits = in [at++]; bits; bits &= bits - 1)
                to[first + (uint64_t)__builtin_ctzll(bits)] ^= in[at++];
        }
}

/* ---- keys */

/* Two 64-bit factors made of place and difference; the product's halves folded together. Nothing
 * for no difference. */
static uint64_t mixed(uint64_t place, uint64_t x)
{
    uint64_t a = x ^ (place + 1) * 0x9e3779b97f4a7c15u;
    uint64_t b = (x << 32 | x >> 32) ^ (place + 1) * 0xd1b54a32d192ed03u;
    unsigned __int128 product =
        (unsigned __int128)(a ^ 0xa0761d6478bd642fu) * (b ^ 0xe7037ed1a0b428dbu);

    return x ? (uint64_t)product ^ (uint64_t)(product >> 64) : 0;
}

static uint64_t never_0(uint64_t key)
{
    return key ? key : 1;
}

uint64_t pack_key(const struct world *start, const struct world *w)
{
    uint64_t key = 0x8bb84b93962eacc9u;

    for (uint64_t i = 0; i < live_words(start); i++)
        key += mixed(i, live(start)[i] ^ live(w)[i]);
    return never_0(key);
}

/* Do eight words in a row agree? Sections begin at 16 bytes, and so do these. */
static bool agree(const uint64_t *a, const uint64_t *b)
{
    typedef uint64_t pair __attribute__((vector_size(16), may_alias));
    const pair *x = (const pair *)(const void *)a, *y = (const pair *)(const void *)b;
    pair any = ((x[0] ^ y[0]) | (x[1] ^ y[1])) | ((x[2] ^ y[2]) | (x[3] ^ y[3]));

    return !(any[0] | any[1]);
}

uint64_t pack_key_after(const struct world *start, const struct world *before, uint64_t key,
                        const struct world *after)
{
    const uint64_t *zero = live(start), *a = live(before), *b = live(after);
    uint64_t words = live_words(start);

    for (uint64_t i = 0; i < words;) {
        if (words - i >= 8 && agree(a + i, b + i)) {
            i += 8;
            continue;
        }
        for (uint64_t end = words - i < 8 ? words : i + 8; i < end; i++)
            if (a[i] != b[i])
                key += mixed(i, b[i] ^ zero[i]) - mixed(i, a[i] ^ zero[i]);
    }
    return never_0(key);
}
