// A document that was found: its matching passages as a chain from top to bottom, its words marked.

import { hitsOf, rank, spellings, strength, understand } from "./search.js";
import { element, map, markAll, say } from "./texts.js";

/** @typedef {import("./files.js").Files} Files */

const CALM = matchMedia("(prefers-reduced-motion: reduce)");
const MANY = 200;

/** @param {Files} files @param {HTMLElement} article */
export async function chain(files, article) {
  const q = new URLSearchParams(location.search).get("q")?.trim();
  if (!q) return;
  const [entry, rows, names, query] = await Promise.all([files.entry(), files.rows(), files.documents(), understand(files, q, false)]);
  const own = names.findIndex(([path]) => new URL(path, files.root).pathname === location.pathname);
  if (own < 0) return;
  const ranking = rank(rows, query, entry, (document) => document === own);
  const file = await files.document(names[own][1]);
  const forms = spellings(query);
  const part = article.querySelector(".part");
  if (part) markAll(part, forms, entry.join);
  /** @type {{place: HTMLElement, unit: import("./files.js").Unit, strength: number}[]} */ const passages = [];
  for (const { row, score } of hitsOf(rows, ranking, own, MANY).sort((one, other) => one.row - other.row)) {
    const unit = file.units[row - rows.first[own]];
    const place = unit && unit[0] ? document.getElementById(unit[0]) : part;
    if (!unit || !place || passages.some((each) => each.place === place)) continue;
    passages.push({ place: /** @type {HTMLElement} */ (place), unit, strength: strength(score, ranking.best) });
  }
  const many = passages.length;
  const home = new URL(files.root);
  home.searchParams.set("q", q);
  const back = () => element("a", { class: "back", href: home.href }, entry.say.back_to_results);
  const count = many === 1 ? entry.say.one_passage_here : many ? say(entry.say.passages_here, { many }) : entry.say.no_passage_here;
  const begin = element("p", { class: "chain begin", role: "status" }, back(), element("span", { class: "count" }, count));
  article.querySelector("header")?.append(begin);
  if (!many) return;

  passages.forEach(({ place, strength: strong }, at) => {
    place.classList.add("passage", `s${strong}`);
    place.tabIndex = -1;
    const last = at + 1 === many;
    const on = element("a", { class: last ? "up" : "down", href: last ? "#top" : `#${passages[at + 1].place.id}` }, last ? entry.say.to_beginning : entry.say.next_passage);
    if (!last) on.addEventListener("click", (event) => lead(event, at + 1));
    const number = element("span", { class: "count" }, say(entry.say.passage_of, { place: at + 1, many }));
    const arrows = element("span", { class: "chain" }, number, back(), on);
    if (place.matches("p, div, section, li, dd, blockquote, figure, article")) place.append(arrows);
    else (place.closest(".scroll") ?? place).after(arrows);
  });
  const down = element("a", { class: "down", href: `#${passages[0].place.id}` }, entry.say.first_passage);
  down.addEventListener("click", (event) => lead(event, 0));
  begin.prepend(down, " ");
  begin.after(map(passages.map(({ unit, strength: strong }) => ({ at: unit[3], width: unit[4], strength: strong })), entry.say.map));
  heat(passages);

  // The bar at the foot of the window.
  let now = -1;
  const said = element("span", { class: "count", "aria-live": "polite" }, count);
  const before = element("a", { class: "before", href: "#top", "aria-label": entry.say.key_up }, "↑");
  const next = element("a", { class: "next", href: "#top", "aria-label": entry.say.next_passage }, "↓");
  const bar = element("nav", { class: "lead", "aria-label": count }, element("a", { class: "back", href: home.href, "aria-label": entry.say.back_to_results }, entry.say.results), said, before, next);
  document.body.append(bar);
  next.addEventListener("click", (event) => lead(event, now + 1));
  before.addEventListener("click", (event) => lead(event, now - 1));
  document.addEventListener("trix:next", () => show(now + 1));
  document.addEventListener("trix:before", () => show(now - 1));

  /** @param {Event} event @param {number} at */
  function lead(event, at) {
    event.preventDefault();
    show(at);
  }

  /** @param {number} at @param {boolean} [calm] */
  function show(at, calm = CALM.matches) {
    now = (at + many) % many;
    const { place } = passages[now];
    for (let each = place.closest("details:not([open])"); each; each = each.parentElement?.closest("details:not([open])") ?? null) {
      /** @type {HTMLDetailsElement} */ (each).open = true;
    }
    const block = place.offsetHeight > innerHeight * 0.7 ? "start" : "center";
    place.scrollIntoView({ block, behavior: calm ? "instant" : "smooth" });
    place.focus({ preventScroll: true });
    said.textContent = say(entry.say.passage_of, { place: now + 1, many });
    if (place.id) history.replaceState(null, "", `${location.pathname}${location.search}#${place.id}`);
  }

  const asked = passages.findIndex(({ place }) => place.id && place.id === decodeURIComponent(location.hash.slice(1)));
  if (asked >= 0) show(asked, true);
}

/** Shows in the table of contents where the passages are. @param {{place: HTMLElement, strength: number}[]} passages */
function heat(passages) {
  for (const link of document.querySelectorAll(".contents a[href^='#']")) {
    const section = document.getElementById(decodeURIComponent(/** @type {HTMLAnchorElement} */ (link).hash.slice(1)));
    const inside = section ? passages.filter(({ place }) => section.contains(place)) : [];
    if (!inside.length) continue;
    link.classList.add(`s${Math.max(...inside.map((each) => each.strength))}`);
    link.append(" ", element("span", { class: "n" }, String(inside.length)));
  }
}
