// Pointer, wheel and keyboard on the timeline; the card of the chosen op.
"use strict";
{
  const laneAt = (lanes, y) => lanes.find((lane) => y >= lane.top - 2 && y <= lane.top + lane.height + 2);

  // [op, transfer] under a point; -1 where there is none.
  const under = (u, lanes, data, view) => {
    const { left, top } = u.cursor, lane = top >= 0 ? laneAt(lanes, top) : undefined;
    if (!lane) return [-1, -1];
    const at = u.posToVal(left, "x"), i = report.barAt(lane, at, (view.to - view.from) * 0.003);
    if (i < 0) return [-1, -1];
    return lane.kind === "device" ? [lane.items[i], -1] : [data.sent_op[lane.items[i]] - 1, lane.items[i]];
  };

  const words = (data, op, transfer) => {
    const { devices } = data.values, name = op >= 0 ? data.names[op] : "an op not shown one by one";
    if (transfer < 0) return [name, `${report.time(data.time[op])} on ${devices[data.device[op]]}`];
    const way = `${devices[data.sent_from[transfer]]} → ${devices[data.sent_to[transfer]]}`;
    return [name, `${way}, ${report.size(data.sent_bytes[transfer])} in ${report.time(data.sent_time[transfer])}`];
  };

  const hover = (u, box, lanes, data, view) => {
    const tip = report.element("div", { className: "tip", hidden: true });
    box.append(tip);
    u.over.addEventListener("mousemove", () => {
      const [op, transfer] = under(u, lanes, data, view);
      tip.hidden = op < 0 && transfer < 0;
      if (tip.hidden) return;
      const [name, what] = words(data, op, transfer);
      tip.replaceChildren(report.element("bdi", {}, name), report.element("span", {}, what));
      const left = u.over.offsetLeft + u.cursor.left, room = box.clientWidth - tip.offsetWidth - 4;
      tip.style.transform = `translate(${Math.max(4, Math.min(left + 12, room))}px, ${u.over.offsetTop + u.cursor.top + 18}px)`;
    });
    u.over.addEventListener("mouseleave", () => { tip.hidden = true; });
  };

  const keys = (box, view, step) => box.addEventListener("keydown", (event) => {
    const act = {
      ArrowLeft: () => view.move(-0.2), ArrowRight: () => view.move(0.2),
      "+": () => view.zoom(0.5), "=": () => view.zoom(0.5), "-": () => view.zoom(2), 0: view.all, Home: view.all,
      "[": () => step(-1), "]": () => step(1),
    }[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });

  report.pointer = (u, box, lanes, data, view) => {
    hover(u, box, lanes, data, view);
    let pressed = 0;
    u.over.addEventListener("mousedown", (event) => { pressed = event.clientX; });
    u.over.addEventListener("click", (event) => {
      if (Math.abs(event.clientX - pressed) > 3) return; // it was a drag
      const [op] = under(u, lanes, data, view);
      if (op >= 0) view.choose(op, "timeline");
    });
    u.over.addEventListener("dblclick", view.all);
    u.over.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && Math.abs(event.deltaX) <= Math.abs(event.deltaY) && document.activeElement !== box) return;
      event.preventDefault();
      const { left } = u.over.getBoundingClientRect();
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) view.move(event.deltaX / u.over.clientWidth);
      else view.zoom(Math.exp(event.deltaY / 400), u.posToVal(event.clientX - left, "x"));
    }, { passive: false });
    u.over.addEventListener("mousedown", () => box.focus({ preventScroll: true }));
    // The op before or after the chosen one on its device; without one the first in view.
    keys(box, view, (by) => {
      const on = view.chosen < 0 ? 0 : data.device[view.chosen];
      const lane = lanes.find((one) => one.kind === "device" && one.device === on && one.items.length) ??
        lanes.find((one) => one.kind === "device" && one.items.length);
      if (!lane) return;
      const at = view.chosen < 0 ? report.within(lane, view.from, view.to)[0] - by : lane.items.indexOf(view.chosen);
      report.show(data, view, lane.items[Math.max(0, Math.min(lane.items.length - 1, at + by))]);
    });
    for (const button of document.querySelectorAll("[data-zoom]")) {
      const act = { in: () => view.zoom(0.5), out: () => view.zoom(2), all: view.all, left: () => view.move(-0.4), right: () => view.move(0.4) }[button.dataset.zoom];
      button.addEventListener("click", act);
    }
  };

  // Choose an op and move the view, if needed, so that it can be seen.
  report.show = (data, view, op) => {
    const start = data.start[op], end = start + data.time[op], span = view.to - view.from;
    const small = data.time[op] < span / 60;
    if (start < view.from || end > view.to || small) {
      const width = small ? Math.max(data.time[op] * 25, 1000) : Math.max(span, data.time[op] * 1.5);
      view.set((start + end - width) / 2, (start + end + width) / 2);
    }
    view.choose(op, "shown");
  };

  // All that is known of the chosen op, below the timeline and below the table.
  report.card = (boxes, data, view) => view.onChoose((op) => {
    const { devices, kinds, reasons, sources } = data.values;
    const band = data.least ? ` (${report.time(data.least[op])} to ${report.time(data.most[op])})` : "";
    const rows = [
      ["type", kinds[data.kind[op]] || "–"], ["device", devices[data.device[op]]], ["why there", reasons[data.reason[op]]],
      ["time", `${report.time(data.time[op])}, ${sources[data.source[op]]}${band}`], ["starts at", report.time(data.start[op])],
      ["may be late by", data.slack[op] > 0 ? report.time(data.slack[op]) : "nothing: it is critical"],
      ["output", report.size(data.output[op])], ["scratch", report.size(data.temp[op])], ["variables", report.size(data.resident[op])],
    ];
    for (const box of boxes) {
      const list = report.element("dl", {}, ...rows.map(([key, value]) =>
        report.element("div", {}, report.element("dt", {}, key), report.element("dd", {}, value))));
      box.replaceChildren(report.element("h3", {}, report.element("bdi", { className: "name" }, data.names[op])), list);
    }
  });
}
