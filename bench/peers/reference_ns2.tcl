# Runs a case of ../reference/ns2.csv in ns-2 2.35, with some thirty metrics and
# every setting variable: where another simulator misses a figure, experiments
# show the cause.
#
#   ns reference_ns2.tcl CASE SEED [SETTING=VALUE ...]
#
# CASE is the name in ns2.csv: sfred-nlred.gred.p0.1.N20, sfred-nlred.rem.N60, clred.red.N10,
# restraint.red.N16U4, red-config.t2.N150M, rared.ared.m10, sfred-nlred.web30ftp2.red. Numbers in the name may be
# others than in the table. A SETTING is a key of `config` below, or tcp:NAME,
# sink:NAME, red:NAME, rem:NAME for a bound variable of ns-2's, such as
# tcp:overhead_=0.001.
#
# Prints one line of JSON.

proc usage {} {
    puts stderr "usage: ns reference_ns2.tcl CASE SEED ?SETTING=VALUE ...?"
    exit 2
}
if {$argc < 2} usage
set case [lindex $argv 0]
set seed [lindex $argv 1]

# --- Settings -----------------------------------------------------------------

# Rates in Mb (udprate in kb), delays in ms, times in s, queues in packets.
array set config {
    flows 10 udp 0 udprate 250 web 0 later 0 reverse 0 sessions 0
    rate 10 delay 10 access 100 accessdelay 1 sinkrate 100 sinkdelay 1
    queue RED limit 120 begin 100 end 200 spread 1 window 100000
    back DropTail backlimit 100000 web_left servers
    own_sinks 0 delays {} windows {} webpackets 10
    agent Reno sink TCPSink sample 0.1
}
# Packets of 1000 bytes on the wire: ns-2 would add 40 to them.
array set tcp {packetSize_ 1000 useHeaders_ false}
array set sink {}
# use_mark_p_ false: where Pb is 1 a drop draws no random number. That changes no
# distribution, but which numbers the other drops draw.
array set red {
    thresh_ 10 maxthresh_ 30 q_weight_ 0.002 linterm_ 10 gentle_ true wait_ true
    bytes_ false queue_in_bytes_ false mean_pktsize_ 1000 setbit_ false
    use_mark_p_ false
}
array set rem {}

proc old_timers {} {
    global tcp
    array set tcp {
        tcpTick_ 0.1 minrto_ 0 rtxcur_init_ 6 windowInit_ 1 singledup_ 0 syn_ false
        delay_growth_ false precisionReduce_ false
    }
}

if {[regexp {^sfred-nlred\.gred\.p([0-9.]+)\.N(\d+)$} $case - p n]} {
    array set config [list flows $n]
    set red(linterm_) [expr {1.0 / $p}]
} elseif {[regexp {^sfred-nlred\.rem\.N(\d+)$} $case - n]} {
    array set config [list flows $n queue REM]
} elseif {[regexp {^clred\.red\.N(\d+)$} $case - n]} {
    array set config [list flows $n limit 100 begin 0 end 100 sinkdelay 0]
    set red(gentle_) false
} elseif {[regexp {^restraint\.red\.N(\d+)U(\d+)$} $case - n u]} {
    array set config [list flows $n udp $u rate 1 delay 20 access 10 accessdelay 5 \
        sinkrate 10 sinkdelay 5 limit 300 begin 20 end 200 window 15 own_sinks 1]
    array set red {thresh_ 100 maxthresh_ 200 gentle_ false}
} elseif {[regexp {^red-config\.t2\.N(\d+)([PM])$} $case - n thresholds]} {
    array set config [list flows $n rate 66.667 delay 8 limit 1000 begin 0 end 12 \
        spread 0.1 window 20]
    set red(gentle_) false
    if {$thresholds eq "P"} {
        array set red {thresh_ 300 maxthresh_ 900}
    } else {
        array set red {thresh_ 136 maxthresh_ 408}
    }
    old_timers
} elseif {$case eq "sfred-nlred.web30ftp2.red"} {
    # Windows of twice the bandwidth-delay product: 17 and, at 100 ms, 84.
    array set config {
        flows 2 web 30 rate 1.5 delay 10 access 10 accessdelay 10 sinkrate 10
        sinkdelay 3 limit 50 begin 0 end 2000 window 17 delays {10 100}
        windows {17 84} own_sinks 0
    }
    array set red {thresh_ 5 maxthresh_ 15 gentle_ false}
} elseif {[regexp {^rared\.(red|ared)\.m(\d+)$} $case - scheme m]} {
    array set config [list flows 2 later $m reverse 1 sessions 20 rate 2 delay 65 access 10 \
        accessdelay 5 sinkrate 10 sinkdelay 5 limit 30 backlimit 30 begin 0 end 40 spread 0.1 \
        window 24 own_sinks 1 back RED]
    array set tcp {ecn_ 1}
    array set red {
        thresh_ 5 maxthresh_ 15 q_weight_ 0.0019 setbit_ true use_mark_p_ true
    }
    if {$scheme eq "ared"} {
        array set red {adaptive_ 1 thresh_ 0 maxthresh_ 0 q_weight_ -1}
    }
} else {
    puts stderr "no case '$case'"
    usage
}
foreach setting [lrange $argv 2 end] {
    if {[regexp {^(tcp|sink|red|rem):(\w+)=(.*)$} $setting - kind key value]} {
        set ${kind}($key) $value
    } elseif {[regexp {^(\w+)=(.*)$} $setting - key value] && [info exists config($key)]} {
        set config($key) $value
    } else {
        puts stderr "no setting '$setting'"
        usage
    }
}
foreach {kind class} {tcp Agent/TCP sink Agent/TCPSink red Queue/RED rem Queue/REM} {
    foreach {key value} [array get $kind] {$class set $key $value}
}

# --- Network ------------------------------------------------------------------

remove-all-packet-headers
add-packet-header IP TCP Flags RTP
ns-random $seed
set ns [new Simulator]
$ns use-scheduler Splay

set left [$ns node]
set right [$ns node]
$ns simplex-link $left $right $config(rate)Mb $config(delay)ms $config(queue)
$ns simplex-link $right $left $config(rate)Mb $config(delay)ms $config(back)
$ns queue-limit $left $right $config(limit)
$ns queue-limit $right $left $config(backlimit)
set queue [[$ns link $left $right] queue]
set monitor [$ns monitor-queue $left $right ""]
set integrator [$monitor get-pkts-integrator]
set perflow [$ns makeflowmon Fid]
$ns attach-fmon [$ns link $left $right] $perflow

proc attach {hub rate delay} {
    global ns
    set node [$ns node]
    $ns duplex-link $node $hub ${rate}Mb ${delay}ms DropTail
    $ns queue-limit $node $hub 100000
    $ns queue-limit $hub $node 100000
    return $node
}
if {!$config(own_sinks)} {
    set destination [attach $right $config(sinkrate) $config(sinkdelay)]
}
proc end {} {
    global config right destination
    if {$config(own_sinks)} {return [attach $right $config(sinkrate) $config(sinkdelay)]}
    return $destination
}
set start [new RandomVariable/Uniform]
$start set min_ 0.0
$start set max_ $config(spread)

# Flow identities for the per-flow monitor; ns-2 gives low ones to its web traffic.
array set fid {ftp 1001 udp 1002 web 1003}
proc connection {delay window kind} {
    global ns config left fid
    set source [attach $left $config(access) $delay]
    set target [end]
    set agent [new Agent/TCP/$config(agent)]
    set receiver [new Agent/$config(sink)]
    $ns attach-agent $source $agent
    $ns attach-agent $target $receiver
    $ns connect $agent $receiver
    $agent set window_ $window
    $agent set fid_ $fid($kind)
    return [list $agent $receiver]
}
set senders {}
set receivers {}
for {set i 0} {$i < $config(flows)} {incr i} {
    set delay $config(accessdelay)
    set window $config(window)
    if {$i < [llength $config(delays)]} {set delay [lindex $config(delays) $i]}
    if {$i < [llength $config(windows)]} {set window [lindex $config(windows) $i]}
    lassign [connection $delay $window ftp] agent receiver
    set ftp [new Application/FTP]
    $ftp attach-agent $agent
    $ns at [$start value] "$ftp start"
    lappend senders $agent
    lappend receivers $receiver
}
for {set i 0} {$i < $config(later)} {incr i} {
    lassign [connection $config(accessdelay) $config(window) ftp] agent receiver
    set ftp [new Application/FTP]
    $ftp attach-agent $agent
    $ns at [expr {20.0 + [$start value]}] "$ftp start"
    lappend senders $agent
    lappend receivers $receiver
}
for {set i 0} {$i < $config(reverse)} {incr i} {
    set source [attach $right $config(sinkrate) $config(sinkdelay)]
    set target [attach $left $config(access) $config(accessdelay)]
    set agent [new Agent/TCP/$config(agent)]
    set receiver [new Agent/$config(sink)]
    $ns attach-agent $source $agent
    $ns attach-agent $target $receiver
    $ns connect $agent $receiver
    $agent set window_ $config(window)
    set ftp [new Application/FTP]
    $ftp attach-agent $agent
    $ns at [$start value] "$ftp start"
}
if {$config(sessions) > 0} {
    # ns-2's own web traffic: pages are sent from servers to clients.
    Agent/TCP set window_ $config(window)
    set pool [new PagePool/WebTraf]
    $pool set-num-client 10
    $pool set-num-server 10
    for {set i 0} {$i < 10} {incr i} {
        set one [attach $left $config(access) $config(accessdelay)]
        set other [attach $right $config(sinkrate) $config(sinkdelay)]
        if {$config(web_left) ne "servers"} {lassign [list $one $other] other one}
        $pool set-server $i $one
        $pool set-client $i $other
    }
    $pool set-num-session $config(sessions)
    for {set i 0} {$i < $config(sessions)} {incr i} {
        set between [new RandomVariable/Exponential]
        $between set avg_ 1
        set objects [new RandomVariable/Constant]
        $objects set val_ 1
        set within [new RandomVariable/Exponential]
        $within set avg_ 0.01
        set size [new RandomVariable/ParetoII]
        $size set avg_ 10
        $size set shape_ 1.2
        $pool create-session $i 200 [$start value] $between $objects $within $size
    }
}
for {set i 0} {$i < $config(udp)} {incr i} {
    set source [attach $left $config(access) $config(accessdelay)]
    set agent [new Agent/UDP]
    set null [new Agent/Null]
    $ns attach-agent $source $agent
    $ns attach-agent [end] $null
    $ns connect $agent $null
    $agent set fid_ $fid(udp)
    set traffic [new Application/Traffic/Exponential]
    $traffic set packetSize_ 210
    $traffic set rate_ $config(udprate)k
    $traffic set burst_time_ 0.5
    $traffic set idle_time_ 0.5
    $traffic attach-agent $agent
    $ns at [$start value] "$traffic start"
}

# A web-like flow: a number of packets, then a new connection begins at once.
Class WebFlow
WebFlow instproc init {agent receiver} {
    $self instvar agent_ receiver_
    set agent_ $agent
    set receiver_ $receiver
    $agent proc done {} "$self again"
}
WebFlow instproc begin {} {
    global ns config
    $self instvar agent_ began_
    set began_ [$ns now]
    $agent_ advanceby $config(webpackets)
}
WebFlow instproc again {} {
    global ns transfers config
    $self instvar agent_ receiver_ began_
    if {[$ns now] >= $config(begin)} {lappend transfers [expr {[$ns now] - $began_}]}
    $agent_ reset
    $receiver_ reset
    $ns at [$ns now] "$self begin"
}
set transfers {}
set webs {}
for {set i 0} {$i < $config(web)} {incr i} {
    lassign [connection $config(accessdelay) $config(window) web] agent receiver
    $ns at [$start value] "[new WebFlow $agent $receiver] begin"
    lappend webs $agent
}

# --- Measuring ----------------------------------------------------------------

set samples 0
set ave_sum 0.0
set cwnds {}
proc sample {} {
    global ns config queue samples ave_sum cwnds senders
    incr samples
    if {$config(queue) eq "RED"} {set ave_sum [expr {$ave_sum + [$queue set ave_]}]}
    # Every tenth time is enough of this.
    if {$samples % 10 == 0} {
        foreach agent $senders {lappend cwnds [$agent set cwnd_]}
    }
    $ns at [expr {[$ns now] + $config(sample)}] sample
}
proc counters {} {
    global ns monitor integrator senders perflow fid
    set now [$ns now]
    set count(arrived) [$monitor set parrivals_]
    set count(dropped) [$monitor set pdrops_]
    set count(forwarded) [$monitor set pdepartures_]
    set count(bytes) [$monitor set bdepartures_]
    # The integral as it was at the last change, brought up to now.
    set count(area) [expr {[$integrator set sum_] + [$integrator set lasty_] * ($now - [$integrator set lastx_])}]
    foreach {name variable} {sent ndatapack_ again nrexmitpack_ timeouts nrexmit_ cuts ncwndcuts_ acks nackpack_} {
        set count($name) 0
        foreach agent $senders {incr count($name) [$agent set $variable]}
    }
    foreach kind {ftp udp web} {
        foreach name {arrived dropped bytes} {set count($kind.$name) 0}
    }
    foreach flow [$perflow flows] {
        foreach kind {ftp udp web} {
            if {[$flow set flowid_] == $fid($kind)} {
                incr count($kind.arrived) [$flow set parrivals_]
                incr count($kind.dropped) [$flow set pdrops_]
                incr count($kind.bytes) [$flow set bdepartures_]
            }
        }
    }
    set i 0
    foreach agent $senders {
        set count(acked.$i) [$agent set ack_]
        incr i
    }
    return [array get count]
}
proc begin {} {
    global before
    set before [counters]
    sample
}
proc ratio {a b} {
    if {$b == 0} {return 0.0}
    return [expr {double($a) / $b}]
}
proc quantile {sorted q} {
    if {[llength $sorted] == 0} {return 0.0}
    return [lindex $sorted [expr {min([llength $sorted] - 1, int($q * [llength $sorted]))}]]
}
proc mean {list} {
    if {[llength $list] == 0} {return 0.0}
    return [expr {double([tcl::mathop::+ {*}$list]) / [llength $list]}]
}
proc finish {} {
    global ns config case seed before samples ave_sum cwnds senders transfers monitor
    array set was $before
    foreach {key value} [counters] {
        # The first packet may not have been acknowledged at the beginning.
        set d($key) [expr {$value - max(0, $was($key))}]
    }
    set span [expr {double($config(end) - $config(begin))}]
    set goodputs {}
    for {set i 0} {$i < [llength $senders]} {incr i} {
        lappend goodputs [expr {$d(acked.$i) / $span}]
    }
    set goodput [mean $goodputs]
    set squares 0.0
    foreach g $goodputs {set squares [expr {$squares + ($g - $goodput) ** 2}]}
    set meanq [expr {$d(area) / $span}]
    set sorted [lsort -real $cwnds]
    set delays [lsort -real $transfers]
    set average [mean $delays]
    set quick 0
    set spread 0.0
    foreach t $delays {
        if {$t < 2.0} {incr quick}
        set spread [expr {$spread + ($t - $average) ** 2}]
    }
    set out [list \
        util [expr {$d(bytes) * 8e-6 / $span / $config(rate)}] \
        meanq $meanq \
        meanave [ratio $ave_sum $samples] \
        qdelay [ratio [expr {$meanq * $span}] $d(forwarded)] \
        loss_pct [expr {100.0 * [ratio $d(dropped) $d(arrived)]}] \
        arrived $d(arrived) dropped $d(dropped) \
        goodput $goodput \
        goodput_cv [ratio [expr {sqrt($squares / max(1, [llength $goodputs] - 1))}] $goodput] \
        goodput_min [lindex [lsort -real $goodputs] 0] \
        goodput_max [lindex [lsort -real $goodputs] end] \
        sent $d(sent) retransmitted $d(again) timeouts $d(timeouts) window_cuts $d(cuts) \
        acks $d(acks) \
        cwnd_mean [mean $cwnds] cwnd_p10 [quantile $sorted 0.1] cwnd_p50 [quantile $sorted 0.5] \
        cwnd_p90 [quantile $sorted 0.9] cwnd_max [lindex "0 $sorted" end] \
        tcp_mbps [expr {$d(ftp.bytes) * 8e-6 / $span}] \
        tcp_loss_pct [expr {100.0 * [ratio $d(ftp.dropped) $d(ftp.arrived)]}] \
        udp_mbps [expr {$d(udp.bytes) * 8e-6 / $span}] \
        udp_loss_pct [expr {100.0 * [ratio $d(udp.dropped) $d(udp.arrived)]}]]
    if {$config(web) > 0} {
        lappend out transfers [llength $delays] mean $average \
            variance [ratio $spread [llength $delays]] \
            median [quantile $delays 0.5] p90 [quantile $delays 0.9] p99 [quantile $delays 0.99] \
            frac2s [ratio $quick [llength $delays]] \
            ftp0_mbps [expr {[lindex $goodputs 0] * 8e-3}] ftp1_mbps [expr {[lindex $goodputs 1] * 8e-3}]
    }
    set fields {}
    foreach {name value} $out {lappend fields [format {"%s":%.6g} $name $value]}
    puts "{\"case\":\"$case\",\"seed\":$seed,[join $fields ,]}"
    $ns halt
}
$ns at $config(begin) begin
$ns at $config(end) finish
$ns run
