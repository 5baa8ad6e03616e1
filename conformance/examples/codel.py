"""CoDel (RFC 8289) behind the line protocol of conformance vectors.

    earlydrop conformance --scheme codel -- python3 conformance/examples/codel.py
    earlydrop conformance --scheme codel -- python3 conformance/examples/codel.py --faulty

With --faulty the packet that is judged when dropping begins is sent, and the next one is lost in
its place: a fault of two network emulators.
"""
import json
import math
import sys
from collections import deque

KNOWN = {"sqrt": "exact", "clock": "1ns", "above": "for", "ecn": True}


class CoDel:
    def __init__(self, parameters, faulty):
        def ns(name):
            return round(parameters[name]["value"] * 1e9)

        self.target, self.interval, self.step = ns("target"), ns("interval"), ns("ce_threshold")
        self.mtu, self.limit = parameters["mtu"]["value"], parameters["limit"]["value"]
        self.queue, self.bytes, self.faulty = deque(), 0, faulty
        self.first_above = self.drop_next = self.count = self.last_count = 0
        self.dropping = False

    def enqueue(self, now, packet):
        if len(self.queue) >= self.limit:
            return "dropped"
        self.queue.append((now, packet))
        self.bytes += packet["size"]
        return "queued"

    def next(self, now):
        """The head, and whether it may be dropped: above target for an interval."""
        if not self.queue:
            self.first_above = 0
            return None, False
        arrived, packet = self.queue.popleft()
        self.bytes -= packet["size"]
        packet["sojourn"] = now - arrived
        if packet["sojourn"] < self.target or self.bytes <= self.mtu:
            self.first_above = 0
            return packet, False
        if self.first_above == 0:
            self.first_above = now + self.interval
            return packet, False
        return packet, now >= self.first_above

    def law(self, time):
        return time + round(self.interval / math.sqrt(self.count))

    def dequeue(self, now):
        lost = []
        packet, may_drop = self.next(now)
        if self.dropping:
            self.dropping = may_drop
            while self.dropping and now >= self.drop_next:
                self.count += 1
                if self.mark(packet):
                    self.drop_next = self.law(self.drop_next)
                    break
                lost.append(packet["id"])
                packet, self.dropping = self.next(now)
                if self.dropping:
                    self.drop_next = self.law(self.drop_next)
        elif may_drop:
            if not self.mark(packet):
                behind, _ = self.next(now)
                if self.faulty and behind:
                    packet, behind = behind, packet
                lost.append(packet["id"])
                packet = behind
            self.dropping = True
            grown = self.count - self.last_count
            soon = now - self.drop_next < 16 * self.interval
            self.count = grown if grown > 1 and soon else 1
            self.drop_next = self.law(now)
            self.last_count = self.count
        if packet and 0 < self.step < packet["sojourn"]:
            self.mark(packet)
        return packet, lost

    def mark(self, packet):
        if not packet or packet.get("ecn", "not") == "not":
            return False
        packet["ecn"] = "ce"
        return True


queue = None
for line in sys.stdin:
    asked = json.loads(line)
    if "vector" in asked:
        given = asked["parameters"]
        ready = asked["scheme"] == "codel" and all(given[name] == KNOWN[name] for name in KNOWN)
        queue = CoDel(given, "--faulty" in sys.argv) if ready else None
        answer = {"ready": ready}
    elif "enqueue" in asked:
        answer = {"fate": queue.enqueue(asked["t"], asked["enqueue"])}
    else:
        sent, lost = queue.dequeue(asked["t"])
        answer = {"lost": lost}
        if sent:
            answer["sent"] = {"id": sent["id"], "ecn": sent.get("ecn", "not")}
    print(json.dumps(answer), flush=True)
