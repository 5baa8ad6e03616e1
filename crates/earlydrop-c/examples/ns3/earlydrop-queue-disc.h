// A queue disc of ns-3 whose queue is earlydrop's: any scheme by its text.
#ifndef EARLYDROP_QUEUE_DISC_H
#define EARLYDROP_QUEUE_DISC_H

#include <earlydrop.h>
#include <ns3/data-rate.h>
#include <ns3/queue-disc.h>
#include <ns3/string.h>

#include <string>

class EarlydropItems;

// Attributes: Spec ("red:min=10,max=30"), LinkRate, MeanPacket, Seed.
class EarlydropQueueDisc : public ns3::QueueDisc {
public:
    static ns3::TypeId GetTypeId();
    EarlydropQueueDisc();
    ~EarlydropQueueDisc() override;
    // Why the queue would drop, mark or keep a packet that arrives now.
    std::string Explain(ns3::Ptr<ns3::QueueDiscItem> item) const;
    // For its quantities and counters.
    const earlydrop_queue *GetQueue() const { return m_queue; }

private:
    struct Held;

    bool DoEnqueue(ns3::Ptr<ns3::QueueDiscItem> item) override;
    ns3::Ptr<ns3::QueueDiscItem> DoDequeue() override;
    bool CheckConfig() override;
    void InitializeParams() override;
    void DoDispose() override;
    ns3::Ptr<ns3::QueueDiscItem> Release(Held *held);
    static void OnDrop(void *disc, uint64_t handle, earlydrop_verdict verdict);

    std::string m_spec;
    ns3::DataRate m_linkRate;
    uint32_t m_meanPacket;
    uint64_t m_seed;
    earlydrop_queue *m_queue = nullptr;
    ns3::Ptr<EarlydropItems> m_items;
};

#endif
