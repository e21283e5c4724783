// Lanes of a timeline: a device with what it runs, a link with what it carries; each sorted by time.
"use strict";
{
  // items: numbers of ops or transfers; start, time: columns over all of them.
  const lane = (label, kind, device, items, start, time) => {
    const sorted = report.sorted(items, start), starts = Float64Array.from(sorted, (i) => start[i]);
    const ends = Float64Array.from(sorted, (i) => start[i] + time[i]);
    const reached = ends.slice(); // the latest end so far: rising, so it can be searched even where bars overlap
    for (let i = 1; i < reached.length; i++) reached[i] = Math.max(reached[i], reached[i - 1]);
    return { label, kind, device, items: sorted, starts, ends, reached };
  };

  const split = (of, count) => {
    const sizes = new Uint32Array(count);
    for (const d of of) sizes[d]++;
    const found = Array.from(sizes, (n) => new Uint32Array(n)), next = new Uint32Array(count);
    for (let i = 0; i < of.length; i++) found[of[i]][next[of[i]]++] = i;
    return found;
  };

  const links = (data) => {
    const { links, paths, devices } = data.values;
    const held = links.map(() => []);
    for (let t = 0; t < data.sent_op.length; t++) {
      for (const link of paths[data.sent_from[t] * devices.length + data.sent_to[t]]) held[link].push(t);
    }
    return held.map((items, link) => lane(links[link], "link", -1, Uint32Array.from(items), data.sent_start, data.sent_time));
  };

  // From the top: each device with the links named after it, then all other links; links that carry nothing are left out.
  report.lanes = (data) => {
    const { devices } = data.values, found = [];
    const carrying = links(data).filter((one) => one.items.length);
    split(data.device, devices.length).forEach((items, d) => {
      const own = carrying.filter((one) => one.label === `${devices[d]} out` || one.label === `${devices[d]} in`);
      found.push(lane(devices[d], "device", d, items, data.start, data.time));
      for (const one of own) found.push({ ...one, device: d, label: one.label.slice(devices[d].length + 1) });
    });
    const named = new Set(devices.flatMap((name) => [`${name} out`, `${name} in`]));
    return found.concat(carrying.filter((one) => !named.has(one.label)));
  };

  // The bars of a lane that touch a span, as [first, end) of its sorted items.
  report.within = (one, from, to) => [report.above(one.reached, from), report.above(one.starts, to, true)];

  // The bar at a moment, the shortest of several, or the nearest one within `slack`; -1 where there is none.
  report.barAt = (one, at, slack) => {
    let best = -1, least = Infinity;
    const [first, end] = report.within(one, at - slack, at + slack);
    for (let i = first; i < end; i++) {
      const apart = Math.max(one.starts[i] - at, at - one.ends[i], 0);
      if (apart > slack) continue;
      const rank = apart * 1e6 + (one.ends[i] - one.starts[i]);
      if (rank < least) [best, least] = [i, rank];
    }
    return best;
  };
}
