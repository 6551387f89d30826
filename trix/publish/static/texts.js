// Marked words and snippets.

import { located } from "./words.js";

/** Places of words in a text. @param {string} text @param {Set<string>} forms @param {string} [join] */
export function places(text, forms, join) {
  return located(text, join).filter((each) => forms.has(each.word));
}

/** Whether a text has words side by side, each in any of its forms; stop words between them are of no matter.
 * @param {string} text @param {Set<string>[]} phrase @param {Set<string>} stop @param {string} [join] */
export function says(text, phrase, stop, join) {
  const words = located(text, join).map((each) => each.word).filter((each) => !stop.has(each));
  return words.some((_, at) => phrase.every((forms, step) => forms.has(words[at + step])));
}

const AROUND = 90, LONGEST = 260;

/** The part of a text with most different words, as nodes with marks.
 * @param {string} text @param {Set<string>} forms @param {string} [join] @returns {(string | Node)[]} */
export function snippet(text, forms, join) {
  const found = places(text, forms, join);
  let best = 0, most = 0;
  found.forEach((each, at) => {
    const near = new Set();
    for (let next = at; next < found.length && found[next].end - each.begin < LONGEST - AROUND; next++) near.add(found[next].word);
    if (near.size > most) [best, most] = [at, near.size];
  });
  let begin = found.length ? Math.max(0, found[best].begin - AROUND) : 0;
  if (begin) begin = text.indexOf(" ", begin) + 1;
  let end = Math.min(text.length, begin + LONGEST);
  if (end < text.length) end = Math.max(text.lastIndexOf(" ", end), found.length ? found[best].end : 0);
  const nodes = marked(text.slice(begin, end), found.map((each) => ({ ...each, begin: each.begin - begin, end: each.end - begin })));
  return [begin ? "… " : "", ...nodes, end < text.length ? " …" : ""];
}

/** @param {string} text @param {{begin: number, end: number}[]} found @returns {(string | Node)[]} */
export function marked(text, found) {
  const nodes = [];
  let at = 0;
  for (const { begin, end } of found) {
    if (begin < at || end > text.length) continue;
    const mark = document.createElement("mark");
    mark.textContent = text.slice(begin, end);
    nodes.push(text.slice(at, begin), mark);
    at = end;
  }
  return [...nodes, text.slice(at)];
}

/** Marks words in all texts of an element. @param {Element} root @param {Set<string>} forms @param {string} [join] */
export function markAll(root, forms, join) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  /** @type {Text[]} */ const texts = [];
  while (walker.nextNode()) texts.push(/** @type {Text} */ (walker.currentNode));
  for (const text of texts) {
    const found = places(text.data, forms, join);
    if (found.length && !text.parentElement?.closest("math, .chain")) text.replaceWith(...marked(text.data, found));
  }
}

/** Makes an element with attributes and content.
 * @param {string} name @param {Record<string, string>} [attributes] @param {(string | Node)[]} content */
export function element(name, attributes = {}, ...content) {
  const svg = name === "svg" || name === "rect";
  const made = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...content);
  return made;
}

/** The map of a document: where its passages are. @param {{at: number, width: number, strength: number}[]} ticks
 * @param {string} label */
export function map(ticks, label) {
  const made = element("svg", { class: "map", viewBox: "0 0 1000 8", preserveAspectRatio: "none", role: "img", "aria-label": label });
  made.append(element("rect", { class: "ground", width: "1000", height: "8", rx: "2" }));
  for (const { at, width, strength } of [...ticks].sort((one, other) => one.strength - other.strength)) {
    made.append(element("rect", { class: `s${strength}`, x: String(Math.min(996, at)), width: String(Math.max(4, width)), height: "8" }));
  }
  return made;
}

/** Fills values into words of the pages. @param {string} text @param {Record<string, string | number>} values */
export function say(text, values) {
  return text.replace(/\{(\w+)\}/g, (all, name) => {
    const value = values[name];
    return value === undefined ? all : typeof value === "number" ? value.toLocaleString("en") : value;
  });
}
