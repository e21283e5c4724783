// What part of the step is in view and which op is chosen; all pictures share it.
"use strict";
report.view = (makespan) => {
  const listeners = [], choosers = [];
  const whole = Math.max(makespan, 1), least = Math.min(whole, 20);
  const view = {
    from: 0, to: whole, chosen: -1, matches: null, whole,
    listen: (listener) => listeners.push(listener),
    onChoose: (listener) => choosers.push(listener),
    set: (from, to) => {
      const span = Math.min(whole, Math.max(least, to - from));
      from = Math.min(Math.max(0, (from + to - span) / 2), whole - span);
      if (from === view.from && from + span === view.to) return;
      [view.from, view.to] = [from, from + span];
      for (const listener of listeners) listener();
    },
    // Zoom by a factor around a moment.
    zoom: (factor, at = (view.from + view.to) / 2) =>
      view.set(at - (at - view.from) * factor, at + (view.to - at) * factor),
    move: (share) => {
      const by = share * (view.to - view.from);
      view.set(view.from + by, view.to + by);
    },
    all: () => view.set(0, whole),
    choose: (op, from) => {
      view.chosen = op;
      for (const listener of choosers) listener(op, from);
    },
    refresh: () => { for (const listener of listeners) listener(); },
  };
  return view;
};
