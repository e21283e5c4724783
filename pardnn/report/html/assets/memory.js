// Memory over time, a small picture per device, in step with the timeline.
"use strict";
{
  // The curve in view, a point at each edge added, since the curve is made of steps.
  const clipped = (time, held, view) => {
    const first = Math.max(0, report.above(time, view.from) - 1), end = report.above(time, view.to);
    const x = [view.from], y = [time.length ? held[first] : 0];
    for (let i = first; i < end; i++) if (time[i] > view.from) { x.push(time[i]); y.push(held[i]); }
    if (x.at(-1) < view.to) { x.push(view.to); y.push(y.at(-1)); }
    return [x, y];
  };

  const options = (box, spec, top, view) => {
    const colour = () => report.theme.device(spec.device), muted = () => report.theme.colour("muted");
    return {
      width: box.clientWidth, height: 150, padding: [8, 10, 0, 0], legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { show: false }, sync: { key: "memory", setSeries: false } },
      scales: { x: { time: false, range: () => [view.from, view.to] }, y: { range: [0, top] } },
      series: [{}, { stroke: colour, width: 1.5, fill: () => `${colour()}33`, paths: uPlot.paths.stepped({ align: 1 }), points: { show: false } }],
      axes: [
        { values: report.timeAxis, stroke: muted, grid: { show: false }, ticks: { show: false }, size: 26, space: 80, font: "11px system-ui, sans-serif" },
        {
          values: (_, splits) => splits.map((bytes) => (bytes ? report.size(bytes) : "0")), stroke: muted, grid: { stroke: () => report.theme.colour("rule"), width: 1 }, ticks: { show: false },
          size: 70, space: 34, font: "11px system-ui, sans-serif", splits: () => [0, top / 2 / 1.08, top / 1.08],
        },
      ],
      hooks: { draw: [(u) => limit(u, spec.limit)] },
    };
  };

  const limit = (u, bytes) => {
    if (bytes === null) return;
    const { ctx, bbox } = u, ratio = devicePixelRatio || 1, y = u.valToPos(bytes, "y", true);
    ctx.save();
    ctx.strokeStyle = report.theme.colour("text");
    ctx.lineWidth = 1.25 * ratio;
    ctx.setLineDash([5 * ratio, 4 * ratio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.restore();
  };

  report.memory = (data, view) => {
    for (const spec of data.values.plots) {
      const box = report.byId(`memory-${spec.device}`), time = data[`time${spec.device}`], held = data[`held${spec.device}`];
      const most = held.reduce((a, b) => Math.max(a, b), 0);
      // A limit far above all that is held would press the curve flat: then it is left out, and the words above say so.
      const top = Math.max(most, spec.limit !== null && most >= spec.limit * 0.1 ? spec.limit : 0, 1) * 1.08;
      const u = new uPlot(options(box, spec, top, view), clipped(time, held, view), box);
      box.setAttribute("role", "img");
      box.setAttribute("aria-label", `Memory of ${spec.label}`);
      const redraw = report.once(() => u.setData(clipped(time, held, view)));
      view.listen(redraw);
      report.theme.listen(report.once(() => u.redraw(true)));
      report.onWidth(box, (width) => u.setSize({ width, height: u.height }));
    }
  };
}
