// The ports of a fabric: a row for each switch, a square for each port, the fuller the darker.

function addPorts() {
  if (data.ports.length === 0) return false;
  const section = addSection("ports", "Ports", "A square is a port, named when it is pointed at; all network cards of hosts are one row. The fuller its colour, the larger the value, on one scale for all schemes.");
  const measured = data.port_metrics.map((_, index) => index).filter((index) => data.ports.some(({ values }) => values[index] !== null));
  const usual = measured.find((index) => data.port_metrics[index].name === "mean_packets") ?? measured[0];
  const metric = () => measured.find((index) => data.port_metrics[index].name === get("port")) ?? usual;
  const { field } = choice("Show", measured.map((index) => ({ value: data.port_metrics[index].name, text: capital(data.port_metrics[index].title) })), data.port_metrics[metric()].name, (name) => set("port", name));
  const boxes = make("div", { "data-figure": "ports" });
  section.append(make("div", { class: "actions" }, field), boxes, meanings(measured.map((index) => data.port_metrics[index])));
  const show = () => {
    const shown = metric();
    const own = data.ports.filter(({ point, scheme }) => point === pointShown() && schemesShown().includes(scheme));
    const top = Math.max(0, ...own.map(({ values }) => values[shown] ?? 0));
    const schemes = [...new Set(own.map(({ scheme }) => scheme))].sort((a, b) => a - b);
    boxes.replaceChildren(...schemes.map((scheme) => portsOf(scheme, own.filter((port) => port.scheme === scheme), shown, top)));
    if (!boxes.children.length) boxes.append(make("p", { class: "none" }, `Nothing was measured${atPoint()}.`));
    boxes.dataset.drawn = JSON.stringify({ metric: data.port_metrics[shown].name, ports: own.length, schemes: schemes.length });
  };
  show();
  watch(["point", "hide", "port"], show);
  return true;
}

/** The ports of a scheme, with the three hottest in words. */
function portsOf(scheme, ports, shown, top) {
  const metric = data.port_metrics[shown];
  const inWords = ({ values }) => (isNumber(values[shown]) ? `${plain(values[shown] * metric.scale)} ${metric.unit}` : "not measured");
  const nameOf = ({ from, to }) => `${from} to ${to}`;
  const places = new Intl.Collator("en", { numeric: true });
  // The network cards of hosts: one row.
  const rowOf = ({ from }) => (from.startsWith("host ") ? "hosts" : from);
  const rows = [...new Set(ports.map(rowOf))].sort((a, b) => Number(a === "hosts") - Number(b === "hosts") || places.compare(a, b));
  const square = (port) => {
    const share = top > 0 && isNumber(port.values[shown]) ? Math.round((100 * port.values[shown]) / top) : 0;
    const text = `${nameOf(port)}: ${inWords(port)}`;
    return make("span", { class: "port", role: "img", "aria-label": text, title: text, style: { background: `color-mix(in srgb, var(--accent) ${share}%, var(--soft))` } });
  };
  const body = rows.map((row) => {
    const own = ports.filter((port) => rowOf(port) === row).sort((a, b) => places.compare(nameOf(a), nameOf(b)));
    return make("tr", {}, make("th", { scope: "row" }, row), make("td", { class: "ports" }, own.map(square)));
  });
  const hottest = [...ports].filter(({ values }) => values[shown] > 0).sort((a, b) => b.values[shown] - a.values[shown]).slice(0, 3);
  const words = hottest.map((port) => `${nameOf(port)} (${inWords(port)})`).join(", ");
  const { label } = data.schemes[scheme];
  return make("div", {},
    make("h3", {}, label, make("span", { class: "note" }, words ? ` most: ${words}` : " none")),
    scrollBox(`${capital(metric.title)} of ports under ${label}${atPoint()}`, make("table", { class: "fabric" }, make("tbody", {}, body))));
}
