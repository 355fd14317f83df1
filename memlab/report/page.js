// Optional: sorts the results table by a clicked column, filters systems and scenarios, shows that a table continues, and
// enlarges charts.
const wanted = Object.fromEntries(["system", "scenario"].map((kind) => [kind, document.getElementById(`${kind}s`)]));
const show = () => {
  const hides = (one) => Object.entries(wanted).some(([kind, input]) =>
    one.dataset[kind] !== undefined && !one.dataset[kind].includes(input.value.trim()));
  for (const one of document.querySelectorAll("[data-system], [data-scenario]")) {
    one.hidden = hides(one);
    if (!one.matches("thead th")) continue;
    const column = [...one.parentElement.children].indexOf(one);
    for (const row of one.closest("table").tBodies[0].rows) row.cells[column].hidden = one.hidden;
  }
};
for (const input of Object.values(wanted)) input.addEventListener("input", show);
document.querySelector("nav .search").classList.add("on");

const body = document.querySelector("table.headline tbody");
document.querySelectorAll("table.headline thead th").forEach((head, column) => {
  if (column === 0) return;
  const button = document.createElement("button");
  button.append(...head.childNodes);
  head.append(button);
  button.addEventListener("click", () => {
    const up = head.getAttribute("aria-sort") === "descending";
    for (const other of head.parentElement.children) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const value = (row) => Number(row.children[column].dataset.value) * (up ? 1 : -1);
    body.append(...[...body.children].sort((a, b) => value(a) - value(b)));
  });
});

const cue = (one) => one.classList.toggle("more", one.scrollLeft + one.clientWidth < one.scrollWidth - 2);
const sizes = new ResizeObserver((changes) => changes.forEach((change) => cue(change.target)));
for (const one of document.querySelectorAll(".scroll")) {
  sizes.observe(one);
  one.addEventListener("scroll", () => cue(one), { passive: true });
}

for (const figure of document.querySelectorAll("figure")) {
  const button = document.createElement("button");
  button.textContent = "Enlarge the chart";
  button.addEventListener("click", () => {
    button.textContent = figure.classList.toggle("large") ? "Fit the chart to the page" : "Enlarge the chart";
  });
  figure.prepend(button);
}

const unfold = () => {
  const target = document.getElementById(location.hash.slice(1));
  const fold = target?.closest("details");
  if (fold) {
    fold.open = true;
    target.scrollIntoView();
  }
};
addEventListener("hashchange", unfold);
unfold();
