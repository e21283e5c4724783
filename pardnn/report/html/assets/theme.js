// Light or dark: as the system has it until the button says otherwise; paper is always light.
"use strict";
{
  const root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)");
  const listeners = [];
  let chosen = null, printing = false;

  const isDark = () => !printing && (chosen === null ? dark.matches : chosen);
  const apply = (now = false) => {
    root.dataset.theme = isDark() ? "dark" : "light";
    const button = report.byId("theme");
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-pressed", String(isDark()));
    button.setAttribute("aria-label", isDark() ? "Light colours" : "Dark colours");
    for (const listener of listeners) (now ? listener.now ?? listener : listener)();
  };

  report.theme = {
    listen: (listener) => listeners.push(listener),
    // A colour of the style sheet, for what is drawn.
    colour: (name) => getComputedStyle(root).getPropertyValue(`--${name}`).trim(),
    device: (d) => report.theme.colour(`dev${d % 8}`),
  };
  report.byId("theme").addEventListener("click", () => { chosen = !isDark(); apply(); });
  dark.addEventListener("change", () => apply());
  const print = (begins) => {
    printing = begins;
    root.classList.toggle("paper", begins); // as wide as a page, so that pictures are drawn for it
    for (const fit of report.fits) fit();
    apply(true);
  };
  addEventListener("beforeprint", () => print(true));
  addEventListener("afterprint", () => print(false));
  apply();
}
