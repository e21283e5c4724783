// Everything in its order: first what is seen first, the rest when the page stands.
"use strict";
{
  const pause = () => new Promise((done) => setTimeout(done));

  const step = async () => {
    const data = await report.read("timeline");
    if (!data) return;
    data.names = report.names(data.prefix, data.suffix);
    data.last = (op) => data.names[op].slice(data.names[op].lastIndexOf("/") + 1);
    const view = report.view(data.values.makespan), range = report.byId("range");
    const tell = () => { range.textContent = `${view.from ? report.time(view.from) : "0"} to ${report.time(view.to)}`; };
    view.listen(tell);
    tell();
    report.timeline(report.byId("timeline-plot"), data, view);
    report.card(document.querySelectorAll(".card"), data, view);
    await pause();
    const memory = await report.read("memory");
    if (memory) report.memory(memory, view);
    await pause();
    report.table(report.byId("ops-grid"), report.byId("search"), report.byId("found"), data, view);
    await pause();
    // The graph's boxes take longest and are far down: they are made as they come near.
    const boxes = report.byId("boxes");
    let made = false;
    const make = () => {
      if (!made) report.scopes(boxes, report.byId("path"), data, view);
      made = true;
    };
    const near = (seen) => { if (seen.some((one) => one.isIntersecting)) make(); };
    new IntersectionObserver(near, { rootMargin: "800px" }).observe(boxes);
    addEventListener("beforeprint", make);
  };

  const charts = async () => {
    for (const box of document.querySelectorAll("[data-lines]")) {
      const data = await report.read(box.dataset.lines);
      report.lines(box, data.values);
    }
  };

  const failed = (error) => {
    const text = "This browser is too old for the pictures (needed: one of 2023 or later). The tables stand below.";
    report.byId("report").prepend(report.element("p", { className: "failed" }, text));
    throw error;
  };

  Promise.all([step(), charts()]).then(() => { document.documentElement.dataset.ready = "yes"; }, failed);
}
