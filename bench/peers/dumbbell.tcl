# The dumbbell of run.sh in ns-2 2.35.
#
#   ns dumbbell.tcl CASE SECONDS SEED [SCHEDULER]
#
# CASE       a: 100 flows over 10 Mbps, RED 10/30, buffer 120
#            b: 200 flows over 100 Mbps, RED 100/300, buffer 1000
# SCHEDULER  Splay (default, the fastest), Heap, Calendar, List
#
# Prints one line of JSON. The wall clock covers `$ns run` alone. No
# tracing; one queue monitor counts at the bottleneck.

if {$argc < 3} {
    puts stderr "usage: ns dumbbell.tcl a|b SECONDS SEED ?SCHEDULER?"
    exit 2
}
lassign $argv case seconds seed scheduler
if {$scheduler eq ""} {set scheduler Splay}

switch $case {
    a {set flows 100; set rate 10Mb;  set access 100Mb;  set limit 120;  set min 10;  set max 30}
    b {set flows 200; set rate 100Mb; set access 1000Mb; set limit 1000; set min 100; set max 300}
    default {puts stderr "no case '$case': a or b"; exit 2}
}

# Header space for what is used only; the default carries every protocol.
remove-all-packet-headers
add-packet-header IP TCP Flags

ns-random $seed
set ns [new Simulator]
$ns use-scheduler $scheduler

Queue/RED set bytes_ false
Queue/RED set queue_in_bytes_ false
Queue/RED set mean_pktsize_ 1000
Queue/RED set thresh_ $min
Queue/RED set maxthresh_ $max
Queue/RED set q_weight_ 0.002
Queue/RED set linterm_ 10
Queue/RED set gentle_ true
Queue/RED set wait_ true
Queue/RED set setbit_ false

Agent/TCP set window_ 100000
Agent/TCP set packetSize_ 1000
# Otherwise 40 bytes of header come on top.
Agent/TCP set useHeaders_ false

set left [$ns node]
set right [$ns node]
$ns simplex-link $left $right $rate 10ms RED
$ns simplex-link $right $left $rate 10ms DropTail
$ns queue-limit $left $right $limit
$ns queue-limit $right $left 100000

set start [new RandomVariable/Uniform]
$start set min_ 0.0
$start set max_ 1.0
for {set i 0} {$i < $flows} {incr i} {
    set node [$ns node]
    set sink [$ns node]
    foreach {near far} [list $node $left $sink $right] {
        $ns duplex-link $near $far $access 1ms DropTail
        $ns queue-limit $near $far 100000
        $ns queue-limit $far $near 100000
    }
    set tcp [new Agent/TCP/Reno]
    set receiver [new Agent/TCPSink]
    $ns attach-agent $node $tcp
    $ns attach-agent $sink $receiver
    $ns connect $tcp $receiver
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at [$start value] "$ftp start"
}

# This costs nothing measurable. Sampling at intervals would synchronise with the
# timers.
set monitor [$ns monitor-queue $left $right ""]

proc done {} {
    global ns
    $ns halt
}
$ns at $seconds done

set before [clock microseconds]
$ns run
set wall [expr {([clock microseconds] - $before) / 1e6}]

set arrived [$monitor set parrivals_]
set drops [$monitor set pdrops_]
set forwarded [$monitor set pdepartures_]
set integral [[$monitor get-pkts-integrator] set sum_]
puts [format {{"tool":"ns-2","version":"%s","case":"%s","scheduler":"%s","simulated_s":%g,"forwarded":%d,"wall_s":%.6f,"packets_per_s":%.0f,"mean_queue":%.2f,"loss_percent":%.3f}} \
    [ns-version] $case $scheduler $seconds $forwarded $wall [expr {$forwarded / $wall}] \
    [expr {$integral / $seconds}] [expr {100.0 * $drops / $arrived}]]
