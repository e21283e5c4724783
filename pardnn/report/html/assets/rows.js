// Which ops the table shows, and in what order.
"use strict";
report.rows = (data) => {
  const n = data.names.length;
  const { kinds, reasons, sources, devices } = data.values;
  const memory = Float64Array.from({ length: n }, (_, i) => data.resident[i] + data.output[i] + data.temp[i]);
  // Codes of texts by the order of the texts, so that sorting compares numbers.
  const ranked = (texts, code) => {
    const rank = new Float64Array(texts.length);
    report.natural(texts).forEach((text, place) => { rank[text] = place; });
    return Float64Array.from(code, (c) => rank[c]);
  };
  const keys = {
    name: () => ranked(data.names, data.names.keys()),
    kind: () => ranked(kinds, data.kind), why: () => ranked(reasons, data.reason), source: () => ranked(sources, data.source),
    device: () => data.device, start: () => data.start, time: () => data.time, memory: () => memory, slack: () => data.slack,
  };
  const columns = [
    { key: "name", title: "op", text: (i) => data.names[i], wide: true },
    { key: "kind", title: "type", text: (i) => kinds[data.kind[i]], more: true },
    { key: "device", title: "device", text: (i) => devices[data.device[i]] },
    { key: "why", title: "why there", text: (i) => reasons[data.reason[i]], more: true },
    { key: "start", title: "start", text: (i) => report.time(data.start[i]), figure: true, more: true },
    { key: "time", title: "time", text: (i) => report.time(data.time[i]), figure: true },
    { key: "source", title: "source", text: (i) => sources[data.source[i]], more: true },
    { key: "slack", title: "slack", text: (i) => (data.slack[i] > 0 ? report.time(data.slack[i]) : "critical"), figure: true, more: true },
    { key: "memory", title: "memory", text: (i) => report.size(memory[i]), figure: true, more: true },
  ];
  if (data.least) {
    const band = { key: "band", title: "likely", figure: true, more: true };
    keys.band = () => data.most;
    columns.splice(6, 0, { ...band, text: (i) => `${report.time(data.least[i])} – ${report.time(data.most[i])}` });
  }

  const sorted = new Map();
  const by = (key) => {
    if (!sorted.has(key)) {
      sorted.set(key, report.sorted(Uint32Array.from(data.names.keys()), keys[key]()));
    }
    return sorted.get(key);
  };

  let lower = null, lowerKinds = null;
  // [n] 1 = name or type contains the text; null where all do.
  const matches = (text) => {
    if (!text) return null;
    lower ??= data.names.map((name) => name.toLowerCase());
    lowerKinds ??= kinds.map((kind) => kind.toLowerCase());
    const wanted = text.toLowerCase(), kind = lowerKinds.map((one) => one.includes(wanted));
    const found = new Uint8Array(n);
    for (let i = 0; i < n; i++) found[i] = kind[data.kind[i]] || lower[i].includes(wanted) ? 1 : 0;
    return found;
  };

  // The ops that match, by a column.
  const list = (key, falling, found) => {
    const order = by(key), kept = found ? order.filter((i) => found[i]) : order.slice();
    return falling ? kept.reverse() : kept;
  };
  return { columns, matches, list };
};
