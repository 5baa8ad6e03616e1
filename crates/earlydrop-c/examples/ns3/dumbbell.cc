// Ten TCP connections through a bottleneck whose queue disc is earlydrop's:
//     dumbbell --spec=codel --seconds=10
#include "earlydrop-queue-disc.h"

#include <ns3/applications-module.h>
#include <ns3/command-line.h>
#include <ns3/internet-module.h>
#include <ns3/point-to-point-module.h>
#include <ns3/traffic-control-helper.h>

#include <iostream>

using namespace ns3;

int main(int argc, char *argv[]) {
    std::string spec = "red:min=10,max=30";
    double seconds = 10;
    CommandLine command;
    command.AddValue("spec", "the scheme and its parameters", spec);
    command.AddValue("seconds", "of simulated time", seconds);
    command.Parse(argc, argv);

    NodeContainer routers(2), senders(10);
    PointToPointHelper access, bottleneck;
    access.SetDeviceAttribute("DataRate", StringValue("100Mbps"));
    access.SetChannelAttribute("Delay", StringValue("1ms"));
    bottleneck.SetDeviceAttribute("DataRate", StringValue("10Mbps"));
    bottleneck.SetChannelAttribute("Delay", StringValue("20ms"));
    // A device of one packet, so that packets wait in the queue disc.
    bottleneck.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("1p"));
    InternetStackHelper().InstallAll();

    const auto ends = bottleneck.Install(routers);
    TrafficControlHelper control;
    control.SetRootQueueDisc("EarlydropQueueDisc", "Spec", StringValue(spec), "LinkRate",
                             StringValue("10Mbps"));
    auto disc = DynamicCast<EarlydropQueueDisc>(control.Install(ends.Get(0)).Get(0));
    Ipv4AddressHelper addresses("10.1.0.0", "255.255.255.0");
    const auto far = addresses.Assign(ends).GetAddress(1);
    for (uint32_t number = 0; number < senders.GetN(); ++number) {
        addresses.NewNetwork();
        addresses.Assign(access.Install(senders.Get(number), routers.Get(0)));
        BulkSendHelper bulk("ns3::TcpSocketFactory", InetSocketAddress(far, 5000));
        bulk.Install(senders.Get(number)).Start(MilliSeconds(10 * number));
    }
    PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 5000));
    auto sinks = sink.Install(routers.Get(1));
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    Simulator::Stop(Seconds(seconds));
    Simulator::Run();
    const auto received = DynamicCast<PacketSink>(sinks.Get(0))->GetTotalRx();
    std::cout << spec << ": " << 8e-6 * received / seconds << " Mbps received\n" << disc->GetStats();
    Simulator::Destroy();
    return received > 0 ? 0 : 1;
}
