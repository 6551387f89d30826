// The page of results: answers while one types, documents with their passages, filters. The address has the whole state.

import { completions, hitsOf, rank, spellings, strength, understand } from "./search.js";
import { element, map, say, says, snippet } from "./texts.js";

/** @typedef {import("./files.js").Files} Files */
/** @typedef {import("./files.js").Entry} Entry */
/** @typedef {import("./search.js").Query} Query */
/** @typedef {import("./search.js").Ranking} Ranking */
/** @typedef {{name: string, values: [string, string][], documents: number[][], ranges: boolean}} Facet */

const WAIT = 120, PAGE = 10, VALUES = 8, OFFERED = 24, LOOKED = 40, AHEAD = "60px";

/** @param {Files} files @param {HTMLInputElement} box @param {HTMLElement} place */
export function results(files, box, place) {
  const welcome = [...place.childNodes];
  const base = document.title;
  let number = 0; // of the newest search
  let timer = 0, typing = false;

  /** @returns {{q: string, chosen: [string, string][]}} */
  function state() {
    const given = new URLSearchParams(location.search);
    const chosen = given.getAll("in").map((each) => /** @type {[string, string]} */ ([each.split(":")[0], each.slice(each.indexOf(":") + 1)]));
    return { q: given.get("q") ?? "", chosen };
  }

  /** @param {string} q @param {[string, string][]} chosen */
  function address(q, chosen) {
    const given = new URLSearchParams();
    if (q.trim()) given.set("q", q);
    for (const [name, value] of chosen) given.append("in", `${name}:${value}`);
    return given.size ? `?${given}` : location.pathname;
  }

  /** @param {boolean} unfinished */
  async function show(unfinished = false) {
    const { q, chosen } = state();
    const own = ++number;
    const empty = !q.trim() && !chosen.length;
    document.body.classList.toggle("home", empty);
    document.title = q ? `${q} – ${base}` : base;
    if (empty) return void place.replaceChildren(...welcome);
    try {
      const made = await answer(files, q, chosen, unfinished, (nq, nchosen) => address(nq, nchosen));
      if (own === number) place.replaceChildren(...made);
    } catch (error) {
      if (own !== number) return;
      console.warn(error);
      place.replaceChildren(element("p", { class: "mistake", role: "alert" }, place.dataset.failed ?? ""));
    }
  }

  /** @param {string} to @param {boolean} push */
  function go(to, push) {
    if (push && new URL(to, location.href).href !== location.href) history.pushState(null, "", to);
    else history.replaceState(null, "", to);
  }

  box.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      go(address(box.value, state().chosen), !typing);
      typing = true; // one entry in the history for all that is typed in one go
      show(true);
      offer();
    }, WAIT);
  });
  box.addEventListener("change", () => (typing = false));
  box.form?.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    go(address(box.value, state().chosen), !typing);
    typing = false;
    show();
  });
  place.addEventListener("click", (event) => {
    const link = /** @type {Element} */ (event.target).closest("a");
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
    const url = new URL(link.href);
    if (url.origin !== location.origin || url.pathname !== location.pathname || (url.hash && !url.search)) return;
    event.preventDefault();
    go(url.search || url.pathname, true);
    box.value = state().q;
    show();
  });
  addEventListener("popstate", () => {
    box.value = state().q;
    show();
  });

  // Words that begin like the last one, in a list that the browser shows.
  const list = element("datalist", { id: "words" });
  box.after(list);
  box.setAttribute("list", "words");
  async function offer() {
    const typed = box.value;
    const [, before, word] = /^(.*?)([\p{L}\p{N}]{3,})$/u.exec(typed) ?? [];
    const found = word ? await completions(files, word.toLowerCase(), VALUES) : [];
    if (typed === box.value) list.replaceChildren(...found.map((each) => element("option", { value: before + each.word })));
  }

  box.value = state().q;
  if (state().q || state().chosen.length) show();
  else box.addEventListener("focus", () => files.rows().catch(() => {}), { once: true }); // while one types
}

/** Returns the nodes of an answer.
 * @param {Files} files @param {string} q @param {[string, string][]} chosen @param {boolean} unfinished
 * @param {(q: string, chosen: [string, string][]) => string} address */
async function answer(files, q, chosen, unfinished, address) {
  const entry = await files.entry();
  const asksWords = q.trim() !== "";
  const [rows, query, facets] = await Promise.all([
    files.rows(), understand(files, q, unfinished), chosen.length ? facetsOf(files, entry) : Promise.resolve([]),
  ]);
  const admits = filter(facets, chosen);
  let ranking = rank(rows, query, entry, admits);
  if (!asksWords) {
    const every = [...rows.first.keys()].slice(0, -1).filter(admits ?? (() => true));
    ranking = { ...ranking, documents: every };
  }
  const texts = new Texts(files, entry, query);
  let looked = 0;
  if (query.phrases.length && asksWords) {
    looked = Math.min(LOOKED, ranking.documents.length);
    ranking = await withPhrases(files, rows, ranking, query, texts, looked);
  }
  const many = ranking.documents.length;
  const count = many === 1 ? entry.say.published_count_one : many ? say(entry.say.published_count, { documents: many }) : entry.say.none;
  const found = element("div", { class: "found" }), beside = element("div", { class: "beside" });
  const list = element("ol", { class: "documents" });
  if (looked && looked === LOOKED) found.append(element("p", { class: "notice" }, say(entry.say.published_looked, { many: looked })));
  if (!many) found.append(element("p", { class: "hint" }, entry.say.none_hint));
  found.append(list);
  const nodes = [
    element("h1", { class: "unseen" }, entry.say.results),
    element("p", { class: "count", role: "status", "aria-live": "polite" }, count),
  ];
  if (query.corrected) {
    nodes.push(element("p", { class: "meant" }, `${entry.say.corrected} `, element("strong", { dir: "auto" }, query.corrected), "."));
  }
  nodes.push(element("div", { class: "columns" }, found, beside));
  const pages = element("nav", { class: "pages", "aria-label": entry.say.results });
  const more = element("button", { type: "button" }, entry.say.next_page);
  const add = (/** @type {number} */ first) => {
    const shown = ranking.documents.slice(first, first + PAGE);
    for (const document of shown) list.append(item(files, entry, rows, ranking, document, q, texts));
    pages.replaceChildren(...(first + PAGE < many ? [more] : []));
    more.onclick = () => add(first + PAGE);
  };
  add(0);
  found.append(pages);
  beside.append(...drawer(files, entry, rows, ranking, q, chosen, address));
  return nodes;
}

/** The texts of passages of a query. */
class Texts {
  /** @param {Files} files @param {Entry} entry @param {Query} query */
  constructor(files, entry, query) {
    this.files = files;
    this.entry = entry;
    this.query = query;
    this.forms = spellings(query);
    this.stop = new Set(entry.stop);
  }

  /** The text of a unit, without the title that stands above a snippet.
   * @param {import("./files.js").DocumentFile} file @param {import("./files.js").Unit} unit
   * @param {boolean} [bare] */
  async of(file, unit, bare = false) {
    const pieces = await this.files.pieces(file, unit[1], unit[2]);
    const title = typeof unit[5] === "number" ? file.sections[unit[5]][0] : "";
    return (bare && pieces.length > 1 && pieces[0] === title ? pieces.slice(1) : pieces).join(" ");
  }

  /** Whether a text has all phrases, and none of those after a minus. @param {string} text */
  fits(text) {
    return this.query.phrases.every(({ sign, forms }) => says(text, forms, this.stop, this.entry.join) === (sign !== "-"));
  }
}

/** Leaves passages that have the phrases, in the first documents.
 * @param {Files} files @param {import("./files.js").Rows} rows @param {Ranking} ranking @param {Query} query
 * @param {Texts} texts @param {number} many */
async function withPhrases(files, rows, ranking, query, texts, many) {
  const names = await files.documents();
  const fits = new Uint8Array(ranking.fits.length);
  const kept = [];
  await Promise.all(
    ranking.documents.slice(0, many).map(async (document) => {
      const file = await files.document(names[document][1]);
      for (let row = rows.first[document]; row < rows.first[document + 1]; row++) {
        const unit = file.units[row - rows.first[document]];
        if (ranking.fits[row] && unit && texts.fits(await texts.of(file, unit))) fits[row] = 1;
      }
    }),
  );
  for (const document of ranking.documents.slice(0, many)) {
    if (fits.subarray(rows.first[document], rows.first[document + 1]).includes(1)) kept.push(document);
  }
  return { ...ranking, fits, documents: kept };
}

/** A document of the list, which is filled when it comes near the window.
 * @param {Files} files @param {Entry} entry @param {import("./files.js").Rows} rows @param {Ranking} ranking
 * @param {number} document @param {string} q @param {Texts} texts */
function item(files, entry, rows, ranking, document, q, texts) {
  const made = /** @type {HTMLElement} */ (element("li", { class: "document", "aria-busy": "true" }, element("p", { class: "hint" }, entry.say.loading)));
  made.style.minHeight = "28rem"; // about that of three passages, so that no more are loaded than are seen
  const near = new IntersectionObserver(
    (entries) => {
      if (!entries.some((each) => each.isIntersecting)) return;
      near.disconnect();
      fill().catch((error) => {
        console.warn(error);
        made.replaceChildren(element("p", { class: "hint" }, entry.say.published_failed));
      });
    },
    { rootMargin: AHEAD },
  );
  near.observe(made);

  async function fill() {
    const [path, name] = (await files.documents())[document];
    const file = await files.document(name);
    const first = rows.first[document];
    const hits = hitsOf(rows, ranking, document, entry.most);
    const page = new URL(path, files.root);
    if (q) page.searchParams.set("q", q);
    const ticks = [], passages = [];
    for (const { row, score } of hits) {
      const unit = file.units[row - first];
      if (!unit) continue;
      const strong = strength(score, ranking.best);
      ticks.push({ at: unit[3], width: unit[4], strength: strong });
      const link = new URL(page);
      link.hash = unit[0];
      const text = await texts.of(file, unit);
      passages.push(
        element(
          "li", { class: `hit s${strong}`, dir: file.direction, "data-row": String(row), "data-score": String(score) },
          element("a", { class: "go", href: link.href }, crumbs(file, unit[5])),
          element("p", { class: "snippet" }, ...snippet(await texts.of(file, unit, true), texts.forms, entry.join)),
          element("p", { class: "meta" }, element("span", { class: "size" }, say(entry.say.passage_size, { size: text.length }))),
        ),
      );
    }
    const fields = element("p", { class: "fields" });
    file.fields.forEach((field, at) => fields.append(at ? " " : "", element("span", { dir: "auto", ...(field.length < 24 ? { class: "whole" } : {}) }, field)));
    made.replaceChildren(
      element("h2", {}, element("a", { href: page.href }, file.title)),
      ...(file.fields.length ? [fields] : []),
      ...(passages.length ? [map(ticks, entry.say.map), element("ol", { class: "passages" }, ...passages)] : []),
    );
    made.dir = file.direction;
    made.style.minHeight = "";
    made.removeAttribute("aria-busy");
  }
  return made;
}

/** The titles of the sections around a passage. @param {import("./files.js").DocumentFile} file @param {number | string} at */
function crumbs(file, at) {
  if (typeof at === "string") return element("span", { class: "crumbs tag" }, element("span", {}, at));
  const titles = [];
  for (let section = at; section >= 0; section = file.sections[section][1]) titles.unshift(file.sections[section][0]);
  return element("span", { class: "crumbs" }, ...titles.map((title) => element("span", {}, element("bdi", {}, title))));
}

// -- filters ------------------------------------------------------------------------------------------------------------

/** @param {Files} files @param {Entry} entry @returns {Promise<Facet[]>} */
function facetsOf(files, entry) {
  return Promise.all(entry.facets.map(async ([name, file]) => ({ name, ...(await files.json(file)) })));
}

/** Whether a document has one of the values that are chosen of each field. @param {Facet[]} facets
 * @param {[string, string][]} chosen @returns {((document: number) => boolean) | undefined} */
function filter(facets, chosen) {
  if (!chosen.length) return undefined;
  const wanted = new Map();
  for (const [name, value] of chosen) {
    const facet = facets.find((each) => each.name === name);
    if (!facet) continue;
    if (!wanted.has(facet)) wanted.set(facet, new Set());
    wanted.get(facet).add(facet.values.findIndex(([each]) => each === value));
  }
  return (document) => [...wanted].every(([facet, values]) => facet.documents[document].some((/** @type {number} */ each) => values.has(each)));
}

/** The drawer with the fields of the documents that are found; they are loaded where it is open.
 * @param {Files} files @param {Entry} entry @param {import("./files.js").Rows} rows @param {Ranking} ranking
 * @param {string} q @param {[string, string][]} chosen @param {(q: string, chosen: [string, string][]) => string} address */
function drawer(files, entry, rows, ranking, q, chosen, address) {
  if (!entry.facets.length) return [];
  const made = /** @type {HTMLDetailsElement} */ (element("details", { class: "drawer facets" }, element("summary", {}, entry.say.refine)));
  made.open = !matchMedia("(max-width: 900px)").matches || chosen.length > 0;
  const fill = async () => {
    const sections = sectionsOf(await facetsOf(files, entry), entry, rows, ranking, q, chosen, address);
    if (sections.length) made.append(...sections);
    else made.remove();
  };
  if (made.open) fill().catch(console.warn);
  else made.addEventListener("toggle", () => fill().catch(console.warn), { once: true });
  return [made];
}

/** @param {Facet[]} facets @param {Entry} entry @param {import("./files.js").Rows} rows @param {Ranking} ranking
 * @param {string} q @param {[string, string][]} chosen @param {(q: string, chosen: [string, string][]) => string} address */
function sectionsOf(facets, entry, rows, ranking, q, chosen, address) {
  const sections = [];
  for (const { name, values, documents, ranges } of facets) {
    const counts = new Array(values.length).fill(0);
    for (const document of ranking.documents) for (const value of documents[document]) counts[value] += 1;
    const own = new Set(chosen.filter((each) => each[0] === name).map((each) => each[1]));
    let shown = values.map(([value, label], at) => ({ value, label, count: counts[at] })).filter((each) => each.count || own.has(each.value));
    if (!ranges) shown.sort((one, other) => Number(own.has(other.value)) - Number(own.has(one.value)) || other.count - one.count);
    shown = shown.slice(0, OFFERED);
    if (shown.length < 2 && !own.size) continue;
    const lines = shown.map(({ value, label, count }) => {
      const is = own.has(value);
      const others = chosen.filter((each) => each[0] !== name || each[1] !== value);
      const to = address(q, is ? others : [...chosen, [name, value]]);
      /** @type {Record<string, string>} */
      const attributes = is ? { class: "chosen", "aria-current": "true", title: say(entry.say.take_away, { value }) } : {};
      return element("li", {}, element("a", { href: to, ...attributes }, element("span", { dir: "auto" }, label), " ", element("span", { class: "n" }, String(count))));
    });
    const section = element("section", {}, element("h3", {}, name), element("ul", {}, ...lines.slice(0, ranges ? OFFERED : VALUES)));
    const rest = ranges ? [] : lines.slice(VALUES);
    if (rest.length) {
      section.append(element("details", { class: "rest" }, element("summary", {}, say(entry.say.more_values, { many: rest.length })), element("ul", {}, ...rest)));
    }
    sections.push(section);
  }
  return sections;
}
