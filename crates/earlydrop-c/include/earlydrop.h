/* earlydrop: active queue management (RED, CoDel, PIE, FQ-CoDel, CAKE and others) for programs in C
 * and C++. MIT or Apache-2.0.
 *
 * A queue is made from a line of text, and driven with the caller's packets, by handle, and the
 * caller's clock. Every packet comes back exactly once: from earlydrop_dequeue, or by on_drop. Nothing
 * is allocated by earlydrop_enqueue and earlydrop_dequeue.
 *
 * A queue is used by one thread at a time. Pointers are NULL or valid; with NULL for a queue a call
 * does nothing. */

#ifndef EARLYDROP_H
#define EARLYDROP_H

// Made by cbindgen: EARLYDROP_WRITE_PAGES=1 cargo test -p earlydrop-c writes it anew.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The version of this interface. It rises with each change of a declaration in this file; a program
// compares it with earlydrop_abi_version().
#define EARLYDROP_ABI_VERSION 1

// The packet carries a TCP acknowledgment, whose number is in ack.
#define EARLYDROP_ACK 1

// It carries no data, and no option that its successor would not replace.
#define EARLYDROP_ACK_PURE 2

// It carries SACK blocks.
#define EARLYDROP_ACK_SACK 4

// What becomes of a packet. From EARLYDROP_VERDICT_DROPPED_EARLY on it is dropped.
enum earlydrop_verdict {
  // The queue is NULL, or a defect of the library has stopped it: see earlydrop_fault(). The
  // packet is the caller's again.
  EARLYDROP_VERDICT_FAULT = -1,
  // The packet joined the queue.
  EARLYDROP_VERDICT_QUEUED = 0,
  // The packet joined the queue with an ECN mark.
  EARLYDROP_VERDICT_MARKED = 1,
  // The scheme dropped it on arrival, by its probability or threshold.
  EARLYDROP_VERDICT_DROPPED_EARLY = 2,
  // The buffer was full.
  EARLYDROP_VERDICT_DROPPED_FORCED = 3,
  // A rule about its flow: unresponsive, a CHOKe match, a rate limit.
  EARLYDROP_VERDICT_DROPPED_POLICY = 4,
  // The scheme dropped it on departure, as CoDel does.
  EARLYDROP_VERDICT_DROPPED_DEQUEUE = 5,
};

// A queue in front of a link. One thread at a time uses it. Times are of the caller's clock, in ns,
// from any zero on; one that is earlier than the call before is taken for that call's.
struct earlydrop_queue;

// Receives each packet that a queue drops: one that arrives, and one that waits. It may free the
// packet. It must return, without an exception, and must not call the queue.
typedef void (*earlydrop_on_drop)(void *context, uint64_t handle, enum earlydrop_verdict verdict);

// A queue to be made. What is zero has its default.
struct earlydrop_config {
  // The scheme and its parameters: "red:min=10,max=30".
  const char *spec;
  // The rate of the link behind the queue, in bit/s. No default.
  uint64_t link_bps;
  // The typical size of a packet, in bytes, for lengths that are given in packets. Default: 1000.
  uint64_t mean_packet;
  // Seeds the random numbers: the same seed and the same calls give the same verdicts.
  uint64_t seed;
  // Receives the packets that the queue drops. Default: nobody does.
  earlydrop_on_drop on_drop;
  // The first argument of on_drop.
  void *context;
};

// A packet. Only handle, flow and size matter to most schemes.
struct earlydrop_packet {
  // The caller's own, such as a pointer or an index. The queue gives it back and never uses it.
  uint64_t handle;
  // The flow: typically a hash of addresses, ports and protocol.
  uint64_t flow;
  // The length on the wire, in bytes.
  uint32_t size;
  // The ECN field in the two low bits, as in the traffic class (or TOS) byte: 0 not capable,
  // 1 ECT(1), 2 ECT(0), 3 CE.
  uint8_t ecn;
  // The class, for schemes with a profile for each (WRED).
  uint8_t traffic_class;
  // EARLYDROP_ACK and others, for schemes that thin acknowledgments out (CAKE); 0 where there is
  // none, in segments with SYN, FIN or RST, and where it is not known.
  uint8_t ack_flags;
  // The ECE and CWR flags of the acknowledgment, or the counter of accurate ECN.
  uint8_t ack_echo;
  // The number of the acknowledgment.
  uint32_t ack;
  // The host it comes from, such as its address, for schemes that share among hosts (CAKE). Where
  // source and destination are 0, each flow has hosts of its own.
  uint32_t source;
  // The host it goes to.
  uint32_t destination;
};

// A packet that leaves a queue to be sent.
struct earlydrop_sent {
  // The caller's handle.
  uint64_t handle;
  // When it arrived, in ns.
  uint64_t arrived;
  // Its length on the wire, in bytes.
  uint32_t size;
  // Its ECN field. Where it is 3 (CE), the packet is to be sent with this mark.
  uint8_t ecn;
};

// A number of packets, and their bytes.
struct earlydrop_tally {
  // Packets.
  uint64_t packets;
  // The sum of their lengths on the wire.
  uint64_t bytes;
};

// The counters of a queue. Always arrived = sent + all dropped + waiting.
struct earlydrop_counters {
  // Enqueued, including those dropped on arrival.
  struct earlydrop_tally arrived;
  // Dequeued.
  struct earlydrop_tally sent;
  // Marked by this queue, on arrival or on departure.
  struct earlydrop_tally marked;
  // Dropped with EARLYDROP_VERDICT_DROPPED_EARLY.
  struct earlydrop_tally dropped_early;
  // Dropped with EARLYDROP_VERDICT_DROPPED_FORCED.
  struct earlydrop_tally dropped_forced;
  // Dropped with EARLYDROP_VERDICT_DROPPED_POLICY.
  struct earlydrop_tally dropped_policy;
  // Dropped with EARLYDROP_VERDICT_DROPPED_DEQUEUE.
  struct earlydrop_tally dropped_dequeue;
};

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the library, such as "0.3.0".
const char *earlydrop_version(void);

// The library's EARLYDROP_ABI_VERSION.
uint32_t earlydrop_abi_version(void);

// Makes an empty queue. Returns NULL where the spec or the link is wrong; then error, if it is not
// NULL, holds why, in at most size bytes with the final NUL.
struct earlydrop_queue *earlydrop_create(const struct earlydrop_config *config,
                                         char *error,
                                         size_t size);

// Ends a queue. Packets that wait are not given back: dequeue them before. NULL is allowed.
void earlydrop_destroy(struct earlydrop_queue *queue);

// Enqueues a packet that arrives at now. Dropped packets, this one or others, go to on_drop before
// the function returns.
enum earlydrop_verdict earlydrop_enqueue(struct earlydrop_queue *queue,
                                         const struct earlydrop_packet *packet,
                                         uint64_t now);

// Dequeues the next packet to send; false where none waits. Call it when the link is free, also
// where nothing waits: RED's average decays from then on. Packets that the scheme drops on the way go
// to on_drop.
bool earlydrop_dequeue(struct earlydrop_queue *queue,
                       uint64_t now,
                       struct earlydrop_sent *sent);

// When the scheme's next periodic update is due, in ns; UINT64_MAX for a scheme without any. No
// timer is needed: each call catches up. earlydrop_poll at this time keeps earlydrop_probe current.
uint64_t earlydrop_next_deadline(const struct earlydrop_queue *queue);

// Runs the periodic updates due by now.
void earlydrop_poll(struct earlydrop_queue *queue, uint64_t now);

// Informs the scheme that the link now sends at another rate, in bit/s.
void earlydrop_set_link_rate(struct earlydrop_queue *queue, uint64_t bps, uint64_t now);

// The packets that wait.
uint32_t earlydrop_packets(const struct earlydrop_queue *queue);

// The bytes that wait.
uint64_t earlydrop_bytes(const struct earlydrop_queue *queue);

// The counters since the queue was made; all zero for NULL.
struct earlydrop_counters earlydrop_count(const struct earlydrop_queue *queue);

// A quantity that the scheme shows, such as "average" of RED: `earlydrop schemes NAME` lists them.
// Returns false where the scheme shows none of this name.
bool earlydrop_probe(const struct earlydrop_queue *queue, const char *name, double *value);

// Why earlydrop_enqueue, called next with these arguments, drops, marks or keeps packets: the rule,
// the numbers that lead to the decision, each with its equation, and the decision; those that it drops
// first, with an empty line between two. Asking changes nothing; it copies the queue and allocates.
//
// Writes at most size bytes with the final NUL, and returns the length of the whole text without it.
size_t earlydrop_explain_enqueue(const struct earlydrop_queue *queue,
                                 const struct earlydrop_packet *packet,
                                 uint64_t now,
                                 char *text,
                                 size_t size);

// Why earlydrop_dequeue, called next at now, drops, marks or keeps each packet that it takes from the
// queue, as earlydrop_explain_enqueue says it; empty where none waits.
size_t earlydrop_explain_dequeue(const struct earlydrop_queue *queue,
                                 uint64_t now,
                                 char *text,
                                 size_t size);

// What has stopped the queue; NULL where nothing has. Only a defect of the library stops one: its
// calls then do nothing. The text lives as long as the queue.
const char *earlydrop_fault(const struct earlydrop_queue *queue);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* EARLYDROP_H */
