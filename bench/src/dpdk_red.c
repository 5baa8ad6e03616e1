/* DPDK's RED over a sequence of queue lengths, for the benchmark decision_cost. */

#include <stddef.h>
#include <stdint.h>
#include <rte_red.h>

static struct rte_red_config config;
static struct rte_red state;

int dpdk_red_start(uint16_t wq_log2, uint16_t min, uint16_t max, uint16_t maxp_inv)
{
	if (rte_red_rt_data_init(&state) != 0)
		return -1;
	return rte_red_config_init(&config, wq_log2, min, max, maxp_inv);
}

/* Returns how many of the arrivals RED would drop. */
uint64_t dpdk_red_run(const uint32_t *lengths, size_t arrivals)
{
	uint64_t dropped = 0;

	for (size_t i = 0; i < arrivals; i++)
		dropped += rte_red_enqueue(&config, &state, lengths[i], i) != 0;
	return dropped;
}
