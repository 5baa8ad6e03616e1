#include "earlydrop-queue-disc.h"

#include <ns3/ipv4-queue-disc-item.h>
#include <ns3/queue.h>
#include <ns3/simulator.h>
#include <ns3/uinteger.h>

using namespace ns3;

// The packets that wait, in a list whose middle can be taken out: earlydrop says which leaves.
class EarlydropItems : public Queue<QueueDiscItem> {
public:
    using Place = Iterator;
    static TypeId GetTypeId() {
        static TypeId id = TypeId("EarlydropItems").SetParent<Queue<QueueDiscItem>>();
        return id;
    }
    // Earlydrop has the limit.
    EarlydropItems() { SetMaxSize(QueueSize(PACKETS, UINT32_MAX)); }
    bool Put(Ptr<QueueDiscItem> item, Place &place) { return DoEnqueue(GetContainer().end(), item, place); }
    Ptr<QueueDiscItem> Take(Place place) { return DoDequeue(place); }
    bool Enqueue(Ptr<QueueDiscItem> item) override { return DoEnqueue(GetContainer().end(), item); }
    Ptr<QueueDiscItem> Dequeue() override { return DoDequeue(GetContainer().begin()); }
    Ptr<QueueDiscItem> Remove() override { return DoRemove(GetContainer().begin()); }
    Ptr<const QueueDiscItem> Peek() const override { return DoPeek(GetContainer().begin()); }
};

NS_OBJECT_ENSURE_REGISTERED(EarlydropItems);
NS_OBJECT_ENSURE_REGISTERED(EarlydropQueueDisc);

// What a handle points to: a packet, and its place where it waits.
struct EarlydropQueueDisc::Held {
    Ptr<QueueDiscItem> item;
    EarlydropItems::Place place;
    bool isWaiting;
    bool isDropped;
};

TypeId EarlydropQueueDisc::GetTypeId() {
    using Disc = EarlydropQueueDisc;
    static TypeId id =
        TypeId("EarlydropQueueDisc")
            .SetParent<QueueDisc>()
            .AddConstructor<Disc>()
            .AddAttribute("Spec", "The scheme and its parameters.", StringValue("red:min=10,max=30"),
                          MakeStringAccessor(&Disc::m_spec), MakeStringChecker())
            .AddAttribute("LinkRate", "The rate of the link.", DataRateValue(DataRate("10Mbps")),
                          MakeDataRateAccessor(&Disc::m_linkRate), MakeDataRateChecker())
            .AddAttribute("MeanPacket", "The typical size of a packet, bytes.", UintegerValue(1000),
                          MakeUintegerAccessor(&Disc::m_meanPacket), MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Seed", "Of the random numbers.", UintegerValue(1),
                          MakeUintegerAccessor(&Disc::m_seed), MakeUintegerChecker<uint64_t>());
    return id;
}

EarlydropQueueDisc::EarlydropQueueDisc() : QueueDisc(QueueDiscSizePolicy::NO_LIMITS) {}
EarlydropQueueDisc::~EarlydropQueueDisc() { earlydrop_destroy(m_queue); }

static uint64_t NowNs() { return static_cast<uint64_t>(Simulator::Now().GetNanoSeconds()); }

static uint8_t EcnOf(Ptr<const QueueDiscItem> item) {
    uint8_t field = 0;
    item->GetUint8Value(QueueItem::IP_DSFIELD, field);
    return field & 3;
}

static earlydrop_packet PacketOf(Ptr<QueueDiscItem> item, uint64_t handle) {
    earlydrop_packet packet{};
    packet.handle = handle;
    packet.flow = item->Hash();
    packet.size = item->GetSize();
    packet.ecn = EcnOf(item);
    if (auto ipv4 = DynamicCast<Ipv4QueueDiscItem>(item)) {
        packet.source = ipv4->GetHeader().GetSource().Get();
        packet.destination = ipv4->GetHeader().GetDestination().Get();
    }
    return packet;
}

bool EarlydropQueueDisc::DoEnqueue(Ptr<QueueDiscItem> item) {
    auto held = new Held{item, {}, false, false};
    const auto packet = PacketOf(item, reinterpret_cast<uint64_t>(held));
    const auto verdict = earlydrop_enqueue(m_queue, &packet, NowNs());
    NS_ABORT_MSG_IF(verdict == EARLYDROP_VERDICT_FAULT, earlydrop_fault(m_queue));
    if (held->isDropped) {
        delete held;
        return false;
    }
    held->isWaiting = true;
    m_items->Put(item, held->place);
    if (verdict == EARLYDROP_VERDICT_MARKED) Mark(item, "Marked on arrival");
    return true;
}

Ptr<QueueDiscItem> EarlydropQueueDisc::DoDequeue() {
    earlydrop_sent sent;
    if (!earlydrop_dequeue(m_queue, NowNs(), &sent)) return nullptr;
    auto item = Release(reinterpret_cast<Held *>(sent.handle));
    if (sent.ecn == 3 && EcnOf(item) != 3) Mark(item, "Marked on departure");
    return item;
}

Ptr<QueueDiscItem> EarlydropQueueDisc::Release(Held *held) {
    auto item = m_items->Take(held->place);
    delete held;
    return item;
}

void EarlydropQueueDisc::OnDrop(void *context, uint64_t handle, earlydrop_verdict verdict) {
    static const char *const reasons[] = {"Early", "Forced", "Policy", "On departure"};
    const char *reason = reasons[verdict - EARLYDROP_VERDICT_DROPPED_EARLY];
    auto disc = static_cast<EarlydropQueueDisc *>(context);
    auto held = reinterpret_cast<Held *>(handle);
    if (held->isWaiting) {
        disc->DropAfterDequeue(disc->Release(held), reason);
    } else {
        held->isDropped = true;
        disc->DropBeforeEnqueue(held->item, reason);
    }
}

std::string EarlydropQueueDisc::Explain(Ptr<QueueDiscItem> item) const {
    const auto packet = PacketOf(item, 0);
    std::string text(1 + earlydrop_explain_enqueue(m_queue, &packet, NowNs(), nullptr, 0), '\0');
    text.resize(earlydrop_explain_enqueue(m_queue, &packet, NowNs(), text.data(), text.size()));
    return text;
}

bool EarlydropQueueDisc::CheckConfig() {
    if (GetNQueueDiscClasses() > 0 || GetNInternalQueues() > 0) return false;
    m_items = CreateObject<EarlydropItems>();
    AddInternalQueue(m_items);
    return true;
}

void EarlydropQueueDisc::InitializeParams() {
    earlydrop_config config{};
    config.spec = m_spec.c_str();
    config.link_bps = m_linkRate.GetBitRate();
    config.mean_packet = m_meanPacket;
    config.seed = m_seed;
    config.on_drop = OnDrop;
    config.context = this;
    char error[500];
    m_queue = earlydrop_create(&config, error, sizeof error);
    NS_ABORT_MSG_IF(m_queue == nullptr, error);
}

void EarlydropQueueDisc::DoDispose() {
    for (earlydrop_sent sent; earlydrop_dequeue(m_queue, 0, &sent);) {
        Release(reinterpret_cast<Held *>(sent.handle));
    }
    m_items = nullptr;
    QueueDisc::DoDispose();
}
