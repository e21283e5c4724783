// The table of ops: of however many rows only those in sight exist.
"use strict";
{
  const ROW = 30, SPARE = 6, TALLEST = 480;

  const header = (rows, state, again) => {
    const heads = rows.columns.map((column) => {
      const button = report.element("button", { type: "button" }, column.title);
      button.addEventListener("click", () => {
        [state.key, state.falling] = [column.key, state.key === column.key ? !state.falling : Boolean(column.figure)];
        again();
      });
      return report.element("div", { role: "columnheader", className: kind(column) }, button);
    });
    return report.element("div", { role: "row", className: "row heads" }, ...heads);
  };

  const kind = (column) => ["cell", column.figure && "figure", column.more && "more", column.wide && "op"].filter(Boolean).join(" ");

  const line = (rows, op, place, state) => {
    const cells = rows.columns.map((column) => {
      const text = column.text(op), inner = column.wide ? report.element("bdi", { className: "name" }, text) : text;
      const cell = report.element("div", { role: "cell", className: kind(column) }, inner);
      if (column.key === "device") cell.prepend(report.element("span", { className: `swatch dev${state.data.device[op] % 8}` }));
      if (column.wide || column.key === "why") cell.title = text;
      return cell;
    });
    const made = report.element("div", { role: "row", className: "row", "aria-rowindex": place + 2 }, ...cells);
    made.style.transform = `translateY(${place * ROW}px)`;
    made.dataset.place = place;
    if (place === state.active) made.classList.add("active");
    return made;
  };

  const keyboard = (scroller, state, paint, act) => scroller.addEventListener("keydown", (event) => {
    const page = Math.floor(scroller.clientHeight / ROW), last = state.list.length - 1;
    const to = {
      ArrowDown: state.active + 1, ArrowUp: state.active - 1, PageDown: state.active + page, PageUp: state.active - page,
      Home: 0, End: last,
    }[event.key];
    if (event.key === "Enter" && state.active >= 0) act(state.list[state.active]);
    if (to === undefined || last < 0) return;
    event.preventDefault();
    state.active = Math.max(0, Math.min(last, to));
    const top = state.active * ROW;
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    if (top + ROW > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = top + ROW - scroller.clientHeight;
    paint();
  });

  report.table = (box, search, output, data, view) => {
    const rows = report.rows(data), state = { key: "time", falling: true, found: null, list: [], active: -1, data };
    const space = report.element("div", { className: "space", role: "rowgroup" });
    const scroller = report.element("div", { className: "scroller", tabIndex: 0, "aria-label": "Ops" }, space);
    const paint = report.once(() => {
      const first = Math.max(0, Math.floor(scroller.scrollTop / ROW) - SPARE);
      const end = Math.min(state.list.length, Math.ceil((scroller.scrollTop + scroller.clientHeight) / ROW) + SPARE);
      space.replaceChildren(...Array.from({ length: end - first }, (_, i) => line(rows, state.list[first + i], first + i, state)));
    });
    const again = () => {
      state.list = rows.list(state.key, state.falling, state.found);
      state.active = -1;
      space.style.height = `${state.list.length * ROW}px`;
      scroller.style.height = `${Math.min(TALLEST, Math.max(1, state.list.length) * ROW + 2)}px`;
      scroller.scrollTop = 0;
      box.setAttribute("aria-rowcount", state.list.length + 1);
      output.textContent = `${report.count(state.list.length)} of ${report.count(data.names.length)} ops`;
      heads.querySelectorAll("[role=columnheader]").forEach((head, i) => {
        const mine = rows.columns[i].key === state.key;
        head.setAttribute("aria-sort", mine ? (state.falling ? "descending" : "ascending") : "none");
      });
      paint();
    };
    const heads = header(rows, state, again);
    const show = (op) => {
      report.show(data, view, op);
      report.byId("timeline").scrollIntoView();
    };
    box.setAttribute("role", "table");
    box.setAttribute("aria-label", "Ops");
    box.append(heads, scroller);
    scroller.addEventListener("scroll", paint, { passive: true });
    scroller.addEventListener("click", (event) => {
      const row = event.target.closest("[data-place]");
      if (!row) return;
      state.active = Number(row.dataset.place);
      view.choose(state.list[state.active], "table");
      paint();
    });
    scroller.addEventListener("dblclick", () => { if (state.active >= 0) show(state.list[state.active]); });
    keyboard(scroller, state, paint, show);
    search.addEventListener("input", report.once(() => {
      state.found = view.matches = rows.matches(search.value.trim());
      again();
      view.refresh();
    }));
    new ResizeObserver(paint).observe(scroller);
    again();
  };
}
