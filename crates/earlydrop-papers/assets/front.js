"use strict";
// Shows the claims that fit what is chosen. What is chosen stands in the address, so that
// it can be kept and sent.
const form = document.getElementById("filter");
const claims = [...document.querySelectorAll("ol.all > .claim")];
const shown = document.getElementById("shown");
const names = ["paper", "verdict", "text"];

function fits(claim, { paper, verdict, text }) {
  const words = text.toLowerCase().split(/\s+/);
  const content = claim.textContent.toLowerCase();
  return (!paper || claim.dataset.paper === paper)
    && (!verdict || claim.dataset.verdict === verdict)
    && words.every((word) => content.includes(word));
}

function apply() {
  const chosen = Object.fromEntries(names.map((name) => [name, form.elements[name].value]));
  for (const claim of claims) claim.hidden = !fits(claim, chosen);
  const count = claims.filter((claim) => !claim.hidden).length;
  shown.textContent = `${count} of ${claims.length} claims`;
  const said = new URLSearchParams(Object.entries(chosen).filter(([, value]) => value));
  history.replaceState(null, "", `#${said}`);
}

const asked = new URLSearchParams(location.hash.slice(1));
for (const name of names) if (asked.has(name)) form.elements[name].value = asked.get(name);
form.addEventListener("input", apply);
form.addEventListener("submit", (event) => event.preventDefault());
apply();
