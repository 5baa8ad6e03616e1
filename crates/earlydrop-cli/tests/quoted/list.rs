//! The sentences with figures.

use super::Quote;
use super::Written::{self, Digits, Thousands, Word};
use super::sources::{Sources, after, csv, files, median, numbers, row, row_below, text};
use crate::support::pages::page;
use serde_json::Value;

const MODEL: &str = "docs/explanation/the-model.md";
const SPEED: &str = "docs/explanation/performance.md";
const GRID: &str = "docs/notes/live-grid.md";
const LIVE: &str = "docs/explanation/simulated-and-live.md";
const VALIDATION: &str = "docs/explanation/validation.md";
const LINUX: &str = "bench/reference/linux/figures.csv";
const RUNS: &str = "bench/reference/linux/runs.csv";

const METHODS: &str = "docs/papers/configuration-methods.md";
const SIMULATED: &str = "bench/reference/configuration-methods.csv";

const OFFICE: &str = "docs/tutorial/own-question.md";

const WHOLE: Written = Digits(0);

/// RED of ns-3, read for tools with other laws of gaps; max_p is 0.02.
const TRANSLATE: &str = "earlydrop translate --from ns3 --to linux,dpdk,junos,ns2 --packet 1000B \
    --link 10Mbps 'ns3::RedQueueDisc::MinTh=30 ns3::RedQueueDisc::MaxTh=90 \
    ns3::RedQueueDisc::MaxSize=300p ns3::RedQueueDisc::Gentle=false'";

/// The share of packets that a tool signals with ns-3's max_p, by the tool's place.
fn copied(sources: &Sources, tool: usize) -> f64 {
    let pointer = format!("/to/{tool}/word_for_word/comes_to/signals_at_max");
    sources.number(TRANSLATE, &pointer)
}

/// Mean gaps of two tools, in packets.
fn gap(sources: &Sources, tool: usize) -> Vec<f64> {
    vec![1.0 / copied(sources, tool)]
}

/// `compare` with its own twelve schemes, briefly.
fn compared(sources: &Sources) -> Vec<f64> {
    let json = sources.json("earlydrop compare --duration 1s --seeds 1");
    vec![json["rows"].as_array().unwrap().len() as f64]
}

/// The mean of a figure that `configure` simulated for RED with this weight.
fn verified(sources: &Sources, weight: &str, figure: &str) -> f64 {
    let line = format!(
        "earlydrop configure --link 100Mbps --rtt 20ms --flows 50 --scheme red:min=21,max=63,weight={weight}"
    );
    sources.number(&line, &format!("/measured/{figure}/mean"))
}

/// The least and the largest over the weights from 0.1 to 0.0003.
fn over_weights(sources: &Sources, figure: &str) -> [f64; 2] {
    let values = ["0.1", "0.003", "0.0003"].map(|weight| verified(sources, weight, figure));
    let least = values.iter().copied().fold(f64::MAX, f64::min);
    [least, values.iter().copied().fold(0.0, f64::max)]
}

/// A queue that is empty most of the time.
const EMPTY: &str = "earlydrop configure --link 1Gbps --rtt 50ms --flows 20 \
    --scheme red:min=30,max=90,max_p=0.1,weight=0.002";

/// The two settings of "Scalable Configuration of RED Queue Parameters".
const FIRST: &str = "earlydrop configure --link 20Mbps --rtt 52ms --flows 48 --packet '1000 bytes' \
    --tcp reno --buffer '200 packets' --method paper";
const SECOND: &str = "earlydrop configure --link 66667kbps --rtt 200ms --flows 150 --packet '1000 bytes' \
    --tcp reno --buffer '1000 packets' --method paper";

/// A number of the open loop of the first setting, with this T_O.
fn open_loop(sources: &Sources, timeout: &str, pointer: &str) -> f64 {
    let given = "--loss 5.72% --windows normal:4,4,8 --timeout";
    sources.number(&format!("{FIRST} {given} {timeout}"), pointer)
}

/// The mean queue without early drops of the closed loop, and the thresholds made from it.
fn closed_loop(sources: &Sources, line: &str) -> Vec<f64> {
    let json = sources.json(line);
    let note = json["choices"][0]["notes"][0].as_str().unwrap();
    let queue = numbers(note.strip_prefix("E[Q] = ").unwrap())[0];
    let threshold = |name| json["choices"][0]["thresholds"][name].as_f64().unwrap();
    vec![queue, threshold("min"), threshold("max")]
}

/// Settings of the table on the model's accuracy that are near, and all, without a caveat and with.
fn near(_: &Sources) -> Vec<f64> {
    let of = |name: &str| {
        let row = row_below(MODEL, "The balance:", name);
        (*row.last().unwrap(), row[0])
    };
    let (all, without) = (of("| all |"), of("| no caveat |"));
    vec![without.0, without.1, all.0 - without.0, all.1 - without.1]
}

/// The sizes of the differences of drops and marks in the live grid, with one setting changed.
fn size(setting: &str) -> Vec<f64> {
    vec![row_below(GRID, "## One setting at a time", &format!("| {setting} |"))[4]]
}

/// How much more is dropped and marked with `modern` than live with CUBIC, and how much less with
/// Reno without and with ECN.
fn modern_and_live(_: &Sources) -> Vec<f64> {
    let text = text(GRID);
    let apart = |beginning: &str| {
        let rates = ["10", "20"].map(|rate| format!("| {rate} Mbps | {beginning}"));
        let begins = |line: &&str| rates.iter().any(|begin| line.starts_with(begin));
        let rows = text.lines().filter(begins).map(numbers);
        let rows = rows.filter(|row| row.len() == 10);
        median(rows.map(|row| 100.0 * (row[2] / row[1] - 1.0)).collect())
    };
    let (off, on) = (apart("reno | off"), apart("reno | on"));
    vec![apart("cubic"), -off, -on]
}

/// The live grid's runs, and those that are not trustworthy.
fn live_runs(_: &Sources) -> Vec<f64> {
    let text = text(GRID);
    let (_, rest) = text.split_once("3 live seeds. Of ").unwrap();
    numbers(rest)[..2].to_vec()
}

const TUNED: &str = "bench/reference/tune-against-random.csv";

/// What a search found for a scheme, and the best of the random settings.
fn tuned(scenario: &str, scheme: &str) -> Vec<f64> {
    let of = |method: &str| {
        let text = text(TUNED);
        let rows = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let own = rows.filter(|row| row[..2] == [scenario, scheme] && row[3] == method);
        let delays = own.map(|row| row[6].parse::<f64>().unwrap());
        delays.fold(f64::INFINITY, f64::min)
    };
    vec![of("search"), of("random")]
}

/// The runs of a search, and of the random settings.
fn tuning_runs(_: &Sources) -> Vec<f64> {
    let of = |method: &str| {
        let text = text(TUNED);
        let rows = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let mut own = rows.filter(|row| row[3] == method);
        own.next().unwrap()[5].parse().unwrap()
    };
    vec![of("search"), of("random")]
}

/// Timeouts a second in the live grid's scenario at 10 Mbps without ECN, means over the schemes,
/// with Reno and with CUBIC.
fn timeouts(sources: &Sources, change: &str) -> Vec<f64> {
    let grid = page("scenarios/live/grid.toml");
    let point = "sed '/^\"network.rate/d; /^\"tcp.ecn/d'";
    let line = format!(
        "{point} '{}' | earlydrop run - --seeds 10 {change}",
        grid.display()
    );
    let json = sources.json(&line);
    let rows = json["rows"].as_array().unwrap();
    let mean = |point: &[Value]| {
        let value = |row: &Value| row["metrics"]["timeouts"]["mean"].as_f64().unwrap();
        point.iter().map(value).sum::<f64>() / point.len() as f64
    };
    rows.chunks(rows.len() / 2).map(mean).collect()
}

/// A cell of the live grid at 10 Mbps over another, less 1, in percent.
fn cells(setting: &str, cell: usize, live: usize) -> f64 {
    let row = row(GRID, &format!("| 10 Mbps | {setting} |"));
    100.0 * (row[cell] / row[live] - 1.0)
}

/// Mean and deviation of a figure of Linux.
fn linux(case: &str, figure: &str) -> Vec<f64> {
    let column = |column| csv(LINUX, &[case, figure], column)[0];
    vec![column(3), column(4)]
}

/// Rows of the table of comparisons by the medians of `performance.md`.
fn rate(case: &str, simulator: &str) -> f64 {
    row_below(
        SPEED,
        "## The simulator",
        &format!("| {case} | {simulator} |"),
    )[0]
}

fn times(simulator: &str) -> Vec<f64> {
    let times = |case| rate(case, "`earlydrop run`") / rate(case, simulator);
    vec![times("a"), times("b")]
}

/// The row of a method in a table of the page on methods of configuration.
fn method(heading: &str, name: &str) -> Vec<f64> {
    row_below(METHODS, heading, &format!("| {name} |"))
}

/// How many links the methods of configuration were simulated on.
fn simulated_links() -> f64 {
    let text = text(SIMULATED);
    let first = text.lines().last().and_then(|line| line.split(',').next());
    first.unwrap().parse().unwrap()
}

/// The shares of links, in percent, on which methods meet the goal.
fn met(names: &[&str]) -> Vec<f64> {
    let all = names.iter().map(|name| method("## All links", name)[0]);
    all.collect()
}

/// On how many links Chandrayana et al.'s method is better than Morris's by a measure, and worse.
fn than_morris(measure: &str) -> Vec<f64> {
    let links = method("### Beside other methods", &format!("{measure} | morris"));
    vec![links[0], links[2]]
}

macro_rules! quotes {
    ($($page:expr, $said:expr, $figures:expr, $of:expr;)*) => {
        &[$(Quote { page: $page, said: $said, figures: &$figures, of: $of },)*]
    };
}

#[rustfmt::skip]
pub(super) const QUOTES: &[Quote] = quotes![
    // Counts.
    "README.md", "earlydrop runs {} active queue management schemes", [WHOLE],
        |s| vec![s.json("earlydrop schemes").as_array().unwrap().len() as f64];
    "README.md", "compare   # {} schemes on a shared", [Word], compared;
    "crates/earlydrop-cli/README.md", "# {} schemes on a shared", [Word], compared;
    "docs/tutorial/first-run.md", "Each of {} schemes ran", [Word], compared;
    "README.md", "(scenarios) has {} scenarios", [Word], |_| vec![files("scenarios", ".toml")];
    "README.md", "[{} findings](docs/papers/findings.md)", [Word],
        |_| vec![text("docs/papers/findings.md").matches("\n## ").count() as f64];
    "README.md", "[{} sentences and {} printed numbers with verdicts]", [WHOLE, WHOLE],
        |_| vec![
            after("docs/papers/README.md", "# The papers' claims"),
            after("docs/papers/README.md", "cannot be decided; "),
        ];
    "README.md", "(docs/papers/README.md) in {} universes", [WHOLE],
        |_| vec![after("docs/papers/README.md", "--multiverse")];
    "docs/how-to/tune.md", "utilisation >= 97% | {} ms | {} ms |", [Digits(1), Digits(1)],
        |_| tuned("home-uplink", "red");
    "docs/how-to/tune.md", "`pie` | `home-uplink` | utilisation >= 95% | {} ms | {} ms |",
        [Digits(1), Digits(1)], |_| tuned("home-uplink", "pie");
    "docs/how-to/tune.md", "`codel` | `home-uplink` | utilisation >= 95% | {} ms | {} ms |",
        [Digits(1), Digits(1)], |_| tuned("home-uplink", "codel");
    "docs/how-to/tune.md", "fairness >= 90% | {} ms | {} ms |", [Digits(1), Digits(1)],
        |_| tuned("l4s", "dualpi2");
    "docs/how-to/tune.md", "takes {} runs; 500 settings at random take {} of them", [WHOLE, WHOLE], tuning_runs;
    "docs/how-to/suites.md", "# RFC 7928: {} parts", [Word],
        |_| vec![files("crates/earlydrop-lab/suites/rfc7928", ".toml")];

    // Laws of gaps.
    "README.md", "Linux drops {} times as many packets as ns-3", [Digits(1)],
        |s| vec![copied(s, 0) / copied(s, 3)];
    "docs/reference/other-tools.md", "| Linux, INET, earlydrop | {} |", [Digits(1)], |s| gap(s, 0);
    "docs/reference/other-tools.md", "| DPDK | {} |", [Digits(1)], |s| gap(s, 1);
    "docs/reference/other-tools.md", "which document none | {} |", [WHOLE], |s| gap(s, 2);
    "docs/reference/other-tools.md", "`Wait` is false | {} |", [Digits(1)], |s| gap(s, 3);

    // The model.
    MODEL, "`configure` simulated {} to {} ms and", [Digits(1), Digits(1)],
        |s| over_weights(s, "delay").map(|delay| 1e3 * delay).to_vec();
    MODEL, " ms and {} to {}% lost with every weight", [Digits(1), Digits(1)],
        |s| over_weights(s, "loss").map(|loss| 1e2 * loss).to_vec();
    MODEL, "Predicted are {} ms, simulated {} ms", [Digits(2), Digits(2)],
        |s| ["/choices/0/expected/delay", "/measured/delay/mean"]
            .map(|pointer| 1e3 * s.number(EMPTY, pointer)).to_vec();
    MODEL, "Without a caveat {} of {} settings are near", [WHOLE; 2], |s| near(s)[..2].to_vec();
    MODEL, "With a caveat {} of {} are", [WHOLE; 2], |s| near(s)[2..].to_vec();
    "crates/earlydrop-model/README.md", "With a caveat, {} of {} did", [WHOLE; 2],
        |s| near(s)[2..].to_vec();
    "crates/earlydrop-model/README.md", "In the {} settings without a caveat, {} predictions",
        [WHOLE; 2], |s| vec![near(s)[1], near(s)[0]];
    "crates/earlydrop-model/README.md", "the median error of the delay was {}%", [Digits(1)],
        |_| vec![row_below(MODEL, "The balance:", "| no caveat |")[1]];
    MODEL, "leaves the link idle for {} to {}% of time", [WHOLE; 2], |_| {
        let row = row_below(MODEL, "The closed loop:", "| all |");
        vec![-row[9], -row[8]]
    };
    MODEL, "(23) to (27) give E[Q] = {}, 5% above", [Digits(1)],
        |s| vec![open_loop(s, "208ms", "/open_loop/mean_queue")];
    MODEL, "gives it exactly (rho = {})", [Digits(4)],
        |s| vec![open_loop(s, "210.392ms", "/open_loop/rho")];
    MODEL, "windows and queue are larger: E[Q] = {}, thresholds of {} and {} instead",
        [Digits(1), WHOLE, WHOLE], |s| closed_loop(s, FIRST);
    MODEL, "The closed loop gives {} over 200 ms, and so {} and {};",
        [Digits(1), WHOLE, WHOLE], |s| closed_loop(s, SECOND);
    MODEL, "thresholds it allows {} flows", [Digits(1)],
        |s| vec![open_loop(s, "210.392ms", "/most_flows_by_22")];

    // Figures of long measurements, from the table that they are quoted from.
    SPEED, "| the engine / `earlydrop run` | {} | {} |", [Digits(2); 2],
        |_| times("the engine").iter().map(|ratio| 1.0 / ratio).collect();
    SPEED, "| `earlydrop run` / ns-3 | {} | {} |", [WHOLE; 2], |_| times("ns-3 3.37");
    SPEED, "| `earlydrop run` / ns-2 | {} | {} |", [Digits(1); 2], |_| times("ns-2 2.35");
    "README.md", "report included, is {} to {} times as fast as ns-2", [WHOLE; 2],
        |_| times("ns-2 2.35");
    "README.md", "and {} to {} times as fast as Debian's ns-3", [WHOLE; 2],
        |_| times("ns-3 3.37");
    SPEED, "that is {} steps/s a core with ten Reno flows alone", [Thousands],
        |_| vec![1e9 / row(SPEED, "| ten flows, Reno, 64 at once, 1 thread |")[0]];
    SPEED, "(target 450,000) and {} with CUBIC, web and calls", [Thousands],
        |_| vec![1e9 / row(SPEED, "| ten flows, web and calls, CUBIC, 64 at once, 1 thread |")[0]];
    SPEED, "two threads make {} of Reno's alone", [Thousands],
        |_| vec![1e9 / row(SPEED, "| ten flows, Reno, 64 at once, 2 threads |")[2]];
    SPEED, "scheduler and workers together says {}%", [WHOLE],
        |_| vec![100.0 * row(SPEED, "| processor time |")[1] - 100.0];
    "docs/how-to/cluster.md", "a busy machine: {}% more processor time", [WHOLE],
        |_| vec![100.0 * row(SPEED, "| processor time |")[1] - 100.0];
    "docs/how-to/real-packets.md", "`--no-offloads` avoids that at {}% of the speed", [WHOLE], |_| {
        let whole = row(SPEED, "| forwarding at 5 Gbps, `earlydrop` / `mm-link` |")[1];
        vec![100.0 * row(SPEED, "| the same with `--no-offloads` |")[1] / whole]
    };
    "docs/how-to/real-packets.md", "Of the live grid's {} runs {} were not", [WHOLE; 2], live_runs;
    LIVE, "Of the grid's {} runs {} broke it", [WHOLE; 2], live_runs;
    LIVE, "drops and marks are {}% higher than live with CUBIC, {}% lower with Reno, and {}% lower",
        [WHOLE; 3], modern_and_live;
    LIVE, "Without the slow estimate in `linux`, drops and marks are {} to {}% higher", [WHOLE; 2],
        |_| row(GRID, "| `reno_estimate = \"rising\"` |")[2..4].to_vec();
    LIVE, "have {} timeouts a second simulated by duplicate ACKs (`dupack`), {} by time",
        [Digits(2); 2],
        |s| ["--set tcp.loss_detection=dupack", ""].map(|change| timeouts(s, change)[0]).to_vec();
    LIVE, "SRTT + 200 ms. CUBIC has {} and {}. With", [Digits(2); 2],
        |s| ["--set tcp.loss_detection=dupack", ""].map(|change| timeouts(s, change)[1]).to_vec();
    LIVE, "has a shorter simulated delay ({}% without ECN, {}% with ECN)", [WHOLE; 2],
        |_| ["reno | off | codel", "reno | on | codel"].map(|setting| cells(setting, 5, 3)).to_vec();
    LIVE, "there drops {}% more without ECN", [WHOLE], |_| vec![cells("reno | off | sfred", 2, 0)];
    LIVE, "CUBIC at 10 Mbps has {}% more drops", [WHOLE], |_| {
        let row = row(GRID, "| 10 Mbps, cubic |");
        vec![100.0 * (row[10] / row[0] - 1.0)]
    };
    LIVE, "| `modern` | {}% |", [Digits(1)], |_| size("`modern`");
    LIVE, "| `linux` | {}% |", [Digits(1)], |_| size("**`linux`**");
    LIVE, "(`reno_estimate = \"rising\"`) | {}% |", [Digits(1)],
        |_| size("`reno_estimate = \"rising\"`");
    LIVE, "(`reduction = \"at-once\"`) | {}% |", [Digits(1)],
        |_| size("`reduction = \"at-once\"`");
    LIVE, "with `growth = \"segments\"` | {}% |", [Digits(1)],
        |_| size("`growth = \"segments\"`");
    LIVE, "(`whole_cuts = false`) | {}% |", [Digits(1)], |_| size("`whole_cuts = false`");
    LIVE, "(`quick_acks = false`) | {}% |", [Digits(1)], |_| size("`quick_acks = false`");

    // Methods of configuration.
    METHODS, "parameters for the same {} links", [WHOLE], |_| vec![simulated_links()];
    METHODS, "share of all links is known to {} points", [WHOLE],
        |_| vec![100.0 * 1.96 * (0.25 / simulated_links()).sqrt()];
    METHODS, "The goal is met on {}% of the links by", [WHOLE], |_| met(&["paper"]);
    METHODS, "on {}% by adaptive RED's automatic parameters (`floyd-2001`), on {}% by Morris's and on {}%",
        [WHOLE; 3], |_| met(&["floyd-2001", "morris", "floyd-1997"]);
    METHODS, "`configure` meets it on {}%. Without any choice CoDel does on {}% and FQ-CoDel on {}%",
        [WHOLE; 3], |_| met(&["configure", "codel", "fq-codel"]);
    METHODS, "With 1 to 4, `paper` meets the goal on {}%, from 100 on it does on {}%", [WHOLE; 2], |_| {
        let shares = method("### By packets a flow", "paper");
        vec![shares[1], shares[4]]
    };
    METHODS, "upper threshold is {} of the bandwidth-delay product there, where `configure` finds that {} is",
        [Digits(2); 2],
        |_| ["paper", "configure"].map(|name| method("### The upper threshold", name)[4]).to_vec();
    METHODS, "`cisco`) hold on at most {}% of a group from 20", [WHOLE], |_| {
        let shares = ["floyd-1997", "floyd-2000", "cisco"].map(|name| method("### By packets a flow", name));
        vec![shares.iter().flat_map(|shares| &shares[3..5]).copied().fold(0.0, f64::max)]
    };
    METHODS, "below 10 Mbps Floyd's gentle RED meets the goal on {}%", [WHOLE],
        |_| method("### By rate", "floyd-2000")[..1].to_vec();
    METHODS, "do as well as any published method, {}%,", [WHOLE], |_| met(&["linux"]);
    METHODS, "as good as the best paper** (`balance`, {}%)", [WHOLE], |_| met(&["balance"]);
    METHODS, "`paper` knows that best, with {}%", [WHOLE],
        |_| method("### By packets a flow", "paper")[..1].to_vec();
    METHODS, "Utilisation is higher on {} links and lower on {}, fewer packets", [WHOLE; 2],
        |_| than_morris("utilisation");
    METHODS, "lost or marked on {} and more on {}, timeouts", [WHOLE; 2],
        |_| than_morris("packets lost or marked");
    METHODS, "timeouts are fewer on {} and more on {}, fairness", [WHOLE; 2],
        |_| than_morris("timeouts");
    METHODS, "fairness is higher on {} and lower on {};", [WHOLE; 2], |_| than_morris("fairness");
    METHODS, "the queue is longer on {}. A link", [WHOLE], |_| than_morris("delay")[1..].to_vec();
    METHODS, "thresholds on {}% of the links, and on {}% with a third more flows; Morris's is on {}% and {}%",
        [WHOLE; 4], |_| {
            let shares = ["paper", "morris"].map(|name| method("### With more flows", name));
            shares.iter().flat_map(|shares| &shares[..2]).copied().collect()
        };

    // Reference data.
    VALIDATION, "| ns-2 2.35, papers' baseline settings | {} |", [WHOLE],
        |_| vec![text("bench/reference/ns2.csv").lines().count() as f64 - 1.0];
    VALIDATION, "GRED, PIE, FQ-PIE, CAKE | {} | {} |", [WHOLE; 2], |_| {
        let text = text(RUNS);
        let mut cases: Vec<&str> = text.lines().skip(1).filter_map(|l| l.split(',').next()).collect();
        cases.dedup();
        vec![cases.len() as f64; 2]
    };
    VALIDATION, "| `fqc_def` | marked, % | {} ({}) |", [Digits(3); 2],
        |_| linux("fqc_def", "marked_pct");
    VALIDATION, "| `fqc_mem` | dropped, % | {} ({}) |", [Digits(3), WHOLE],
        |_| linux("fqc_mem", "dropped_pct");
    VALIDATION, "| `fqc_mem` | mean delay, ms | {} ({}) |", [Digits(1); 2],
        |_| linux("fqc_mem", "mean_ms");
    VALIDATION, "| `choke` | dropped, % | {} ({}) |", [Digits(3); 2],
        |_| linux("choke", "dropped_pct");
    VALIDATION, "| `choke` | mean delay, ms | {} ({}) |", [Digits(2); 2],
        |_| linux("choke", "mean_ms");
    VALIDATION, "| `choke_many` | dropped, % | {} ({}) |", [Digits(3); 2],
        |_| linux("choke_many", "dropped_pct");
    VALIDATION, "| `choke_many` | variation of gaps | {} ({}) |", [Digits(3); 2],
        |_| linux("choke_many", "gap_cv");
    VALIDATION, "| `sfb` | dropped, % | {} ({}) |", [Digits(2); 2], |_| linux("sfb", "dropped_pct");
    VALIDATION, "| `sfb` | mean delay, ms | {} ({}) |", [Digits(1); 2], |_| linux("sfb", "mean_ms");
    VALIDATION, "| `sfb_ecn` | marked, % | {} ({}) |", [Digits(2); 2],
        |_| linux("sfb_ecn", "marked_pct");
    VALIDATION, "| `sfb_ecn` | dropped, % | {} ({}) |", [Digits(2); 2],
        |_| linux("sfb_ecn", "dropped_pct");

    // The tutorial's reading of its own table, which `first_hour` compares.
    OFFICE, "Without AQM everybody waits {} ms", [WHOLE],
        |_| vec![after(OFFICE, "droptail delays packets by")];
    OFFICE, "RED with these thresholds has {} ms but leaves {}% of", [WHOLE; 2],
        |_| vec![office("red")[4], 100.0 - office("red")[0]];
];

/// The numbers of a scheme in the first table of the tutorial's office.
fn office(scheme: &str) -> Vec<f64> {
    row_below(OFFICE, "scheme   ", &format!("{scheme}  "))
}
