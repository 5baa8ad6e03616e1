// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * "path0": a network device whose far end is a script. What the kernel's TCP sends passes a
 * modelled path (a bottleneck with a drop-tail queue, a delay, losses and marks by number) and
 * meets a modelled receiver; its acknowledgments come back, and every step is logged. Written for
 * the user-mode kernel of build.sh, whose clock moves only when nothing is left to do.
 *
 * Write a script to /proc/path0 before connecting; read the log from it afterwards. The script
 * and the log are described in bench/reference/README.md.
 *
 * One connection at a time. No locks: one CPU, no preemption; soft interrupts are kept off where
 * a process comes in.
 */
#include <linux/etherdevice.h>
#include <linux/hrtimer.h>
#include <linux/inet.h>
#include <linux/inet_diag.h>
#include <linux/ip.h>
#include <linux/netdevice.h>
#include <linux/proc_fs.h>
#include <linux/random.h>
#include <linux/tcp.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <net/ip.h>
#include <net/tcp.h>

#define LOG_ROOM (96 << 20)
#define MOST_LISTED 4096
#define MOST_BLOCKS 256
/* Cases begin at multiples of this many ns: the clock's ticks fall alike in each. */
#define ALIGNED 16000000000ull

enum action { LOSE, MARK, LOSE_ACK, LATE, TWICE };
enum ecn { ECN_OFF, ECN_CLASSIC, ECN_DCTCP };

struct listed {
	enum action action;
	u32 from, to;		/* ordinals, from 1 */
	u64 value;
};

static struct script {
	u64 rate;		/* bit/s; 0: none */
	u64 queue;		/* packets that wait or are sent; 0: no limit */
	u64 step;		/* packets that wait or are sent from which on arrivals are marked */
	u64 there, back;	/* ns */
	u64 overhead;		/* bytes a packet counts beyond its IP length */
	u64 mss;
	u64 window;		/* bytes */
	u64 every;		/* full segments for an acknowledgment */
	u64 timeout;		/* ns that the first waits for it */
	u64 quick;		/* acknowledgments at the beginning that are not delayed */
	u64 change;		/* whether the segment at which CE changes is acknowledged at once */
	u64 sack, timestamps, ecn, log_state, seed;
} script;
static struct listed list[MOST_LISTED];
static u32 listed_count;

enum kind { AT_RECEIVER, AT_SENDER, DELAYED_ACK };

struct event {
	struct list_head at_list;
	u64 at;
	enum kind kind;
	u32 seq, length, ack, tsval, tsecr, generation;
	u8 flags, ecn, blocks;
	bool syn, fin, full;
	u32 block[8];
};

static struct net_device *device;
static struct hrtimer timer;
static LIST_HEAD(events);
static bool in_callback, running;
static char *log_text;
static size_t log_bytes, log_lost;
static u64 origin;
static unsigned long origin_jiffies;
static u64 pcg_state;

/* The path. */
static u64 free_at;
static u32 data_number, ack_number;
static u64 departures[65536];	/* when the packets in the bottleneck leave it */
static u32 departures_from, departures_to;

/* The receiver. */
static u32 isn, highest_sent, expected, last_ack_sent, ts_recent, delay_generation;
static u32 pending;	/* segments not acknowledged yet */
static bool ece_latched, ce_state;
static u32 dup_from, dup_to;
static struct block { u32 from, to; u64 order; } block[MOST_BLOCKS];
static u32 block_count;
static u64 block_order;
static struct sock *watched;
static u32 noted_cwnd, noted_ssthresh, noted_state;
static __be32 local_address, remote_address;
static __be16 local_port, remote_port;

#define REMOTE_ISN 1000u

static u64 now(void) { return ktime_get_ns() - origin; }

/* PCG-XSH-RR, 64 bits of state. build.sh lets congestion controls draw from here. */
u32 path_random_u32(void)
{
	u64 old = pcg_state;
	u32 mixed = ((old >> 18) ^ old) >> 27;

	pcg_state = old * 6364136223846793005ull + 1;
	return ror32(mixed, old >> 59);
}

u16 path_random_u16(void) { return path_random_u32() >> 16; }
u8 path_random_u8(void) { return path_random_u32() >> 24; }

__printf(1, 2) static void note(const char *format, ...)
{
	va_list arguments;
	int wrote;

	va_start(arguments, format);
	wrote = vsnprintf(log_text + log_bytes, LOG_ROOM - log_bytes, format, arguments);
	va_end(arguments);
	if (log_bytes + wrote >= LOG_ROOM)
		log_lost++;
	else
		log_bytes += wrote;
}

/* Why: 'C' after an acknowledgment; 'T' at a timer, where cwnd, ssthresh or the state changed. */
static void note_state(u64 at, char why)
{
	struct sock *sk = watched;
	struct tcp_sock *tp;
	struct inet_connection_sock *icsk;
	union tcp_cc_info info = { 0 };
	int attribute;
	size_t each;

	if (!sk || !script.log_state || sk->sk_state == TCP_CLOSE)
		return;
	tp = tcp_sk(sk);
	icsk = inet_csk(sk);
	if (why == 'T' && noted_cwnd == tp->snd_cwnd && noted_ssthresh == tp->snd_ssthresh &&
	    noted_state == icsk->icsk_ca_state)
		return;
	noted_cwnd = tp->snd_cwnd;
	noted_ssthresh = tp->snd_ssthresh;
	noted_state = icsk->icsk_ca_state;
	note("%c %llu %u %u %u %u %u %u %u %u %u %u %u %u %lu %u %u %u", why, at, tp->snd_una - isn,
	     tp->snd_nxt - isn, tp->snd_cwnd, tp->snd_ssthresh, icsk->icsk_ca_state,
	     tp->packets_out, tp->sacked_out, tp->lost_out, tp->retrans_out, tp->srtt_us >> 3,
	     tp->rttvar_us, jiffies_to_usecs(icsk->icsk_rto), sk->sk_pacing_rate, tcp_min_rtt(tp),
	     icsk->icsk_pending,
	     icsk->icsk_pending ? (u32)(icsk->icsk_timeout - origin_jiffies) : 0);
	if (icsk->icsk_ca_ops->get_info) {
		size_t words = icsk->icsk_ca_ops->get_info(sk, ~0u, &attribute, &info) / sizeof(u32);

		for (each = 0; each < words; each++)
			note(" %u", ((u32 *)&info)[each]);
	}
	note("\n");
}

static const struct listed *find(enum action action, u32 number)
{
	u32 each;

	for (each = 0; each < listed_count; each++)
		if (list[each].action == action && number >= list[each].from && number <= list[each].to)
			return &list[each];
	return NULL;
}

static void arm(void)
{
	struct event *first = list_first_entry_or_null(&events, struct event, at_list);

	if (first && !in_callback)
		hrtimer_start(&timer, ns_to_ktime(origin + first->at), HRTIMER_MODE_ABS_SOFT);
}

static void enqueue(struct event *event)
{
	struct list_head *place = events.prev;

	while (place != &events && list_entry(place, struct event, at_list)->at > event->at)
		place = place->prev;
	list_add(&event->at_list, place);
	arm();
}

/* ---- the receiver ---- */

static void send_ack(bool syn)
{
	struct event *ack = kzalloc(sizeof(*ack), GFP_ATOMIC);
	u32 each, other, most = script.timestamps ? 3 : 4;
	u64 below = U64_MAX;

	if (!ack)
		return;
	ack->kind = AT_SENDER;
	ack->at = now() + script.back;
	ack->syn = syn;
	ack->ack = expected;
	ack->tsval = (u32)div_u64(now(), NSEC_PER_MSEC) + 5000;
	ack->tsecr = ts_recent;
	ack->flags = ece_latched ? 0x40 : 0;
	if (syn && script.ecn)
		ack->flags = 0x40;
	if (script.ecn == ECN_DCTCP && !syn)
		ack->flags = ce_state ? 0x40 : 0;
	if (script.sack && !syn) {
		if (dup_to != dup_from) {
			ack->block[0] = dup_from;
			ack->block[1] = dup_to;
			ack->blocks = 1;
		}
		while (ack->blocks < most) {
			other = MOST_BLOCKS;
			for (each = 0; each < block_count; each++)
				if (block[each].order < below &&
				    (other == MOST_BLOCKS || block[each].order > block[other].order))
					other = each;
			if (other == MOST_BLOCKS)
				break;
			below = block[other].order;
			ack->block[2 * ack->blocks] = block[other].from;
			ack->block[2 * ack->blocks + 1] = block[other].to;
			ack->blocks++;
		}
	}
	dup_from = dup_to = 0;
	pending = 0;
	delay_generation++;
	last_ack_sent = expected;
	ack_number++;
	if (!syn && script.quick)
		script.quick--;
	if (find(LOSE_ACK, ack_number)) {
		note("L %llu %u %u\n", now(), ack_number, ack->ack - isn);
		kfree(ack);
		return;
	}
	ack->generation = ack_number;
	enqueue(ack);
}

static void add_block(u32 from, u32 to)
{
	u32 each = 0;

	while (each < block_count) {
		if (!before(to, block[each].from) && !after(from, block[each].to)) {
			from = before(block[each].from, from) ? block[each].from : from;
			to = after(block[each].to, to) ? block[each].to : to;
			block[each] = block[--block_count];
		} else {
			each++;
		}
	}
	if (block_count < MOST_BLOCKS)
		block[block_count++] = (struct block){ from, to, ++block_order };
}

static bool held(u32 from, u32 to)
{
	u32 each;

	for (each = 0; each < block_count; each++)
		if (!before(from, block[each].from) && !after(to, block[each].to))
			return true;
	return false;
}

static void take_segment(struct event *segment)
{
	u32 from = segment->seq, to = segment->seq + segment->length + segment->fin, each;
	bool at_once = false, ce = segment->ecn == 3;

	if (script.timestamps && !after(from, last_ack_sent))
		ts_recent = segment->tsval;
	if (script.ecn == ECN_CLASSIC) {
		if (segment->flags & 0x80)
			ece_latched = false;
		if (ce)
			ece_latched = true;
	}
	if (script.ecn == ECN_DCTCP && ce != ce_state) {
		/* What waits is acknowledged with the old state (RFC 8257, 3.2). */
		if (pending)
			send_ack(false);
		ce_state = ce;
		at_once = script.change;
	}
	if (!after(to, expected) || held(from, to)) {
		dup_from = from;
		dup_to = to;
		at_once = true;
	} else if (after(from, expected)) {
		add_block(from, to);
		at_once = true;
	} else {
		if (block_count)
			at_once = true;
		expected = to;
		for (each = 0; each < block_count;) {
			if (!after(block[each].from, expected)) {
				if (after(block[each].to, expected))
					expected = block[each].to;
				block[each] = block[--block_count];
				each = 0;
			} else {
				each++;
			}
		}
		pending++;
	}
	if (at_once || segment->fin || script.quick || pending >= script.every) {
		send_ack(false);
	} else if (pending == 1) {
		struct event *wait = kzalloc(sizeof(*wait), GFP_ATOMIC);

		if (!wait)
			return;
		wait->kind = DELAYED_ACK;
		wait->at = now() + script.timeout;
		wait->generation = delay_generation;
		enqueue(wait);
	}
}

/* ---- acknowledgments reach the kernel ---- */

static void put32(u8 **at, u32 value)
{
	put_unaligned_be32(value, *at);
	*at += 4;
}

static void deliver(struct event *ack)
{
	u8 options[40], *at = options;
	u32 each, size;
	struct sk_buff *skb;
	struct iphdr *ip;
	struct tcphdr *tcp;
	u32 scale = 0;

	while (script.window >> scale > 65535 && scale < 14)
		scale++;
	if (ack->syn) {
		put32(&at, 0x02040000 | script.mss);
		put32(&at, 0x01030300 | scale);
		if (script.sack)
			put32(&at, 0x01010402);
	}
	if (script.timestamps) {
		put32(&at, 0x0101080a);
		put32(&at, ack->tsval);
		put32(&at, ack->tsecr);
	}
	if (ack->blocks) {
		put32(&at, 0x01010500 | (2 + 8 * ack->blocks));
		for (each = 0; each < 2 * ack->blocks; each++)
			put32(&at, ack->block[each]);
	}
	size = sizeof(*ip) + sizeof(*tcp) + (at - options);
	skb = alloc_skb(size + 64, GFP_ATOMIC);
	if (!skb)
		return;
	skb_reserve(skb, 32);
	skb_reset_mac_header(skb);
	skb_put_zero(skb, ETH_HLEN);
	skb_pull(skb, ETH_HLEN);
	skb_reset_network_header(skb);
	ip = skb_put_zero(skb, size);
	*ip = (struct iphdr) {
		.version = 4, .ihl = 5, .ttl = 64, .tot_len = htons(size), .protocol = IPPROTO_TCP,
		.saddr = remote_address, .daddr = local_address, .frag_off = htons(IP_DF),
	};
	ip_send_check(ip);
	tcp = (struct tcphdr *)(ip + 1);
	*tcp = (struct tcphdr) {
		.source = remote_port, .dest = local_port, .ack = 1, .syn = ack->syn,
		.seq = htonl(REMOTE_ISN + !ack->syn), .ack_seq = htonl(ack->ack),
		.doff = (sizeof(*tcp) + (at - options)) / 4, .ece = !!(ack->flags & 0x40),
	};
	tcp->window = htons(min_t(u64, script.window >> (ack->syn ? 0 : scale), 65535));
	memcpy(tcp + 1, options, at - options);
	skb->dev = device;
	skb->protocol = htons(ETH_P_IP);
	skb->pkt_type = PACKET_HOST;
	skb->ip_summed = CHECKSUM_UNNECESSARY;
	note("A %llu %u %u %c", ack->at, ack->generation, ack->ack - isn,
	     ack->flags & 0x40 ? 'E' : '-');
	for (each = 0; each < ack->blocks; each++)
		note(" %u-%u", ack->block[2 * each] - isn, ack->block[2 * each + 1] - isn);
	note("\n");
	netif_receive_skb(skb);
	note_state(ack->at, 'C');
}

static enum hrtimer_restart tick(struct hrtimer *unused)
{
	struct event *event;

	in_callback = true;
	while ((event = list_first_entry_or_null(&events, struct event, at_list)) &&
	       event->at <= now()) {
		list_del(&event->at_list);
		switch (event->kind) {
		case AT_RECEIVER: take_segment(event); break;
		case AT_SENDER: deliver(event); break;
		case DELAYED_ACK:
			if (event->generation == delay_generation && pending)
				send_ack(false);
			break;
		}
		kfree(event);
	}
	in_callback = false;
	if (!event)
		return HRTIMER_NORESTART;
	hrtimer_set_expires(&timer, ns_to_ktime(origin + event->at));
	return HRTIMER_RESTART;
}

/* ---- what the kernel sends ---- */

/* The time a packet has left the bottleneck, or 0: dropped. */
static u64 bottleneck(u32 bytes, u8 *ecn)
{
	u64 at = now();
	u32 waiting;

	if (!script.rate)
		return at;
	while (departures_from != departures_to && departures[departures_from & 65535] <= at)
		departures_from++;
	waiting = departures_to - departures_from;
	if (script.queue && waiting >= script.queue)
		return 0;
	if (script.step && waiting >= script.step && *ecn)
		*ecn = 3;
	free_at = max(free_at, at) + div64_u64((u64)bytes * 8 * NSEC_PER_SEC, script.rate);
	departures[departures_to++ & 65535] = free_at;
	return free_at;
}

static void find_timestamp(struct tcphdr *tcp, u32 *value, u32 *echo)
{
	u8 *at = (u8 *)(tcp + 1), *end = (u8 *)tcp + tcp->doff * 4;

	while (at < end && *at != TCPOPT_EOL) {
		if (*at == TCPOPT_NOP) {
			at++;
			continue;
		}
		if (*at == TCPOPT_TIMESTAMP) {
			*value = get_unaligned_be32(at + 2);
			*echo = get_unaligned_be32(at + 6);
			return;
		}
		at += at[1] ? at[1] : 1;
	}
}

static netdev_tx_t transmit(struct sk_buff *skb, struct net_device *dev)
{
	struct iphdr *ip = ip_hdr(skb);
	struct tcphdr *tcp;
	struct event *event = NULL;
	const struct listed *late;
	u32 bytes, length, seq, value = 0, echo = 0, number = 0;
	u8 ecn;
	char fate = '.';
	bool again;
	u64 out;

	if (!running || skb->protocol != htons(ETH_P_IP) || ip->protocol != IPPROTO_TCP)
		goto gone;
	tcp = (struct tcphdr *)((u8 *)ip + ip->ihl * 4);
	bytes = ntohs(ip->tot_len);
	length = bytes - ip->ihl * 4 - tcp->doff * 4;
	seq = ntohl(tcp->seq);
	ecn = ip->tos & 3;
	find_timestamp(tcp, &value, &echo);
	if (tcp->syn) {
		if (isn && seq == isn)
			goto repeated;
		isn = highest_sent = seq;
		expected = seq + 1;
		local_address = ip->saddr;
		remote_address = ip->daddr;
		local_port = tcp->source;
		remote_port = tcp->dest;
	}
repeated:
	if (tcp->rst)
		goto gone;
	if (!in_callback)
		note_state(now(), 'T');
	if (!watched && !tcp->syn && skb->sk && sk_fullsock(skb->sk)) {
		watched = skb->sk;
		sock_hold(watched);
	}
	again = before(seq, highest_sent);
	if (after(seq + length, highest_sent))
		highest_sent = seq + length;
	if (length)
		number = ++data_number;
	event = kzalloc(sizeof(*event), GFP_ATOMIC);
	if (!event)
		goto gone;
	*event = (struct event) {
		.kind = AT_RECEIVER, .seq = seq, .length = length, .tsval = value,
		.flags = tcp->cwr ? 0x80 : 0, .ecn = ecn, .syn = tcp->syn, .fin = tcp->fin,
	};
	if (number && find(LOSE, number)) {
		fate = 'x';
	} else {
		out = bottleneck(bytes + script.overhead, &event->ecn);
		if (number && find(MARK, number) && event->ecn)
			event->ecn = 3;
		if (!out)
			fate = 'd';
		else if (event->ecn == 3 && ecn != 3)
			fate = 'm';
	}
	note("S %llu %u %u %u %c%c%c%c%c%c %u %c\n", now(), number, seq - isn, length,
	     tcp->syn ? 'S' : '-', tcp->fin ? 'F' : '-', again ? 'R' : '-', tcp->cwr ? 'W' : '-',
	     tcp->ece ? 'E' : '-', tcp->psh ? 'P' : '-', ecn, fate);
	if (fate == 'x' || fate == 'd')
		goto gone;
	event->at = out + script.there;
	late = number ? find(LATE, number) : NULL;
	if (late)
		event->at += late->value;
	if (tcp->syn) {
		/* Answered where it would arrive. */
		event->kind = AT_SENDER;
		event->at += script.back;
		event->ack = expected;
		event->tsval = 5000;
		event->tsecr = value;
		event->flags = script.ecn && tcp->ece && tcp->cwr ? 0x40 : 0;
		ts_recent = value;
		last_ack_sent = expected;
		enqueue(event);
	} else if (length || tcp->fin) {
		if (number && find(TWICE, number)) {
			struct event *copy = kmemdup(event, sizeof(*event), GFP_ATOMIC);

			if (copy)
				enqueue(copy);
		}
		enqueue(event);
	} else {
		goto gone;
	}
	event = NULL;
gone:
	kfree(event);
	dev_kfree_skb_any(skb);
	return NETDEV_TX_OK;
}

/* ---- scripts in, logs out ---- */

static void reset(void)
{
	struct event *event, *next;

	list_for_each_entry_safe(event, next, &events, at_list) {
		list_del(&event->at_list);
		kfree(event);
	}
	if (watched)
		sock_put(watched);
	watched = NULL;
	running = false;
}

static const struct { const char *name; size_t offset; u64 otherwise; } numbers[] = {
#define NUMBER(name, otherwise) { #name, offsetof(struct script, name), otherwise }
	NUMBER(rate, 0), NUMBER(queue, 0), NUMBER(step, 0), NUMBER(there, 0), NUMBER(back, 0),
	NUMBER(overhead, 0), NUMBER(mss, 1460), NUMBER(window, 1 << 30), NUMBER(every, 1),
	NUMBER(timeout, 40000000), NUMBER(quick, 0), NUMBER(change, 1), NUMBER(sack, 1), NUMBER(timestamps, 1),
	NUMBER(ecn, 0), NUMBER(log_state, 1), NUMBER(seed, 0),
};

static const struct { const char *name; enum action action; } actions[] = {
	{ "lose", LOSE }, { "mark", MARK }, { "lose_ack", LOSE_ACK }, { "late", LATE },
	{ "twice", TWICE },
};

static int take_line(char *line)
{
	char word[32];
	u64 a = 0, b = 0, c = 0;
	int found, each;

	found = sscanf(line, "%31s %llu-%llu %llu", word, &a, &b, &c);
	if (found <= 0 || word[0] == '#')
		return 0;
	for (each = 0; each < ARRAY_SIZE(actions); each++) {
		if (strcmp(word, actions[each].name))
			continue;
		if (found < 2 || listed_count == MOST_LISTED)
			return -EINVAL;
		if (found == 2) {
			b = a;
			if (sscanf(line, "%31s %llu %llu", word, &a, &c) < 3)
				c = 0;
		}
		list[listed_count++] = (struct listed){ actions[each].action, a, b, c };
		return 0;
	}
	for (each = 0; each < ARRAY_SIZE(numbers); each++) {
		if (strcmp(word, numbers[each].name))
			continue;
		if (found < 2)
			return -EINVAL;
		*(u64 *)((u8 *)&script + numbers[each].offset) = a;
		return 0;
	}
	return -EINVAL;
}

/* One write is one script. It returns when the clock has reached the case's origin. */
static ssize_t take_script(struct file *file, const char __user *from, size_t length, loff_t *at)
{
	char *text, *rest, *line;
	int each, failed = 0;
	ktime_t until;

	if (length > 1 << 20)
		return -ENOSPC;
	text = memdup_user_nul(from, length);
	if (IS_ERR(text))
		return PTR_ERR(text);
	local_bh_disable();
	hrtimer_cancel(&timer);
	reset();
	local_bh_enable();
	listed_count = 0;
	for (each = 0; each < ARRAY_SIZE(numbers); each++)
		*(u64 *)((u8 *)&script + numbers[each].offset) = numbers[each].otherwise;
	rest = text;
	while ((line = strsep(&rest, "\n")) && !failed)
		failed = take_line(line);
	kfree(text);
	if (failed)
		return failed;
	log_bytes = log_lost = 0;
	free_at = 0;
	data_number = ack_number = 0;
	departures_from = departures_to = 0;
	isn = highest_sent = expected = last_ack_sent = ts_recent = pending = 0;
	ece_latched = ce_state = false;
	dup_from = dup_to = 0;
	block_count = 0;
	block_order = 0;
	pcg_state = (1 + script.seed) * 6364136223846793005ull + 1;
	noted_cwnd = noted_ssthresh = noted_state = 0;
	origin = (div64_u64(ktime_get_ns(), ALIGNED) + 2) * ALIGNED;
	until = ns_to_ktime(origin);
	set_current_state(TASK_UNINTERRUPTIBLE);
	schedule_hrtimeout_range(&until, 0, HRTIMER_MODE_ABS);
	origin_jiffies = jiffies;
	running = true;
	return length;
}

static ssize_t give_log(struct file *file, char __user *to, size_t length, loff_t *at)
{
	if (running) {
		local_bh_disable();
		hrtimer_cancel(&timer);
		note("# %u data segments, %u acknowledgments, %zu lines lost\n", data_number, ack_number,
		     log_lost);
		reset();
		local_bh_enable();
	}
	return simple_read_from_buffer(to, length, at, log_text, log_bytes);
}

static const struct proc_ops path_ops = {
	.proc_write = take_script,
	.proc_read = give_log,
	.proc_lseek = default_llseek,
};

static const struct net_device_ops device_ops = { .ndo_start_xmit = transmit };

static void set_up(struct net_device *dev)
{
	ether_setup(dev);
	dev->netdev_ops = &device_ops;
	dev->needs_free_netdev = true;
	dev->flags = (dev->flags | IFF_NOARP) & ~IFF_MULTICAST;
	dev->priv_flags |= IFF_NO_QUEUE;
	dev->features = dev->hw_features = NETIF_F_HW_CSUM;
	eth_hw_addr_random(dev);
}

static int __init start(void)
{
	log_text = vzalloc(LOG_ROOM);
	device = alloc_netdev(0, "path0", NET_NAME_USER, set_up);
	if (!log_text || !device)
		return -ENOMEM;
	hrtimer_init(&timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	timer.function = tick;
	proc_create("path0", 0600, NULL, &path_ops);
	return register_netdev(device);
}
device_initcall(start);
