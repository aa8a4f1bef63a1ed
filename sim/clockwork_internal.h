/*
 * Inside the clockwork. clockwork.c: events and the turns of CPUs; clockwork_threads.c: run queues
 * and blocking; clockwork_members.c: queues, devices, interrupts; clockwork_price.c: what work
 * costs; clockwork_results.c: what was measured.
 */
#ifndef SIM_CLOCKWORK_INTERNAL_H
#define SIM_CLOCKWORK_INTERNAL_H
#include "disks/elevator.h"
#include "disks/timing.h"
#include "model/request.h"
#include "sim/clockwork.h"
#include "sim/dice.h"
#include "sim/fault_plan.h"
#include "sim/history.h"
#include "sim/temperature.h"
#include "sim/wheel.h"

/* Kinds of events; the wheel's `what` is kind << 24 | index. */
enum event {
    EVENT_CPU,
    EVENT_DEVICE,
    EVENT_QUEUE,
    EVENT_THREAD,
    EVENT_TIMER,
    EVENT_RAMP,
    EVENT_BALANCE,
    EVENT_FAULT,
    EVENT_HELD,
    EVENT_COUNT
};

enum cpu_mode {
    CPU_IDLE,
    CPU_WAKING,  /* an idle CPU on its way to work */
    CPU_MOVING,  /* a fired move is being paid for */
    CPU_SPINNING /* waits for a lock */
};

enum { WAITING_FLUSHES = 2 };

struct irq {
    uint32_t member;
    uint32_t io, next; /* io place being ended, and the one after it; NONE32: none */
    uint8_t first;     /* nothing of it has been done yet */
    uint8_t direction; /* 1: write, WAITING_FLUSHES */
    uint16_t pad;
};

struct cpu {
    uint64_t end;        /* when the move ends, the wait for a lock or the way to work */
    uint64_t move_ns;    /* the move being paid for */
    uint64_t debt_milli; /* work done on this CPU's account, to be paid with its next move,
                            thousandths of cycles */
    uint64_t spin_since;
    uint64_t
        min_vruntime;    /* CFS: threads of this CPU are behind it by a sleeper's credit at most */
    uint64_t soak_until; /* the load meter has the CPU until then */
    uint8_t mode;        /* enum cpu_mode */
    uint8_t in_irq;      /* the current move is an interrupt's */
    uint8_t resched;     /* CFS: the current thread gives way where the kernel looks */
    uint8_t pad[1];
    uint32_t lock;       /* it spins for this one */
    actor_id current;    /* thread on it; NONE16 */
    actor_id last;       /* thread that ran last: no switch if it is the same */
    actor_id head, tail; /* run queue */
    uint16_t waiting;
    uint32_t effects; /* pending effects of the move */
    uint32_t irq_head, irq_count;
    struct irq irq; /* being worked on; member NONE32: none */
    struct results_cpu tally;
};

enum thread_state { THREAD_BLOCKED, THREAD_RUNNABLE, THREAD_RUNNING };

struct thread {
    uint64_t since;    /* when it entered its state */
    uint64_t used;     /* of its timeslice */
    uint64_t vruntime; /* CFS: what it has run, moved between CPUs' clocks */
    uint32_t stalled;  /* its ios that found no free request: it sleeps until they are in */
    actor_id next;     /* in a run queue */
    uint8_t state;
    uint8_t cpu;   /* where it ran last */
    uint8_t woken; /* a wake-up is being worked off; wasted if it blocks again at once */
    uint8_t pad[3];
    uint32_t plugged; /* requests that its own plug holds back */
    struct results_thread tally;
};

struct spinlock {
    uint64_t free_at; /* the holder's move ends then; in the past: free */
    uint16_t holder;  /* CPU + 1; 0: nobody */
    uint16_t waiters;
    uint32_t pad;
};

/* A command the device has ended, as far as it is concerned, and a fault keeps back. */
enum { HELD_MAX = 64 };
struct held {
    uint32_t member, token;
    uint32_t used, pad;
};

struct member {
    uint64_t since;                      /* the integrals below are settled up to here */
    uint32_t waiting[3];                 /* requests in queue or device: reads, writes, flushes */
    uint32_t stalled_head, stalled_tail; /* ios that found no free request, by place + 1 */
    uint32_t commands; /* with the device, or ended there and not yet worked off by the interrupt */
    uint32_t pad;
    uint64_t completed_sectors; /* since the start */
    uint64_t sync_sectors;      /* issued for a resync, check or recovery */
    int64_t last_events;        /* the difference of the two, when the resync thread last looked */
    struct results_member tally;
    struct elevator_stats base; /* elevator's counts when the window began */
};

/* Latency bookkeeping of one request. */
struct timing_of_request {
    uint64_t begun, submitted, done;
};

/* The resync thread's speed: a ring of marks. */
enum { PACE_MARKS = 10 };
struct pace {
    uint64_t start_sector;
    uint64_t mark_ns[PACE_MARKS], mark_sectors[PACE_MARKS];
    uint64_t since_ns, since_sectors; /* the mark speed is taken from */
    uint32_t last, pad;
    uint64_t begin_ns, end_ns,
        done; /* of the last sync: sectors of a member, up to its last step */
};

struct scalars {
    struct pace pace;
    struct fault_state fault[FAULTS_MAX];
    uint64_t until;        /* the run stops before anything later */
    struct request reaped; /* the one its client is taking */
    uint64_t now, moves, events, window_start, last_done, blocked_since, findings, pages;
    struct dice lock_dice;
    uint32_t sleepers; /* threads waiting for a stripe */
    uint32_t active_max;
    uint64_t marks[MARK_COUNT];
    uint64_t batches[BATCH_BUCKETS]; /* full-stripe writes, by length */
    uint64_t work[WORK_COUNT], work_milli[WORK_COUNT];
    uint64_t wait_ns, blocked_ns;
    uint64_t array_since,
        array_busy_ns;           /* the array has had something to do; settled up to there */
    uint64_t in_flight;          /* I/Os the array has taken and not completed */
    struct results_lock lock[2]; /* device_lock, sh->lock */
    char finding[256];
};

struct clockwork {
    const struct scenario *scenario;
    const struct system *system;
    struct world *world;
    struct workload *load;
    const uint16_t *instance_of;
    struct move_log *log;
    struct io_log *io_log;

    uint32_t cpus, members, effects_capacity, irq_capacity;
    uint64_t chain_milli; /* one chain entry, its expected share of misses included */
    uint64_t sync_until;  /* the resync thread rests from then on: a run ends with its last job */
    struct elevator_params queue_params;
    const struct disk_timing *timing[DISKS_MAX];

    char *arena;
    size_t arena_bytes;
    /* All below point into the arena. */
    struct scalars *s;
    struct cpu *cpu;
    struct effect *effects; /* (cpus + 1) * effects_capacity; the last: of timers and fate */
    struct irq *irqs;       /* cpus * irq_capacity */
    struct thread *thread;  /* by actor */
    struct issuer *issuer;  /* by actor */
    struct spinlock *lock;  /* 0: device_lock, 1 + stripe */
    struct member *member;
    uint64_t *delay_ns;     /* by io: how much longer a fault makes it take */
    struct held *held;      /* HELD_MAX */
    uint64_t *plugged;      /* members whose queue may be plugged: a superset */
    uint32_t *stalled_next; /* by io: next stalled io place + 1 */
    uint32_t *irq_next; /* by io: the next place of a request whose interrupt is being worked off */
    uint64_t *due[EVENT_COUNT];    /* when that entity wants to be called; UINT64_MAX: not at all */
    uint64_t *posted[EVENT_COUNT]; /* its earliest event in the wheel; UINT64_MAX: none */
    struct timing_of_request *timing_of;
    struct temperature *temperature;
    struct wheel *wheel;
    struct history *history;
    struct results_job *job; /* tallies */
    struct elevator *elevator[DISKS_MAX];
    void *arm[DISKS_MAX];
};

/* clockwork.c */
void clock_post(struct clockwork *, enum event, uint32_t index, uint64_t when);
/* Fires a move of that actor; its effects are e's. */
void clock_fire(struct clockwork *, actor_id who, uint64_t way, struct effects *e);
/* A move of a timer or of fate, now. */
void clock_strike(struct clockwork *, actor_id who, uint64_t way);
/* Makes an idle CPU look for work at `when`. */
void clock_kick(struct clockwork *, uint32_t cpu, uint64_t when);

/* clockwork_threads.c */
void thread_wake(struct clockwork *, actor_id who);
/* The next move of a thread for this CPU; false: none. *way names it. */
bool thread_choose(struct clockwork *, uint32_t cpu, actor_id *who, uint64_t *way,
                   const struct step **);
/* Moves waiting threads from the longest run queue to the shortest, half the difference. */
void thread_balance(struct clockwork *);
/* Before the first event: asleep, on the CPU where it will wake up. */
void thread_begin(struct clockwork *, actor_id who);
void thread_block(struct clockwork *, actor_id who);

/* clockwork_members.c */
void member_submit(struct clockwork *, uint32_t cpu, io_id io);
/* Opens the plug of one member, or of all (NONE16). */
void members_unplug(struct clockwork *, uint32_t cpu, unsigned member);
/* The thread lets go what its own plug holds back. */
void members_flush_plug(struct clockwork *, uint32_t cpu, actor_id who);
/* The same, if its last move was the end of raid5d's body or of a system call. */
void members_end_plug(struct clockwork *, uint32_t cpu, actor_id who);
void member_device_event(struct clockwork *, unsigned member);
/* A command that was kept back ends. */
void member_held_event(struct clockwork *, unsigned place);
void member_queue_event(struct clockwork *, unsigned member);
void member_settle(struct clockwork *, unsigned member);
/* The next move of interrupt work for this CPU; false: none. */
bool irq_choose(struct clockwork *, uint32_t cpu, actor_id *who, uint64_t *way);
/* After a completion move: on to the next io; at the end of the request the queue sends the next
 * one. */
void irq_advance(struct clockwork *, uint32_t cpu);

/* clockwork_faults.c */
void faults_start(struct clockwork *);
/* The time of that fault has come. */
void fault_event(struct clockwork *, unsigned number);
/* A member I/O has been submitted: does a fault meet it? */
void faults_meet(struct clockwork *, io_id);

/* clockwork_sync.c */
/* The resync thread begins: its marks. */
void sync_begins(struct clockwork *);
void sync_goes_on(struct clockwork *);
/* The way of resync.pace now. */
uint64_t sync_pace(struct clockwork *);

/* clockwork_history.c */
void history_start(struct clockwork *);
/* A fault is about to strike; the sector is the member's, UINT64_MAX: none. */
void history_struck(struct clockwork *, unsigned number, uint64_t sector);
/* That actor's move is about to be fired. */
void history_about(struct clockwork *, actor_id who, uint64_t way);
/* Members may have changed. */
void history_look(struct clockwork *);
void history_mark(struct clockwork *, enum mark, unsigned member);
void history_reply(struct clockwork *, request_id);
/* The resync thread has made a step; its program counter and task were these before. */
void history_sync_step(struct clockwork *, unsigned pc, enum sync_action);
/* How far the sync under way is. */
struct history_progress history_progress_now(const struct clockwork *);

/* clockwork_price.c */
/* Books units of work; returns thousandths of cycles. */
uint64_t price_work(struct clockwork *, enum work, uint64_t units);
/* Books cycles under a kind of work without counting a unit. */
uint64_t price_cycles(struct clockwork *, enum work, uint64_t cycles);
/* Books and sums what a move reported. */
uint64_t price_effects(struct clockwork *, uint32_t cpu, struct effect *, uint32_t count,
                       uint32_t *left);
uint64_t price_lock(struct clockwork *, uint32_t cpu, uint32_t id, enum work books);
static inline uint64_t price_ns(const struct clockwork *c, uint64_t milli)
{
    return milli / c->scenario->host.mhz;
}

/* clockwork_results.c */
void results_reset(struct clockwork *);
void results_request_done(struct clockwork *, request_id);
/* An I/O was taken up (+1) or completed (-1). */
void results_in_flight(struct clockwork *, int change);

#endif
