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

  const weigh = (data, ops, byCount) => {
    const share = new Float64Array(data.values.devices.length);
    for (const op of ops) share[data.device[op]] += byCount ? 1 : data.time[op];
    return share;
  };

  // What a scope holds one level down: {name, start, ops, share, weight, op}, the heaviest first; `op` >= 0 is a single op.
  // start: where in the names the part after this scope begins. The lightest become one, so that there are at most `most`.
  report.inside = (data, ops, start, most) => {
    const groups = new Map();
    for (const op of ops) {
      const slash = data.names[op].indexOf("/", start);
      const key = slash < 0 ? op : data.names[op].slice(start, slash);
      const group = groups.get(key);
      if (group) group.push(op);
      else groups.set(key, [op]);
    }
    let total = 0;
    for (const op of ops) total += data.time[op];
    const found = Array.from(groups, ([key, members]) => {
      const share = weigh(data, members, !total), single = typeof key === "number";
      return {
        name: single ? data.names[key].slice(start) : key, op: single ? key : -1, ops: members, share,
        start: single ? start : start + key.length + 1, weight: share.reduce((a, b) => a + b, 0),
      };
    }).sort((a, b) => b.weight - a.weight);
    if (found.length <= most) return found;
    const rest = found.slice(most - 1), members = rest.flatMap((one) => one.ops), share = weigh(data, members, !total);
    const other = { name: `${report.count(rest.length)} smaller`, op: -1, ops: members, share, start: -1 };
    return [...found.slice(0, most - 1), { ...other, weight: share.reduce((a, b) => a + b, 0) }];
  };
}
