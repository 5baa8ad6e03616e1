// SPDX-License-Identifier: MIT OR Apache-2.0
/*
 * The application of a case: send CONTROL SEGMENTS SECONDS [PACING]. Reads a script from standard
 * input, hands it to path0, connects to the far end, sends, waits until SECONDS of simulated time
 * have passed, and closes.
 *
 * SEGMENTS is a number of full segments, handed over in one call, so that no process runs between
 * two acknowledgments; or NUMBER@NS,NUMBER@NS: so many more segments at each time.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#ifndef SO_SNDBUFFORCE
#define SO_SNDBUFFORCE 32
#endif
#ifndef SO_MAX_PACING_RATE
#define SO_MAX_PACING_RATE 47
#endif

/* Bytes of payload in a full segment, with timestamps. */
#define PAYLOAD 1448
#define NS 1000000000ull

static struct timespec origin;

static void must(int ok, const char *what)
{
	if (!ok) {
		perror(what);
		exit(1);
	}
}

/* Sleeps until `at` ns after the origin. */
static void sleep_until(unsigned long long at)
{
	struct timespec until;

	at += origin.tv_nsec;
	until.tv_sec = origin.tv_sec + at / NS;
	until.tv_nsec = at % NS;
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static void send_all(int fd, size_t bytes)
{
	char *data = calloc(1, bytes + 1);
	ssize_t sent;

	must(data != NULL, "calloc");
	memset(data, 'x', bytes);
	sent = send(fd, data, bytes, 0);
	if (sent != (ssize_t)bytes)
		fprintf(stderr, "sent %zd of %zu\n", sent, bytes);
	free(data);
}

int main(int argc, char **argv)
{
	static char script[1 << 20];
	struct sockaddr_in here = { .sin_family = AF_INET };
	struct sockaddr_in there = { .sin_family = AF_INET, .sin_port = htons(5001) };
	struct linger at_once = { .l_onoff = 1 };
	int one = 1, buffer = 1 << 30, fd, path;
	size_t length = 0;
	ssize_t got;
	char *write_at, *rest = NULL;

	if (argc < 4)
		return 2;
	prctl(PR_SET_TIMERSLACK, 1);
	while ((got = read(0, script + length, sizeof(script) - length)) > 0)
		length += got;
	fd = socket(AF_INET, SOCK_STREAM, 0);
	must(fd >= 0, "socket");
	must(!setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)), "SO_REUSEADDR");
	must(!setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, argv[1], strlen(argv[1])), "TCP_CONGESTION");
	must(!setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &buffer, sizeof(buffer)), "SO_SNDBUFFORCE");
	must(!setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)), "SO_LINGER");
	if (argc > 4) {
		unsigned long pacing = strtoul(argv[4], NULL, 10);

		must(!setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &pacing, sizeof(pacing)), "pacing");
	}
	inet_aton("10.9.0.1", &here.sin_addr);
	inet_aton("10.9.0.2", &there.sin_addr);
	must(!bind(fd, (struct sockaddr *)&here, sizeof(here)), "bind");
	path = open("/proc/path0", O_WRONLY);
	must(path >= 0, "path0");
	must(write(path, script, length) == (ssize_t)length, "script");
	close(path);
	if (strchr(argv[2], '@'))
		clock_gettime(CLOCK_MONOTONIC, &origin);
	must(!connect(fd, (struct sockaddr *)&there, sizeof(there)), "connect");
	for (write_at = strtok_r(argv[2], ",", &rest); write_at; write_at = strtok_r(NULL, ",", &rest)) {
		char *at = strchr(write_at, '@');

		if (at && strtoull(at + 1, NULL, 10))
			sleep_until(strtoull(at + 1, NULL, 10));
		send_all(fd, strtoul(write_at, NULL, 10) * PAYLOAD);
	}
	sleep((unsigned int)atoi(argv[3]));
	close(fd);
	return 0;
}
