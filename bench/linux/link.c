// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * "link0": a network device that sends at a fixed rate, and a source of packets for it, so that
 * the qdisc attached to it meets given arrivals. Written for the user-mode kernel of
 * bench/linux/build.sh, whose clock moves only when nothing is left to do.
 *
 * Write a job to /proc/link0, then read the outcome from it; the read runs the job.
 *   job:     struct job, then struct arrival for each packet
 *   outcome: struct outcome, then one u64 for each packet: its time in ns, times 4, plus its fate
 *
 * Arrivals end in ...50 ns and the link acts on multiples of 100 ns: no two events coincide.
 */
#include <linux/completion.h>
#include <linux/etherdevice.h>
#include <linux/hrtimer.h>
#include <linux/ip.h>
#include <linux/netdevice.h>
#include <linux/proc_fs.h>
#include <linux/random.h>
#include <linux/timer.h>
#include <linux/uaccess.h>
#include <linux/udp.h>
#include <linux/vmalloc.h>
#include <net/ip.h>

struct job {
	u64 rate;	/* bit/s */
	u64 seed;	/* of the qdisc's random numbers */
};

struct arrival {
	u64 at;		/* ns */
	u32 bytes;	/* with the Ethernet header */
	u16 flow;
	u8 ecn;
	u8 tos;
};

struct outcome {
	u64 draws;	/* random numbers taken */
	s64 timer;	/* when the qdisc last armed a timer before the first arrival, in ns */
};

enum { PASSED, MARKED, DROPPED };

#define ROOM (64 << 20)
#define MOST (ROOM / sizeof(struct arrival))
/* A multiple of every clock tick of a qdisc, in ns. */
#define ALIGNED (1ull << 33)

static u8 *input;
static size_t input_bytes;
static u64 *results;	/* struct outcome, then the packets */
static size_t result_bytes;
static struct net_device *device;
static struct hrtimer next_arrival, link_free;
static DECLARE_COMPLETION(finished);
static u64 origin, free_at, armed_at;
static u32 offered;

static struct job *job(void) { return (struct job *)input; }
static struct arrival *arrivals(void) { return (struct arrival *)(input + sizeof(struct job)); }
static struct outcome *outcome(void) { return (struct outcome *)results; }
static u32 packets(void) { return (input_bytes - sizeof(struct job)) / sizeof(struct arrival); }
static u64 now(void) { return ktime_get_ns() - origin; }

/* PCG-XSH-RR with 64 bits of state, as earlydrop's `Pcg32::new(seed, 0)`. build.sh lets qdiscs
 * draw from here. */
static u64 pcg_state;

u32 link_random_u32(void)
{
	u64 old = pcg_state;
	u32 mixed = ((old >> 18) ^ old) >> 27;

	pcg_state = old * 6364136223846793005ull + 1;
	outcome()->draws++;
	return ror32(mixed, old >> 59);
}

u16 link_random_u16(void) { return link_random_u32() >> 16; }

/* A number of 64 bits has its 32 highest from the generator, the others are 0. */
void link_random_bytes(void *to, size_t length)
{
	u64 number;

	for (; length >= sizeof(number); length -= sizeof(number), to += sizeof(number)) {
		number = (u64)link_random_u32() << 32;
		memcpy(to, &number, sizeof(number));
	}
	if (length) {
		number = link_random_u32();
		memcpy(to, &number, length);
	}
}

/* build.sh lets qdiscs arm their timers here: a job reports when updates fall. */
int link_mod_timer(struct timer_list *timer, unsigned long expires)
{
	if (offered == 0)
		armed_at = ktime_get_ns();
	return mod_timer(timer, expires);
}

static void settle(struct sk_buff *skb, int fate)
{
	u32 number = skb->mark - 1;

	skb->destructor = NULL;
	if (number < packets())
		(results + 2)[number] = now() << 2 | fate;
}

static void dropped(struct sk_buff *skb) { settle(skb, DROPPED); }

static netdev_tx_t transmit(struct sk_buff *skb, struct net_device *dev)
{
	u64 start = now();

	/* Called when the link has come free, or at an arrival. */
	start = start >= free_at && start - free_at < 50 ? free_at : (div_u64(start, 100) + 1) * 100;
	if (skb->destructor == dropped) {
		struct arrival *from = &arrivals()[skb->mark - 1];
		bool ce = (ip_hdr(skb)->tos & 3) == 3;

		settle(skb, ce && from->ecn != 3 ? MARKED : PASSED);
	}
	free_at = start + div64_u64((u64)skb->len * 8 * NSEC_PER_SEC, job()->rate);
	netif_stop_queue(dev);
	hrtimer_start(&link_free, ns_to_ktime(origin + free_at), HRTIMER_MODE_ABS_SOFT);
	dev_kfree_skb_any(skb);
	return NETDEV_TX_OK;
}

static enum hrtimer_restart come_free(struct hrtimer *timer)
{
	netif_wake_queue(device);
	return HRTIMER_NORESTART;
}

/* An Ethernet frame with UDP over IPv4; addresses and ports tell the flow. */
static struct sk_buff *frame(struct arrival *from)
{
	struct sk_buff *skb = alloc_skb(from->bytes + 64, GFP_ATOMIC);
	u32 datagram = from->bytes - ETH_HLEN - sizeof(struct iphdr);
	struct iphdr *ip;
	struct udphdr *udp;

	if (!skb)
		return NULL;
	skb_reserve(skb, 32);
	skb_reset_mac_header(skb);
	eth_zero_addr(((struct ethhdr *)skb_put_zero(skb, from->bytes))->h_source);
	eth_hdr(skb)->h_proto = skb->protocol = htons(ETH_P_IP);
	skb_set_network_header(skb, ETH_HLEN);
	ip = ip_hdr(skb);
	*ip = (struct iphdr) {
		.version = 4, .ihl = 5, .tos = from->ecn | from->tos, .ttl = 64,
		.tot_len = htons(from->bytes - ETH_HLEN), .protocol = IPPROTO_UDP,
		.saddr = htonl(0xc6120001 + from->flow), .daddr = htonl(0xc6130001),
	};
	ip_send_check(ip);
	skb_set_transport_header(skb, ETH_HLEN + sizeof(*ip));
	udp = udp_hdr(skb);
	*udp = (struct udphdr) {
		.source = htons(1000 + from->flow), .dest = htons(9), .len = htons(datagram),
	};
	skb->dev = device;
	skb->priority = skb->tc_index = from->tos >> 2;
	skb->destructor = dropped;
	return skb;
}

static enum hrtimer_restart arrive(struct hrtimer *timer)
{
	struct sk_buff *skb = frame(&arrivals()[offered]);

	if (offered == 0)
		outcome()->timer = armed_at - origin;
	offered++;
	if (skb) {
		skb->mark = offered;
		dev_queue_xmit(skb);
	}
	if (offered == packets()) {
		complete(&finished);
		return HRTIMER_NORESTART;
	}
	hrtimer_set_expires(timer, ns_to_ktime(origin + arrivals()[offered].at));
	return HRTIMER_RESTART;
}

static void run_job(void)
{
	origin = (ktime_get_ns() / ALIGNED + 2) * ALIGNED;
	result_bytes = sizeof(struct outcome) + packets() * sizeof(u64);
	memset(results, 0, result_bytes);
	pcg_state = (1 + job()->seed) * 6364136223846793005ull + 1;
	offered = free_at = 0;
	reinit_completion(&finished);
	hrtimer_start(&next_arrival, ns_to_ktime(origin + arrivals()[0].at), HRTIMER_MODE_ABS_SOFT);
	wait_for_completion(&finished);
	/* What still waits leaves within a minute. */
	schedule_timeout_uninterruptible(60 * HZ);
	offered = 0;
}

static ssize_t take_job(struct file *file, const char __user *from, size_t length, loff_t *at)
{
	if (*at == 0)
		input_bytes = result_bytes = 0;
	if (*at + length > ROOM)
		return -ENOSPC;
	if (copy_from_user(input + *at, from, length))
		return -EFAULT;
	*at += length;
	input_bytes = *at;
	return length;
}

static ssize_t give_outcome(struct file *file, char __user *to, size_t length, loff_t *at)
{
	if (input_bytes < sizeof(struct job) + sizeof(struct arrival) || !job()->rate)
		return -EINVAL;
	if (!result_bytes)
		run_job();
	return simple_read_from_buffer(to, length, at, results, result_bytes);
}

static const struct proc_ops job_ops = {
	.proc_write = take_job,
	.proc_read = give_outcome,
	.proc_lseek = default_llseek,
};

static const struct net_device_ops device_ops = { .ndo_start_xmit = transmit };

static void set_up(struct net_device *dev)
{
	ether_setup(dev);
	dev->netdev_ops = &device_ops;
	dev->needs_free_netdev = true;
	dev->flags = (dev->flags | IFF_NOARP) & ~IFF_MULTICAST;
	eth_hw_addr_random(dev);
}

static int __init start(void)
{
	input = vzalloc(ROOM);
	results = vzalloc(sizeof(struct outcome) + MOST * sizeof(u64));
	device = alloc_netdev(0, "link0", NET_NAME_USER, set_up);
	if (!input || !results || !device)
		return -ENOMEM;
	hrtimer_init(&next_arrival, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	next_arrival.function = arrive;
	hrtimer_init(&link_free, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	link_free.function = come_free;
	proc_create("link0", 0600, NULL, &job_ops);
	return register_netdev(device);
}
device_initcall(start);
