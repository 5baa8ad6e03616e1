// Collects errors and warnings in `data-errors` of the root element, where tests read them.
(() => {
  const root = document.documentElement;
  const errors = [];
  const note = (text) => {
    errors.push(String(text));
    root.dataset.errors = errors.join("\n");
  };
  root.dataset.errors = "";
  addEventListener("error", (event) => note(event.message || "an error without a message"));
  addEventListener("unhandledrejection", (event) => note(event.reason));
  addEventListener("securitypolicyviolation", (event) => note(`refused: ${event.violatedDirective}`));
  for (const level of ["error", "warn"]) {
    const original = console[level];
    console[level] = (...parts) => {
      note(parts.join(" "));
      original.apply(console, parts);
    };
  }
})();
