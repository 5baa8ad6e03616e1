// Builds the page.

addHead();
addSummary();
addScatter();
const swept = addSweep();
addOverTime();
addFlows();
addDistributions();
const real = addLive();
addCurves();
const grouped = addGroups();
addScenario();
addBar([
  { id: "summary", short: "Summary" },
  { id: "scatter", short: "Delay" },
  ...(swept ? [{ id: "sweep", short: "Sweep" }] : []),
  { id: "overtime", short: "Time" },
  { id: "flows", short: "Flows" },
  { id: "distributions", short: "Tail" },
  ...(real ? [{ id: "live", short: "Live" }] : []),
  { id: "curves", short: "Curves" },
  ...(grouped ? [{ id: "groups", short: "Groups" }] : []),
  { id: "scenario", short: "Scenario" },
]);
document.documentElement.dataset.ready = "true";
