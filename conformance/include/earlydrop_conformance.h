/* A queue in C as a table of functions, which `earlydrop conformance --library PATH` judges by vectors.
 * MIT or Apache-2.0. The library exports
 *
 *     const struct conformance_table earlydrop_conformance = { ... }; */

#pragma once

// Made by cbindgen: EARLYDROP_WRITE_PAGES=1 cargo test -p earlydrop-conformance writes it anew.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// The version of the table.
#define CONFORMANCE_VERSION 1

// The packet waits.
#define CONFORMANCE_QUEUED 0

// The packet waits, with a mark that this call has set.
#define CONFORMANCE_MARKED 1

// The packet is dropped.
#define CONFORMANCE_DROPPED 2

// A parameter of the scheme, in base units.
struct conformance_parameter {
  // Its name.
  const char *name;
  // The value as text: a number, a name, "true" or "false".
  const char *text;
  // The value as a number: 1 and 0 for true and false, NaN for a name.
  double value;
  // "s", "bit/s", "bytes", "packets", or empty.
  const char *unit;
};

// What a vector is about. It lives as long as the queue that is made for it.
struct conformance_vector {
  // Its name: "codel/entry".
  const char *name;
  // The scheme: "codel".
  const char *scheme;
  // The scheme and its parameters in earlydrop's words: "codel:target=20 ms".
  const char *spec;
  // The rate of the link behind the queue, in bit/s.
  uint64_t link_bps;
  // The mean size of a packet that the scheme assumes, in bytes.
  uint64_t mean_packet;
  // The seed of earlydrop's random numbers.
  uint64_t seed;
  // Every parameter that matters.
  const struct conformance_parameter *parameters;
  // How many there are.
  size_t parameter_count;
};

// A packet that arrives.
struct conformance_packet {
  // Its number, from 0 on in the order of arrival.
  uint32_t id;
  // Bytes.
  uint32_t size;
  // Its flow. No two flows share a queue or a bin unless the vector says so.
  uint32_t flow;
  // Its ECN field: 0 not capable, 1 ECT(1), 2 ECT(0), 3 CE.
  uint8_t ecn;
};

// What a queue may do in a call besides its answer.
struct conformance_call {
  // The judge's own.
  void *judge;
  // The next random number, of 32 bits: over 2^32 it is a number in [0, 1).
  uint32_t (*draw)(struct conformance_call *call);
  // Says that a packet, other than the one that arrives, is dropped.
  void (*lost)(struct conformance_call *call, uint32_t id);
};

// A packet that leaves.
struct conformance_sent {
  // Its number.
  uint32_t id;
  // Its ECN field as it leaves.
  uint8_t ecn;
};

// The queues of a library, which exports it as the variable earlydrop_conformance.
struct conformance_table {
  // CONFORMANCE_VERSION.
  uint32_t version;
  // The queue draws from a generator of its own, so how often it draws is not compared.
  bool draws_its_own;
  // An empty queue for a vector; NULL where there is none for the scheme or a parameter: then the
  // vector is skipped.
  void *(*create)(const struct conformance_vector *vector);
  // A packet arrives at now, in ns. Returns CONFORMANCE_QUEUED, _MARKED or _DROPPED.
  int32_t (*enqueue)(void *queue,
                     uint64_t now,
                     const struct conformance_packet *packet,
                     struct conformance_call *call);
  // The link is free: writes the next packet to send; false where nothing waits.
  bool (*dequeue)(void *queue,
                  uint64_t now,
                  struct conformance_sent *sent,
                  struct conformance_call *call);
  // A quantity of the scheme; false where the queue does not show it. May be NULL.
  bool (*state)(void *queue, const char *name, double *value);
  // Ends a queue.
  void (*destroy)(void *queue);
};

// The parameter of a vector with this name; NULL where there is none.
static inline const struct conformance_parameter *conformance_find(
    const struct conformance_vector *vector, const char *name) {
  for (size_t index = 0; index < vector->parameter_count; ++index) {
    if (strcmp(vector->parameters[index].name, name) == 0) {
      return &vector->parameters[index];
    }
  }
  return NULL;
}
