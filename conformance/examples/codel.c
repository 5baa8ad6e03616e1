/* CoDel (RFC 8289) with a fault: the gap to the next drop is interval / count, without the square root.
 *
 *     cc -shared -fPIC -I conformance/include conformance/examples/codel.c -o codel.so
 *     earlydrop conformance --scheme codel --library ./codel.so */
#include <earlydrop_conformance.h>
#include <stdlib.h>

struct codel {
    uint64_t target, interval, first_above, drop_next, count, last_count, bytes, mtu, limit;
    uint64_t head, tail, arrived[1024];
    struct conformance_packet packets[1024];
    bool dropping;
};

static bool is(const struct conformance_vector *vector, const char *name, const char *text) {
    return strcmp(conformance_find(vector, name)->text, text) == 0;
}

/* A parameter that this queue has not got: the vector is skipped. */
static void *create(const struct conformance_vector *vector) {
    if (strcmp(vector->scheme, "codel") != 0 || !is(vector, "sqrt", "exact") ||
        !is(vector, "clock", "1ns") || !is(vector, "above", "for") ||
        conformance_find(vector, "ecn")->value == 0 ||
        conformance_find(vector, "ce_threshold")->value > 0) {
        return NULL;
    }
    struct codel *q = calloc(1, sizeof *q);
    q->target = (uint64_t)(conformance_find(vector, "target")->value * 1e9 + 0.5);
    q->interval = (uint64_t)(conformance_find(vector, "interval")->value * 1e9 + 0.5);
    q->mtu = (uint64_t)conformance_find(vector, "mtu")->value;
    q->limit = (uint64_t)conformance_find(vector, "limit")->value;
    return q;
}

static int32_t enqueue(void *queue, uint64_t now, const struct conformance_packet *packet,
                       struct conformance_call *call) {
    struct codel *q = queue;
    (void)call;
    if (q->tail - q->head >= q->limit) return CONFORMANCE_DROPPED;
    q->arrived[q->tail % 1024] = now;
    q->packets[q->tail++ % 1024] = *packet;
    q->bytes += packet->size;
    return CONFORMANCE_QUEUED;
}

/* Takes the head; may_drop says whether the delay has been above target for an interval. */
static struct conformance_packet *next(struct codel *q, uint64_t now, bool *may_drop) {
    *may_drop = false;
    if (q->head == q->tail) return q->first_above = 0, NULL;
    uint64_t waited = now - q->arrived[q->head % 1024];
    struct conformance_packet *packet = &q->packets[q->head++ % 1024];
    q->bytes -= packet->size;
    if (waited < q->target || q->bytes <= q->mtu) q->first_above = 0;
    else if (q->first_above == 0) q->first_above = now + q->interval;
    else *may_drop = now >= q->first_above;
    return packet;
}

/* Marks a packet, or drops it: then the next one takes its place. */
static bool signal_by(struct codel *q, struct conformance_packet **packet, uint64_t now,
                      bool *may_drop, struct conformance_call *call) {
    if ((*packet)->ecn != 0) return (*packet)->ecn = 3, false;
    call->lost(call, (*packet)->id);
    *packet = next(q, now, may_drop);
    return true;
}

static bool dequeue(void *queue, uint64_t now, struct conformance_sent *sent,
                    struct conformance_call *call) {
    struct codel *q = queue;
    bool may_drop, was_dropping = q->dropping;
    struct conformance_packet *packet = next(q, now, &may_drop);
    q->dropping = may_drop;
    while (was_dropping && q->dropping && now >= q->drop_next) {
        ++q->count;
        bool is_dropped = signal_by(q, &packet, now, &q->dropping, call);
        if (q->dropping) q->drop_next += q->interval / q->count; /* The fault. */
        if (!is_dropped) break;
    }
    if (!was_dropping && may_drop) {
        signal_by(q, &packet, now, &may_drop, call);
        uint64_t grown = q->count - q->last_count;
        q->count = grown > 1 && now - q->drop_next < 16 * q->interval ? grown : 1;
        q->last_count = q->count;
        q->drop_next = now + q->interval / q->count;
    }
    if (packet != NULL) *sent = (struct conformance_sent){packet->id, packet->ecn};
    return packet != NULL;
}

const struct conformance_table earlydrop_conformance = {
    .version = CONFORMANCE_VERSION,
    .create = create, .enqueue = enqueue, .dequeue = dequeue, .destroy = free,
};
