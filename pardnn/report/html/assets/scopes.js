// The graph as nested boxes: a few levels of name scopes at a time, each box opens on demand.
"use strict";
{
  const MOST = 60, INNER = 24, HEAD = 20, SMALL = 46, DEPTH = 3;

  // A box's colours: each device's share of the work, from left to right.
  const paint = (share) => {
    const total = share.reduce((a, b) => a + b, 0) || 1, stops = [];
    let at = 0;
    share.forEach((part, d) => {
      if (!part) return;
      const to = at + (100 * part) / total;
      stops.push(`var(--dev${d % 8}) ${at.toFixed(2)}% ${to.toFixed(2)}%`);
      at = to;
    });
    return stops.length ? `linear-gradient(90deg, ${stops.join(", ")})` : "var(--track)";
  };

  const described = (data, item) => {
    const { devices } = data.values, total = item.weight || 1, time = item.ops.reduce((sum, op) => sum + data.time[op], 0);
    const parts = Array.from(item.share, (part, d) => [part, d]).filter(([part]) => part).sort((a, b) => b[0] - a[0]);
    const where = parts.slice(0, 4).map(([part, d]) => `${devices[d]} ${Math.round((100 * part) / total)} %`).join(", ");
    const count = item.ops.length === 1 ? "1 op" : `${report.count(item.ops.length)} ops`;
    return `${item.name}: ${count}, ${report.time(time)}${where ? `, ${where}` : ""}`;
  };

  const place = (box, x, y, width, height) => {
    Object.assign(box.style, { left: `${x}px`, top: `${y}px`, width: `${Math.max(1, width - 2)}px`, height: `${Math.max(1, height - 2)}px` });
    return box;
  };

  // A coloured box that is a button.
  const leaf = (data, item, rectangle, open) => {
    const [x, y, width, height] = rectangle, words = described(data, item);
    const named = width > SMALL && height > 18 ? [report.element("bdi", { className: "label" }, item.name)] : [];
    const box = report.element("button", { className: "box", type: "button", title: words, "aria-label": words }, ...named);
    box.style.background = paint(item.share);
    box.addEventListener("click", open);
    return place(box, x, y, width, height);
  };

  // A scope with what it holds, or a leaf where it is too small or too deep for that. `above`: the scopes around it in sight.
  const nested = (data, item, [x, y, width, height], open, above = []) => {
    const small = width < 90 || height < 60 || above.length >= DEPTH;
    if (item.op >= 0 || item.start < 0 || small) return leaf(data, item, [x, y, width, height], () => open(item, above));
    item = descend(data, item);
    const words = described(data, item);
    const head = report.element("button", { className: "head", type: "button", title: words, "aria-label": words },
      report.element("bdi", {}, item.name));
    head.addEventListener("click", () => open(item, above));
    const inner = report.squares(report.inside(data, item.ops, item.start, INNER), 3, HEAD, width - 8, height - HEAD - 5);
    const box = report.element("div", { className: "scope" }, head,
      ...inner.map(([one, ...rectangle]) => nested(data, one, rectangle, open, [...above, item])));
    return place(box, x, y, width, height);
  };

  const everything = (data) => ({ name: "whole graph", op: -1, ops: Array.from(data.names.keys()), start: 0 });

  // Down through scopes that hold nothing but one scope.
  const descend = (data, item) => {
    for (;;) {
      const { start, ops } = item, first = data.names[ops[0]] ?? "", slash = first.indexOf("/", start);
      if (start < 0 || slash < 0) return item;
      const name = first.slice(start, slash), shared = `${name}/`;
      if (!ops.every((op) => data.names[op].startsWith(shared, start))) return item;
      item = { ...item, name: start ? `${item.name}/${name}` : name, start: slash + 1 };
    }
  };

  report.scopes = (box, path, data, view) => {
    const trail = [everything(data)];
    const draw = (focus) => {
      const width = box.clientWidth, height = box.clientHeight, here = descend(data, trail.at(-1));
      const items = here.start < 0 ? single(data, here) : report.inside(data, here.ops, here.start, MOST);
      const placed = report.squares(items, 0, 0, width, height);
      box.replaceChildren(...placed.map(([item, ...rectangle]) => nested(data, item, rectangle, open)));
      path.replaceChildren(...trail.map((one, depth) => crumb(one, depth)));
      if (focus) (box.querySelector("button") ?? box).focus({ preventScroll: true });
    };
    const crumb = (one, depth) => {
      const last = depth === trail.length - 1;
      const button = report.element("button", { type: "button", disabled: last }, report.element("bdi", {}, one.name));
      button.addEventListener("click", () => { trail.length = depth + 1; draw(true); });
      return button;
    };
    const open = (item, above) => {
      if (item.op >= 0) {
        report.show(data, view, item.op);
        report.byId("timeline").scrollIntoView();
        return;
      }
      trail.push(...above, item);
      draw(true);
    };
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || trail.length < 2) return;
      trail.pop();
      draw(true);
    });
    report.onWidth(box, () => draw(false));
    draw(false);
  };

  // The ops of a box that stands for many small ones, the longest first, as boxes of their own.
  const single = (data, here) => {
    const ops = here.ops.slice().sort((a, b) => data.time[b] - data.time[a] || a - b).slice(0, 400);
    return ops.map((op) => {
      const share = new Float64Array(data.values.devices.length);
      share[data.device[op]] = Math.max(data.time[op], 1);
      return { name: data.names[op], op, ops: [op], share, start: 0, weight: share[data.device[op]] };
    });
  };
}
