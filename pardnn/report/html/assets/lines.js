// Lines and points over a number: what comparisons, scaling and fits show.
"use strict";
{
  const DASHES = [[], [6, 3], [2, 3]];

  const series = (one, i) => {
    const stroke = () => report.theme.device(i);
    const points = { show: true, size: 7, stroke, fill: stroke };
    return { label: one.name, stroke, width: one.points ? 0 : 1.75, dash: DASHES[Math.floor(i / 8) % 3], points, spanGaps: true,
      ...(one.points ? { paths: () => null } : {}) };
  };

  const form = { number: (v) => String(Number(v.toPrecision(4))), time: (v) => report.time(v), size: (v) => report.size(v), ratio: (v) => `${Number(v.toPrecision(3))} ×` };

  const scale = (log) => (log ? { time: false, distr: 3, log: log === 2 ? 2 : 10 } : { time: false });

  const axis = (label, kind, log, extra) => ({
    label, labelFont: "12px system-ui, sans-serif", labelSize: 20, font: "11px system-ui, sans-serif", ticks: { show: false },
    stroke: () => report.theme.colour("muted"), grid: { stroke: () => report.theme.colour("rule"), width: 1 },
    values: (_, splits) => splits.map((v) => (v === null ? "" : form[kind ?? "number"](v))), ...extra,
  });

  // spec: {x, series: [{name, y, points}], xLabel, yLabel, xKind, yKind, xLog, yLog, only}
  report.lines = (box, spec) => {
    const only = spec.only ? { splits: () => spec.x, filter: (_, splits) => splits } : {};
    const options = {
      width: box.clientWidth, height: 320, padding: [10, 16, 0, 0], legend: { show: false },
      cursor: { drag: { x: true, y: false } },
      scales: { x: scale(spec.xLog), y: { ...scale(spec.yLog), ...(spec.yLog ? {} : { range: (_, low, high) => [Math.min(0, low), high * 1.08 || 1] }) } },
      series: [{}, ...spec.series.map(series)],
      axes: [axis(spec.xLabel, spec.xKind, spec.xLog, { size: 36, ...only }), axis(spec.yLabel, spec.yKind, spec.yLog, { size: 62 })],
    };
    const u = new uPlot(options, [spec.x, ...spec.series.map((one) => one.y)], box);
    const keys = report.element("ul", { className: "keys" }, ...spec.series.map((one, i) =>
      report.element("li", {}, report.element("span", { className: `swatch dev${i % 8}` }), one.name)));
    if (spec.series.length > 1) box.after(keys);
    report.theme.listen(report.once(() => u.redraw(true)));
    report.onWidth(box, (width) => u.setSize({ width, height: u.height }));
  };
}
