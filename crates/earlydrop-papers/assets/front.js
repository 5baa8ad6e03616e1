"use strict";
// Shows the claims that match the filter. The address holds the filter, so that it can be
// bookmarked and shared.
const form = document.getElementById("filter");
const claims = [...document.querySelectorAll("ol.all > .claim")];
const countLine = document.getElementById("shown");
const names = ["paper", "verdict", "text"];

function matches(claim, { paper, verdict, text }) {
  const words = text.toLowerCase().split(/\s+/);
  const content = claim.textContent.toLowerCase();
  return (!paper || claim.dataset.paper === paper)
    && (!verdict || claim.dataset.verdict === verdict)
    && words.every((word) => content.includes(word));
}

function apply() {
  const filter = Object.fromEntries(names.map((name) => [name, form.elements[name].value]));
  for (const claim of claims) claim.hidden = !matches(claim, filter);
  const count = claims.filter((claim) => !claim.hidden).length;
  countLine.textContent = `${count} of ${claims.length} claims`;
  const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value));
  history.replaceState(null, "", `#${query}`);
}

const given = new URLSearchParams(location.hash.slice(1));
for (const name of names) if (given.has(name)) form.elements[name].value = given.get(name);
form.addEventListener("input", apply);
form.addEventListener("submit", (event) => event.preventDefault());
apply();
