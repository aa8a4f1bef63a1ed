/*
 * CPU time: all CPUs, each CPU, each thread.
 *
 * The load is the share of all CPUs together that was not idle: 50 % of two CPUs is one CPU's work.
 * irq, spin and switch are parts of busy. A thread's percentages are of one CPU.
 *
 * Threads of one kind (raid5d is one kind, a job's 14 helpers another) differ by the number after
 * the last slash of their names. More than twelve of a kind become one line, in which counts are
 * sums and percentages means.
 */
#include <inttypes.h>
#include <string.h>

#include "sim/figures.h"
#include "sim/report_parts.h"

enum { ALIKE_MAX = 12 };

static void print_cpus(FILE *out, const struct results *r)
{
    uint64_t ns = r->window_ns;
    fprintf(out, "\nCPU load %.1f %% of %" PRIu32 " CPU%s at %" PRIu32 " MHz\n",
            figures_ratio(figures_cpu_load(r), 1000), r->cpu_count, r->cpu_count == 1 ? "" : "s",
            r->scenario->host.mhz);
    fprintf(out, "CPU        busy%%    irq%%   spin%% switch%%\n");
    for (uint32_t i = 0; i < r->cpu_count; i++) {
        const struct results_cpu *cpu = &r->cpu[i];
        fprintf(out, "%-8" PRIu32 "%8.1f%8.1f%8.1f%8.1f\n", i, figures_percent(cpu->busy_ns, ns),
                figures_percent(cpu->irq_ns, ns), figures_percent(cpu->spin_ns, ns),
                figures_percent(cpu->switch_ns, ns));
    }
}

/* Length of the part of a thread's name that all of its kind share. */
static size_t stem_length(const char *name)
{
    const char *slash = strrchr(name, '/');
    if (slash == NULL || strspn(slash + 1, "0123456789") != strlen(slash + 1))
        return strlen(name);
    return (size_t)(slash - name);
}

static bool alike(const struct results_thread *a, const struct results_thread *b)
{
    size_t length = stem_length(a->name);
    return length == stem_length(b->name) && memcmp(a->name, b->name, length) == 0;
}

static void print_thread(FILE *out, const char *name, const struct results_thread *sum,
                         uint64_t thread_ns)
{
    fprintf(out, "%-24s%8.1f%8.1f%9.1f%11" PRIu64 "%11" PRIu64 "%11" PRIu64 "\n", name,
            figures_percent(sum->busy_ns, thread_ns), figures_percent(sum->spin_ns, thread_ns),
            figures_percent(sum->blocked_ns, thread_ns), sum->switches, sum->wakeups,
            sum->wasted_wakeups);
}

static void add_thread(struct results_thread *sum, const struct results_thread *t)
{
    sum->busy_ns += t->busy_ns;
    sum->spin_ns += t->spin_ns;
    sum->blocked_ns += t->blocked_ns;
    sum->switches += t->switches;
    sum->wakeups += t->wakeups;
    sum->wasted_wakeups += t->wasted_wakeups;
}

static bool is_first_of_kind(const struct results *r, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++) {
        if (alike(&r->thread[k], &r->thread[i]))
            return false;
    }
    return true;
}

/* All threads of the kind whose first is number `first`. True when they became one line. */
static bool print_kind(FILE *out, const struct results *r, uint32_t first)
{
    const struct results_thread *head = &r->thread[first];
    struct results_thread sum = { 0 };
    uint32_t count = 0;
    for (uint32_t i = first; i < r->thread_count; i++) {
        if (alike(head, &r->thread[i])) {
            add_thread(&sum, &r->thread[i]);
            count++;
        }
    }
    if (count > ALIKE_MAX) {
        char name[48];
        snprintf(name, sizeof name, "%.*s/* x%" PRIu32, (int)stem_length(head->name), head->name,
                 count);
        print_thread(out, name, &sum, count * r->window_ns);
        return true;
    }
    for (uint32_t i = first; i < r->thread_count; i++) {
        if (alike(head, &r->thread[i]))
            print_thread(out, r->thread[i].name, &r->thread[i], r->window_ns);
    }
    return false;
}

static void print_threads(FILE *out, const struct results *r)
{
    bool folded = false;
    if (r->thread_count == 0)
        return;
    fprintf(
        out,
        "thread                     busy%%   spin%% blocked%%   switches   wake-ups     wasted\n");
    for (uint32_t i = 0; i < r->thread_count; i++) {
        if (is_first_of_kind(r, i))
            folded |= print_kind(out, r, i);
    }
    if (folded)
        fprintf(out, "(xN: N threads alike; percentages are means, counts are sums)\n");
}

void report_cpu(FILE *out, const struct results *r)
{
    print_cpus(out, r);
    print_threads(out, r);
}
