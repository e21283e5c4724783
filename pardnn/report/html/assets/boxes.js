// Rectangles for weights (Bruls, Huizing, van Wijk: Squarified treemaps, 2000), and scopes as groups of names.
"use strict";
{
  // Lay `items` ({weight}, falling) out in a rectangle; returns [item, x, y, width, height].
  report.squares = (items, x, y, width, height) => {
    const placed = [];
    let left = items.reduce((sum, item) => sum + item.weight, 0), at = 0;
    while (at < items.length && left > 0 && width > 0 && height > 0) {
      const side = Math.min(width, height), scale = (width * height) / left;
      let sum = 0, end = at, worst = Infinity;
      for (; end < items.length; end++) {
        const next = sum + items[end].weight, area = next * scale;
        const most = items[at].weight * scale, least = items[end].weight * scale;
        const ratio = Math.max((side * side * most) / (area * area), (area * area) / (side * side * least));
        if (ratio > worst) break;
        [sum, worst] = [next, ratio];
      }
      const depth = (sum * scale) / side;
      let along = 0;
      for (; at < end; at++) {
        const length = (items[at].weight * scale) / depth;
        placed.push(width >= height ? [items[at], x, y + along, depth, length] : [items[at], x + along, y, length, depth]);
        along += length;
      }
      if (width >= height) [x, width] = [x + depth, width - depth];
      else [y, height] = [y + depth, height - depth];
      left -= sum;
    }
    return placed;
  };

  const sum = (share) => share.reduce((a, b) => a + b, 0);

  // {name, ops, share: work per device, weight: all of it, start, op}; where nothing takes time, ops are counted.
  const grouped = (data, counted, name, ops, start, op = -1) => {
    const share = new Float64Array(data.values.devices.length);
    for (const one of ops) share[data.device[one]] += counted ? 1 : data.time[one];
    return { name, ops, share, weight: sum(share), start, op };
  };

  // What a scope holds one level down, the heaviest first: scopes, and ops (`op` >= 0) of its own.
  // start: where in the names the part after this scope begins. The lightest become one, so that there are at most `most`.
  report.inside = (data, ops, start, most) => {
    const scopes = new Map(), own = [];
    let counted = true;
    for (const op of ops) {
      const slash = data.names[op].indexOf("/", start);
      if (data.time[op]) counted = false;
      if (slash < 0) {
        own.push(op);
        continue;
      }
      const key = data.names[op].slice(start, slash), group = scopes.get(key);
      if (group) group.push(op);
      else scopes.set(key, [op]);
    }
    const longest = own.length > most ? Array.from(report.sorted(own, data.time)).reverse() : own;
    const found = Array.from(scopes, ([key, members]) => grouped(data, counted, key, members, start + key.length + 1));
    for (const op of longest.slice(0, most)) found.push(grouped(data, counted, data.names[op].slice(start), [op], start, op));
    found.sort((a, b) => b.weight - a.weight);
    const hidden = longest.slice(most), number = found.length + hidden.length;
    if (number <= most) return found;
    const rest = found.slice(most - 1).flatMap((one) => one.ops).concat(hidden);
    const name = `${report.count(number - most + 1)} smaller`;
    return [...found.slice(0, most - 1), grouped(data, counted, name, rest, -1)].sort((a, b) => b.weight - a.weight);
  };
}
