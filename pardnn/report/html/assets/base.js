// Helpers of all parts. Text goes in as text only: nothing here or below makes markup from a string.
"use strict";
const report = {};

// An element with properties; children are elements or texts.
report.element = (name, properties = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("aria-") || key.startsWith("data-") || key === "role") made.setAttribute(key, value);
    else made[key] = value;
  }
  made.append(...children);
  return made;
};

report.byId = (id) => document.getElementById(id);

// Three significant digits in the largest unit that leaves at least 1.
const scaled = (value, units) => {
  let [name, factor] = units[0];
  for (const unit of units) if (Math.abs(value) * 2000 >= unit[1] * 1999) [name, factor] = unit;
  if (factor === 1) return `${Math.round(value)} ${name}`;
  const number = value / factor, size = Math.abs(number);
  return `${number.toFixed(size < 9.995 ? 2 : size < 99.95 ? 1 : 0)} ${name}`;
};
report.time = (ns) => scaled(ns, [["ns", 1], ["us", 1e3], ["ms", 1e6], ["s", 1e9]]);
report.size = (bytes) => scaled(bytes, [["B", 1], ["KiB", 2 ** 10], ["MiB", 2 ** 20], ["GiB", 2 ** 30], ["TiB", 2 ** 40]]);
report.count = (number) => number.toLocaleString("en");

// Labels of an axis in one unit, with as many digits as tell them apart.
report.timeAxis = (_, splits) => {
  const units = [["ns", 1], ["us", 1e3], ["ms", 1e6], ["s", 1e9]];
  const most = Math.max(...splits.map(Math.abs)), step = splits.length > 1 ? Math.abs(splits[1] - splits[0]) : most;
  let [name, factor] = units[0];
  for (const unit of units) if (most >= unit[1]) [name, factor] = unit;
  const digits = Math.max(0, Math.min(6, Math.ceil(-Math.log10(step / factor || 1) - 1e-9)));
  return splits.map((value) => (value === 0 ? "0" : `${(value / factor).toFixed(digits)} ${name}`));
};
// The first index of a rising array whose value is above (or at, with `at`) a bound.
report.above = (array, bound, at = false) => {
  let low = 0, high = array.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (array[middle] > bound || (at && array[middle] === bound)) high = middle;
    else low = middle + 1;
  }
  return low;
};

// The items in rising order of their value, equal ones by number. Value and number go into one double where both fit,
// since sorting plain numbers is ten times as fast as calling a comparison.
const NUMBERS = 2 ** 18;
report.sorted = (items, value) => {
  let most = 0, last = 0;
  for (const i of items) [most, last] = [Math.max(most, value[i]), Math.max(last, i)];
  if (last >= NUMBERS || most >= 2 ** 35) return Uint32Array.from(items).sort((a, b) => value[a] - value[b] || a - b);
  const both = new Float64Array(items.length);
  items.forEach((i, at) => { both[at] = value[i] * NUMBERS + i; });
  both.sort();
  return Uint32Array.from(both, (one) => one % NUMBERS);
};

// The places of texts in rising order, numbers in them as people count: a_2 before a_10. A number's length goes before
// its digits, so that plain texts are compared, which is quicker than the browser's own way for 200,000 names.
report.natural = (texts) => {
  const key = (digits) => {
    const bare = digits.replace(/^0+(?=.)/, "");
    return `0${String.fromCharCode(bare.length)}${bare}`;
  };
  const keys = texts.map((text) => text.replace(/[0-9]+/g, key));
  return Uint32Array.from(texts.keys()).sort((a, b) => (keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : a - b));
};

// Calls in one frame become one; `now` does it at once, for paper does not wait for a frame.
report.once = (work) => {
  let waiting = false;
  const call = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; work(); });
  };
  call.now = work;
  return call;
};

// Work to be done whenever a box has another width, and for paper.
report.fits = [];
report.onWidth = (box, work) => {
  let width = box.clientWidth;
  const fit = () => {
    if (!box.clientWidth || box.clientWidth === width) return;
    width = box.clientWidth;
    work(width);
  };
  report.fits.push(fit);
  new ResizeObserver(report.once(fit)).observe(box);
};
