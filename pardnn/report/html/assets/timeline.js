// The timeline: lanes over time, from the whole step down to single ops.
"use strict";
{
  const DEVICE = 26, LINK = 11, GAP = 8, ONE_BY_ONE = 3000, SHADES = 8;

  // Tops and heights of the lanes, in CSS pixels.
  const stack = (lanes) => {
    let top = 4;
    for (const lane of lanes) {
      if (lane.kind === "device" && top > 4) top += GAP;
      lane.top = top;
      lane.height = lane.kind === "device" ? DEVICE : LINK;
      top += lane.height + 2;
    }
    return top + 4;
  };

  const drawShade = (u, paint, lane, data, ratio, view) => {
    const bins = data.values.bins, { ctx, bbox } = u;
    if (!bins || lane.kind !== "device") return;
    ctx.fillStyle = paint.rest;
    for (let x = 0; x < bbox.width; x++) {
      const at = view.from + (x / bbox.width) * (view.to - view.from);
      const bin = Math.min(bins - 1, Math.floor((at / view.whole) * bins));
      const share = data.shade[lane.device * bins + bin] / 1000;
      if (!share) continue;
      ctx.globalAlpha = 0.2 + 0.5 * share;
      ctx.fillRect(bbox.left + x, bbox.top + lane.top * ratio, 1, lane.height * ratio);
    }
    ctx.globalAlpha = 1;
  };

  // Many bars: how much of each pixel column is covered.
  const drawMany = (u, colour, lane, first, end, ratio, view) => {
    const { ctx, bbox } = u, scale = bbox.width / (view.to - view.from), covered = new Float32Array(bbox.width + 1);
    for (let i = first; i < end; i++) {
      const a = Math.max(0, (lane.starts[i] - view.from) * scale), b = Math.min(bbox.width, (lane.ends[i] - view.from) * scale);
      const left = Math.floor(a), right = Math.floor(b);
      if (left === right) covered[left] += b - a;
      else {
        covered[left] += left + 1 - a;
        for (let x = left + 1; x < right; x++) covered[x] += 1;
        covered[right] += b - right;
      }
    }
    ctx.fillStyle = colour;
    const level = (x) => Math.ceil(Math.min(1, covered[x]) * SHADES - 1e-3);
    for (let x = 0, begin = 0; x < bbox.width; x = begin) {
      const shade = level(x);
      while (begin < bbox.width && level(begin) === shade) begin++;
      if (!shade) continue;
      ctx.globalAlpha = 0.12 + (0.88 * shade) / SHADES;
      ctx.fillRect(bbox.left + x, bbox.top + lane.top * ratio, begin - x, lane.height * ratio);
    }
    ctx.globalAlpha = 1;
  };

  const drawOne = (u, paint, lane, i, colour, ratio, view, label) => {
    const { ctx, bbox } = u, scale = bbox.width / (view.to - view.from);
    const a = Math.max(-2, (lane.starts[i] - view.from) * scale), b = Math.min(bbox.width + 2, (lane.ends[i] - view.from) * scale);
    const width = Math.max(b - a - (b - a > 3 ? 1 : 0), Math.min(1, 0.4 * ratio));
    ctx.fillStyle = colour;
    ctx.fillRect(bbox.left + a, bbox.top + lane.top * ratio, width, lane.height * ratio);
    if (!label || width < 34 * ratio) return;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left + a, bbox.top + lane.top * ratio, width - 3 * ratio, lane.height * ratio);
    ctx.clip();
    ctx.fillStyle = paint.ink[lane.device % 8];
    ctx.fillText(label, bbox.left + Math.max(a, 0) + 5 * ratio, bbox.top + (lane.top + lane.height / 2) * ratio);
    ctx.restore();
  };

  const colours = () => {
    const read = report.theme.colour, numbers = [0, 1, 2, 3, 4, 5, 6, 7];
    return {
      device: numbers.map((d) => read(`dev${d}`)), ink: numbers.map((d) => read(`ink${d}`)),
      link: read("muted"), rest: read("muted"), mark: read("text"), dim: read("track"), lane: read("lane"),
    };
  };

  const drawLane = (u, paint, lane, data, ratio, view) => {
    const { ctx, bbox } = u, device = lane.kind === "device";
    const colour = device ? paint.device[lane.device % 8] : lane.device >= 0 ? paint.device[lane.device % 8] : paint.link;
    ctx.fillStyle = paint.lane;
    ctx.fillRect(bbox.left, bbox.top + lane.top * ratio, bbox.width, lane.height * ratio);
    drawShade(u, paint, lane, data, ratio, view);
    const [first, end] = report.within(lane, view.from, view.to), found = view.matches;
    if (end - first > ONE_BY_ONE) {
      drawMany(u, found && device ? paint.dim : colour, lane, first, end, ratio, view);
    } else {
      for (let i = first; i < end; i++) {
        const op = device ? lane.items[i] : data.sent_op[lane.items[i]] - 1;
        const label = device ? data.last(op) : "";
        drawOne(u, paint, lane, i, found && !(op >= 0 && found[op]) ? paint.dim : colour, ratio, view, label);
      }
    }
    if (device) drawMarks(u, paint, lane, data, ratio, view, first, end, found && end - first > ONE_BY_ONE);
  };

  // What was searched for and what is chosen, above everything else.
  const drawMarks = (u, paint, lane, data, ratio, view, first, end, many) => {
    for (let i = first; i < end; i++) {
      const op = lane.items[i];
      if (many && view.matches[op]) drawOne(u, paint, lane, i, paint.device[lane.device % 8], ratio, view, "");
      if (op !== view.chosen) continue;
      const { ctx, bbox } = u, scale = bbox.width / (view.to - view.from), width = (lane.ends[i] - lane.starts[i]) * scale;
      const left = bbox.left + (lane.starts[i] - view.from) * scale;
      ctx.strokeStyle = paint.mark;
      ctx.lineWidth = 2 * ratio;
      ctx.strokeRect(left - ratio, bbox.top + (lane.top - 1) * ratio, Math.max(width, 2 * ratio) + ratio, (lane.height + 2) * ratio);
    }
  };

  const draw = (u, lanes, data, view) => {
    const { ctx, bbox } = u, ratio = devicePixelRatio || 1, paint = colours();
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.font = `${11 * ratio}px system-ui, sans-serif`;
    ctx.textAlign = "left";
    ctx.textBaseline = "middle";
    for (const lane of lanes) drawLane(u, paint, lane, data, ratio, view);
    ctx.restore();
  };

  const labels = (u, lanes) => {
    const { ctx, bbox } = u, ratio = devicePixelRatio || 1;
    ctx.save();
    ctx.textAlign = "right";
    ctx.textBaseline = "middle";
    for (const lane of lanes) {
      const device = lane.kind === "device";
      ctx.font = `${device ? 600 : 400} ${(device ? 12 : 10) * ratio}px system-ui, sans-serif`;
      ctx.fillStyle = report.theme.colour(device ? "text" : "muted");
      ctx.fillText(lane.label, bbox.left - 8 * ratio, bbox.top + (lane.top + lane.height / 2) * ratio, bbox.left - 10 * ratio);
    }
    ctx.restore();
  };

  const plot = (box, lanes, data, view) => {
    const height = stack(lanes), wide = box.clientWidth > 600;
    const longest = lanes.reduce((most, lane) => Math.max(most, lane.label.length), 0);
    const room = Math.min(wide ? 150 : 100, 16 + 7.2 * Math.max(longest, 5));
    const options = {
      width: box.clientWidth, height: height + 34, padding: [0, 12, 0, 0],
      legend: { show: false },
      cursor: { y: false, drag: { x: true, y: false, setScale: false }, points: { show: false } },
      scales: { x: { time: false, min: 0, max: view.whole, range: () => [view.from, view.to] }, y: { range: [0, 1] } },
      series: [{}, { show: true, paths: () => null, points: { show: false } }],
      axes: [
        {
          values: report.timeAxis, stroke: () => report.theme.colour("muted"), grid: { stroke: () => report.theme.colour("rule"), width: 1 },
          ticks: { show: false }, size: 30, space: wide ? 90 : 70, font: "11px system-ui, sans-serif",
        },
        { values: () => [], size: room, grid: { show: false }, ticks: { show: false } },
      ],
      hooks: {
        draw: [(u) => { draw(u, lanes, data, view); labels(u, lanes); }],
        setSelect: [(u) => {
          if (u.select.width < 3) return;
          view.set(u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x"));
          u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
        }],
      },
    };
    return new uPlot(options, [[0, view.whole], [0, 0]], box);
  };

  report.timeline = (box, data, view) => {
    const lanes = report.lanes(data), u = plot(box, lanes, data, view);
    const redraw = report.once(() => { u.setScale("x", { min: view.from, max: view.to }); u.redraw(true); });
    view.listen(redraw);
    view.onChoose(redraw);
    report.theme.listen(redraw);
    report.onWidth(box, (width) => u.setSize({ width, height: u.height }));
    report.pointer(u, box, lanes, data, view);
    return lanes;
  };
}
