/* Offers packets to RED at twice the link's rate, and prints why the first one is dropped early.
 *
 *     cc explained_drop.c $(pkg-config --cflags --libs earlydrop) -o explained_drop */
#include <earlydrop.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A packet of the program's own; its address is the handle. */
struct frame {
    unsigned number;
    unsigned char bytes[1000];
};

static uint64_t handle_of(struct frame *frame) { return (uint64_t)(uintptr_t)frame; }

static struct frame *frame_of(uint64_t handle) { return (struct frame *)(uintptr_t)handle; }

/* Every frame that the queue drops comes here: the one that arrives, and those that wait. */
static void on_drop(void *context, uint64_t handle, enum earlydrop_verdict verdict) {
    unsigned *dropped = context;
    (void)verdict;
    ++*dropped;
    free(frame_of(handle));
}

/* Sends the next frame, which here means that it is freed. */
static bool send_next(struct earlydrop_queue *queue, uint64_t now) {
    struct earlydrop_sent sent;
    if (!earlydrop_dequeue(queue, now, &sent)) {
        return false;
    }
    free(frame_of(sent.handle));
    return true;
}

int main(void) {
    unsigned dropped = 0, sent = 0;
    const struct earlydrop_config config = {
        .spec = "red:min=10,max=30",
        .link_bps = 8000000,
        .seed = 1,
        .on_drop = on_drop,
        .context = &dropped,
    };
    char text[4000];
    struct earlydrop_queue *queue = earlydrop_create(&config, text, sizeof text);
    if (queue == NULL) {
        fprintf(stderr, "%s\n", text);
        return 1;
    }
    /* The link sends a frame of 1,000 bytes in 1 ms; one arrives each half of it. */
    bool is_explained = false;
    uint64_t now = 0;
    for (unsigned number = 0; number < 4000; ++number, now += 500000) {
        struct frame *frame = calloc(1, sizeof *frame);
        if (frame == NULL) {
            abort();
        }
        frame->number = number;
        struct earlydrop_packet packet = {.handle = handle_of(frame), .flow = number % 8, .size = 1000};
        /* Asked before the call, since the call changes what decides. */
        if (!is_explained) {
            earlydrop_explain_enqueue(queue, &packet, now, text, sizeof text);
        }
        enum earlydrop_verdict verdict = earlydrop_enqueue(queue, &packet, now);
        if (verdict == EARLYDROP_VERDICT_DROPPED_EARLY && !is_explained) {
            is_explained = true;
            printf("packet %u at %" PRIu64 " us:\n%s\n\n", number, now / 1000, text);
        }
        sent += number % 2 == 1 && send_next(queue, now);
    }
    while (send_next(queue, now += 1000000)) {
        ++sent;
    }
    struct earlydrop_counters counters = earlydrop_count(queue);
    printf("%" PRIu64 " arrived, %u sent, %u dropped\n", counters.arrived.packets, sent, dropped);
    earlydrop_destroy(queue);
    return counters.arrived.packets == sent + dropped && is_explained ? 0 : 1;
}
