// The scenario as run, the command that repeats it, and every parameter of every scheme.

function addScenario() {
  const section = addSection("scenario", "Scenario and parameters");
  if (data.about) section.append(make("p", { class: "about" }, data.about));
  if (data.command) section.append(make("div", { class: "command" }, make("span", { class: "label" }, "Run it again"), make("code", { tabindex: "0" }, data.command), copyButton(data.command, "the command")));
  if (data.scenario) {
    section.append(
      make("div", { class: "code-head" }, make("h3", {}, "The scenario"), copyButton(data.scenario, "the scenario")),
      make("pre", { tabindex: "0", "aria-label": "The scenario in TOML" }, make("code", {}, data.scenario)),
    );
  }
  section.append(make("h3", {}, "The schemes"));
  data.schemes.forEach((scheme, index) => {
    const parameters = scheme.parameters.length
      ? scrollBox(`Parameters of ${scheme.label}`, make(
        "table",
        { class: "plain parameters" },
        make("thead", {}, make("tr", {}, ["Name", "Value", "Origin", "Meaning"].map((text) => make("th", { scope: "col" }, text)))),
        make("tbody", {}, scheme.parameters.map(({ name, value, origin, meaning }) =>
          make("tr", {}, make("th", { scope: "row" }, make("code", {}, name)), make("td", { class: "value" }, value), make("td", {}, origin), make("td", {}, meaning)))),
      ))
      : make("p", { class: "none" }, "No parameters.");
    section.append(make(
      "details",
      { class: "scheme-details" },
      make("summary", {}, swatch(schemeMark(index, themeShown())), make("span", {}, scheme.label), make("code", {}, scheme.spec)),
      make("p", {}, sentence(capital(scheme.summary)), scheme.source ? make("span", { class: "note" }, ` ${sentence(scheme.source)}`) : null),
      parameters,
    ));
  });
  watch(["theme"], () => {
    section.querySelectorAll("summary .swatch").forEach((old, index) => old.replaceWith(swatch(schemeMark(index, themeShown()))));
  });
}
