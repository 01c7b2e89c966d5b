// Sorting, filtering and copying. The page is complete without it.
"use strict";
(() => {
  const table = document.getElementById("all-cells");
  const status = document.getElementById("filter-count");

  // Sorts within each family: its first row is the family's name and stays.
  const sortKey = (row, column) => {
    const cell = row.cells[column];
    if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
    return cell.classList.contains("number") ? NaN : cell.textContent;
  };

  // Rows without a number come last in both directions: absent is neither small nor large.
  const compare = (left, right, direction) => {
    if (typeof left === "string" || typeof right === "string") {
      return direction * String(left).localeCompare(String(right), "en", { numeric: true });
    }
    if (Number.isNaN(left) || Number.isNaN(right)) return Number.isNaN(left) - Number.isNaN(right);
    return direction * (left - right);
  };

  const sortBy = (column, direction) => {
    for (const body of table.tBodies) {
      const rows = [...body.rows].slice(1).map((row) => [sortKey(row, column), row]);
      rows.sort(([left], [right]) => compare(left, right, direction));
      body.append(...rows.map(([, row]) => row));
    }
  };

  const makeSortable = (header, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    header.append(button);
    header.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const ascending = header.getAttribute("aria-sort") !== "ascending";
      for (const other of table.tHead.rows[0].cells) other.setAttribute("aria-sort", "none");
      header.setAttribute("aria-sort", ascending ? "ascending" : "descending");
      sortBy(column, ascending ? 1 : -1);
    });
  };

  const makeFilterable = () => {
    const text = document.getElementById("filter-text");
    const state = document.getElementById("filter-state");
    const apply = () => {
      const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      let total = 0;
      for (const body of table.tBodies) {
        let shownHere = 0;
        for (const row of [...body.rows].slice(1)) {
          const content = (row.id + " " + row.textContent).toLowerCase();
          const rightState = !state.value || row.querySelector(".state").textContent.trim().endsWith(" " + state.value);
          row.hidden = !(rightState && words.every((word) => content.includes(word)));
          shownHere += row.hidden ? 0 : 1;
          total += 1;
        }
        body.rows[0].hidden = shownHere === 0;
        shown += shownHere;
      }
      status.textContent = shown === total ? "" : shown + " of " + total + " cells";
    };
    text.addEventListener("input", apply);
    state.addEventListener("change", apply);
    // A link to a cell must find it, whatever the filter hides.
    window.addEventListener("hashchange", () => {
      const target = document.querySelector(":target");
      if (!target || !target.hidden) return;
      text.value = state.value = "";
      apply();
      target.scrollIntoView();
    });
    document.querySelector(".controls").hidden = false;
  };

  const makeCopyable = (command) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "copy";
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(command.textContent);
        button.textContent = "copied";
      } catch {
        // Without the permission the command is selected, for the keyboard to copy.
        getSelection().selectAllChildren(command);
        button.textContent = "selected";
      }
      setTimeout(() => { button.textContent = "copy"; }, 2000);
    });
    command.after(button);
  };

  document.querySelectorAll("code.command").forEach(makeCopyable);
  if (!table) return;
  [...table.tHead.rows[0].cells].forEach(makeSortable);
  makeFilterable();
})();
