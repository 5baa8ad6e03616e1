# Makes a reference table from the JSON lines of ns-3's runs. Variables: `version`
# of ns-3, and `other_table`, the table of another version, if there is one.
#
# Tolerance: the largest of a floor for the metric, twice the interval over the
# seeds, the distance of the variants from the plain run with the same seed, and
# the distance of the other version.
BEGIN {
    while (other_table != "" && (getline line < other_table) > 0) {
        split(line, part, "\"")
        name = part[1]
        sub(/,$/, "", name)
        split(part[3], value, ",")
        # Versions differ in CUBIC by more than modelling freedom.
        if (name !~ /^cubic/) elsewhere[name, value[2]] = value[3]
    }
    split("12.706 4.303 3.182 2.776 2.571 2.447 2.365 2.306 2.262", student, " ")
    metrics = split("util meanq sojourn sojourn_p99 loss_pct mark_pct goodput_mbps jain timeouts recoveries ecn_cuts rtt", metric, " ")
    # The least tolerance: relative, and absolute where the figure is near 0.
    floors("util", 0.005, 0.005); floors("meanq", 0.08, 1); floors("sojourn", 0.08, 0.001)
    floors("sojourn_p99", 0.12, 0.003); floors("loss_pct", 0.1, 0.1); floors("mark_pct", 0.1, 0.2)
    floors("goodput_mbps", 0.01, 0.005); floors("jain", 0.01, 0.01); floors("timeouts", 0.25, 15)
    floors("recoveries", 0.15, 15); floors("ecn_cuts", 0.12, 15); floors("rtt", 0.05, 0.002)
    tcp_name["newreno"] = "TcpNewReno (one segment a window of acknowledgements)"
    tcp_name["linuxreno"] = "TcpLinuxReno (one segment a window of segments)"
    tcp_name["cubic"] = "TcpCubic (C .4 beta .7 HyStart" (version == "3.37" ? "; no Reno-friendly region" : "") ")"
    disc_name["droptail"] = "drop-tail 120 packets"
    disc_name["red"] = "RED 10/30 w=.002 max_p .1 gentle wait mean packet 1500 limit 120"
    disc_name["ared"] = "ARED automatic (5/15 w=.0012) max_p .1 in .008-.5 gentle wait limit 120"
    disc_name["codel"] = "CoDel 5/100 ms limit 1000"
    disc_name["pie"] = "PIE 15 ms a=.125 b=1.25 each 15 ms burst 150 ms limit 1000"
    disc_name["fqcodel"] = "FQ-CoDel 5/100 ms 1024 queues quantum 1500 limit 10240"
    print "case,settings,metric,value,ci95,tolerance,why"
}
function floors(name, relative, absolute) {
    least[name] = relative
    least_absolute[name] = absolute
}
function magnitude(x) {
    return x < 0 ? -x : x
}
function largest(a, b) {
    return a > b ? a : b
}
{
    gsub(/[{}"]/, "")
    fields = split($0, field, ",")
    for (i = 1; i <= fields; i++) {
        split(field[i], pair, ":")
        now[pair[1]] = pair[2]
    }
    name = now["case"]
    if (!(name in seen)) {
        seen[name] = 1
        names[++cases] = name
    }
    for (i = 1; i <= metrics; i++) {
        key = name SUBSEP metric[i]
        if (now["variant"] == "plain") {
            sum[key] += now[metric[i]]
            squares[key] += now[metric[i]] ^ 2
            plain[key, now["seed"]] = now[metric[i]]
        } else {
            other[key, now["seed"], now["variant"]] = now[metric[i]]
        }
    }
    if (now["variant"] == "plain") runs[name]++
}
END {
    for (place in other) {
        split(place, part, SUBSEP)
        key = part[1] SUBSEP part[2]
        off = magnitude(other[place] - plain[key, part[3]])
        freedom[key] = largest(freedom[key], off)
    }
    for (c = 1; c <= cases; c++) {
        name = names[c]
        split(name, part, ".")
        tcp = part[1]; disc = part[2]; ecn = part[3]; flows = substr(part[4], 2)
        settings = flows " " tcp_name[tcp] ", SACK, PRR, 1448 B payload; " (ecn == "ecn" ? "ECN" : "no ECN") \
            "; access 100 Mb/1 ms both sides; bottleneck 10 Mb/20 ms; " disc_name[disc] \
            "; start U(0,1) s; measured 20-100 s; " runs[name] " seeds"
        for (i = 1; i <= metrics; i++) {
            if (ecn == "noecn" && (metric[i] == "mark_pct" || metric[i] == "ecn_cuts")) continue
            key = name SUBSEP metric[i]
            k = runs[name]
            mean = sum[key] / k
            variance = k > 1 ? (squares[key] - k * mean ^ 2) / (k - 1) : 0
            half = variance > 0 ? student[k - 1] * sqrt(variance / k) : 0
            version_off = key in elsewhere ? magnitude(elsewhere[key] - mean) : 0
            spread = largest(largest(2 * half, freedom[key]), version_off)
            # Near 0 the difference counts, not the ratio.
            if (magnitude(mean) * least[metric[i]] < least_absolute[metric[i]] / 2) {
                tolerance = largest(least_absolute[metric[i]], spread)
                why = "absolute"
                ground = spread > least_absolute[metric[i]]
            } else if (spread > magnitude(mean) / 2) {
                # Half of the figure and more: the difference counts too.
                tolerance = spread
                why = "absolute"
                ground = 1
            } else {
                tolerance = largest(least[metric[i]], spread / magnitude(mean))
                why = "relative"
                ground = spread / magnitude(mean) > least[metric[i]]
            }
            if (ground) {
                if (spread == version_off) why = why "; what versions of ns-3 differ by"
                else if (spread == freedom[key]) why = why "; what the variants differ by"
                else why = why "; twice the interval"
            }
            if (tcp == "cubic" && version == "3.37") why = why "; no target: 3.37 has no sound CUBIC"
            printf "%s,\"%s\",%s,%.6g,%.3g,%.2g,%s\n", name, settings, metric[i], mean, half, tolerance, why
        }
    }
}
