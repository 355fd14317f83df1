// The page is whole without this: it only sorts the headline by a clicked column and hides systems.
const filter = document.getElementById("filter");
filter.hidden = false;
filter.parentElement.classList.add("on");
filter.addEventListener("input", () => {
  for (const row of document.querySelectorAll("tr[data-system]")) {
    row.hidden = !row.dataset.system.includes(filter.value.trim());
  }
});

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

const unfold = () => {
  const told = document.getElementById(location.hash.slice(1));
  const fold = told?.closest("details");
  if (fold) {
    fold.open = true;
    told.scrollIntoView();
  }
};
addEventListener("hashchange", unfold);
unfold();
