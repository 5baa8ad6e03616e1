// The queue disc as a queue of the conformance vectors, judged inside ns-3:
//     earlydrop conformance --library ./vectors.so
#include "earlydrop-queue-disc.h"

#include <earlydrop_conformance.h>
#include <ns3/packet.h>
#include <ns3/simulator.h>
#include <ns3/uinteger.h>

#include <deque>

using namespace ns3;

// A packet of a vector: its number, flow and ECN field stand in place of headers.
class VectorItem : public QueueDiscItem {
public:
    explicit VectorItem(const conformance_packet &packet)
        : QueueDiscItem(Create<Packet>(packet.size), Address(), 0), m_packet(packet) {}
    const conformance_packet &Get() const { return m_packet; }
    uint32_t Hash(uint32_t) const override { return m_packet.flow; }
    void AddHeader() override {}
    bool Mark() override {
        const bool isCapable = m_packet.ecn != 0;
        m_packet.ecn = isCapable ? 3 : 0;
        return isCapable;
    }
    bool GetUint8Value(Uint8Values field, uint8_t &value) const override {
        value = m_packet.ecn;
        return field == IP_DSFIELD;
    }

private:
    conformance_packet m_packet;
};

static uint32_t IdOf(Ptr<const QueueDiscItem> item) {
    return dynamic_cast<const VectorItem &>(*item).Get().id;
}

struct Judged {
    Ptr<EarlydropQueueDisc> disc;
    std::deque<uint32_t> lost, marked;
};

// Lets the simulation run until a time, at which the call is made.
static void RunUntil(uint64_t now) {
    const Time rest = NanoSeconds(now) - Simulator::Now();
    if (rest.IsStrictlyPositive()) {
        Simulator::Stop(rest);
        Simulator::Run();
    }
}

static void *MakeQueue(const conformance_vector *vector) {
    auto judged = new Judged;
    judged->disc = CreateObjectWithAttributes<EarlydropQueueDisc>(
        "Spec", StringValue(vector->spec), "LinkRate", DataRateValue(DataRate(vector->link_bps)),
        "MeanPacket", UintegerValue(vector->mean_packet), "Seed", UintegerValue(vector->seed));
    judged->disc->TraceConnectWithoutContext(
        "Drop", Callback<void, Ptr<const QueueDiscItem>>([judged](Ptr<const QueueDiscItem> item) {
            judged->lost.push_back(IdOf(item));
        }));
    judged->disc->TraceConnectWithoutContext(
        "Mark", Callback<void, Ptr<const QueueDiscItem>, const char *>(
                    [judged](Ptr<const QueueDiscItem> item, const char *) {
                        judged->marked.push_back(IdOf(item));
                    }));
    judged->disc->Initialize();
    return judged;
}

static void Report(Judged *judged, conformance_call *call, int64_t arriving) {
    for (uint32_t id : judged->lost) {
        if (id != arriving) call->lost(call, id);
    }
    judged->lost.clear();
    judged->marked.clear();
}

static int32_t Enqueue(void *queue, uint64_t now, const conformance_packet *packet,
                       conformance_call *call) {
    auto judged = static_cast<Judged *>(queue);
    RunUntil(now);
    const bool isQueued = judged->disc->Enqueue(Create<VectorItem>(*packet));
    const bool isMarked = !judged->marked.empty();
    Report(judged, call, packet->id);
    return !isQueued ? CONFORMANCE_DROPPED : isMarked ? CONFORMANCE_MARKED : CONFORMANCE_QUEUED;
}

static bool Dequeue(void *queue, uint64_t now, conformance_sent *sent, conformance_call *call) {
    auto judged = static_cast<Judged *>(queue);
    RunUntil(now);
    const auto item = judged->disc->Dequeue();
    Report(judged, call, -1);
    if (item == nullptr) return false;
    const auto &packet = dynamic_cast<const VectorItem &>(*item).Get();
    *sent = {packet.id, packet.ecn};
    return true;
}

static bool State(void *queue, const char *name, double *value) {
    return earlydrop_probe(static_cast<Judged *>(queue)->disc->GetQueue(), name, value);
}

static void Destroy(void *queue) {
    auto judged = static_cast<Judged *>(queue);
    judged->disc->Dispose();
    delete judged;
    // The next vector begins at zero.
    Simulator::Destroy();
}

extern "C" {
extern const conformance_table earlydrop_conformance;
const conformance_table earlydrop_conformance = {CONFORMANCE_VERSION, true,  MakeQueue, Enqueue,
                                                 Dequeue,             State, Destroy};
}
