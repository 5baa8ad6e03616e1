// Builds the page: what the reader asks first, then the numbers, then the rest.

addHead();
const first = document.getElementById("results").appendChild(make("div", { class: "first" }));
if (data.trace) {
  addOverTime();
  addAnswers(document.getElementById("results"));
} else {
  addAnswers(first);
  addScatter(first);
}
const grouped = data.trace ? false : addGroups();
addSummary();
const compared = addBaseline();
if (data.trace && data.summary.length > 1) addScatter();
const swept = addSweep();
const sized = addSizes();
if (!data.trace) addOverTime();
const linked = addLinks();
const ported = addPorts();
addFlows();
addDistributions();
const real = addLive();
addCurves();
addScenario();
const overTime = { id: "overtime", short: "Over time" };
addBar([
  ...(document.getElementById("tuning") ? [{ id: "tuning", short: "Tuning" }] : []),
  ...(data.trace ? [overTime] : [{ id: "scatter", short: "Delay" }]),
  ...(grouped ? [{ id: "groups", short: "Groups" }] : []),
  { id: "summary", short: "Link" },
  ...(compared ? [{ id: "baseline", short: "Differences" }] : []),
  ...(swept ? [{ id: "sweep", short: "Sweep" }] : []),
  ...(sized ? [{ id: "sizes", short: "Sizes" }] : []),
  ...(data.trace ? [] : [overTime]),
  ...(linked ? [{ id: "links", short: "Links" }] : []),
  ...(ported ? [{ id: "ports", short: "Ports" }] : []),
  { id: "flows", short: "Flows" },
  { id: "distributions", short: "Tail" },
  ...(real ? [{ id: "live", short: "Live" }] : []),
  { id: "curves", short: "Curves" },
  { id: "scenario", short: "Scenario" },
]);
document.documentElement.dataset.ready = "true";
