// The search of a site: the chain of the preset `static`, computed from the search files. See docs/spec/site.md.

import { QUIET, RETURNED } from "./files.js";
import { nearest, read } from "./words.js";

/** @typedef {import("./files.js").Files} Files */
/** @typedef {import("./files.js").Rows} Rows */
/** @typedef {import("./files.js").Postings} Postings */
/** @typedef {{word: string, sign: string, postings: Postings}} Term */
/** @typedef {{terms: Term[], phrases: {sign: string, forms: Set<string>[]}[], corrected: string, stopped: string[]}} Query */
/** @typedef {{row: number, score: number}} Hit */
/** @typedef {{key: Float64Array, score: Float64Array, fits: Uint8Array, documents: number[], best: number}} Ranking
 *   `key` of each row by which it ranks, `fits` whether it may be shown, `documents` in rank order, `best` score. */

/** Returns a query with the postings of its words. A word that no document has is replaced by one that begins with it
 * while it is being typed, else by the nearest spelling.
 * @param {Files} files @param {string} text @param {boolean} typing @returns {Promise<Query>} */
export async function understand(files, text, typing) {
  const entry = await files.entry();
  const stop = new Set(entry.stop);
  const chunks = read(text, entry.join);
  /** @type {{word: string, sign: string, keys: number[]}[]} */ const found = [];
  const stopped = [], phrases = [];
  let corrected = text;
  const last = chunks.at(-1);
  for (const chunk of chunks) {
    const own = [];
    for (const [at, word] of chunk.words.entries()) {
      if (stop.has(word)) {
        stopped.push(word);
        continue;
      }
      const unfinished = typing && chunk === last && at === chunk.words.length - 1 && /[\p{L}\p{N}]$/u.test(text);
      const fixed = chunk.phrase || chunk.sign === "-";
      const { word: taken, keys } = await lookUp(files, word, unfinished, fixed);
      if (taken !== word && taken && !unfinished) corrected = replaced(corrected, word, taken);
      own.push({ word: taken || word, sign: chunk.sign, keys });
    }
    if (chunk.phrase) phrases.push({ sign: chunk.sign, words: own });
    if (!(chunk.phrase && chunk.sign === "-")) found.push(...own);
  }
  const made = new Map();
  const ready = async (/** @type {{word: string, sign: string, keys: number[]}} */ each) => {
    if (!made.has(each.word)) made.set(each.word, postingsOf(files, each.word, each.keys));
    return { word: each.word, sign: each.sign, postings: await made.get(each.word) };
  };
  const [terms, inPhrases] = await Promise.all([
    Promise.all(found.map(ready)),
    Promise.all(phrases.map(async ({ sign, words }) => ({ sign, forms: (await Promise.all(words.map(ready))).map(formsOf) }))),
    files.rows(),
  ]);
  return { terms, phrases: inPhrases, corrected: corrected === text ? "" : corrected, stopped };
}

/** @param {Files} files @param {string} word @param {boolean} unfinished @param {boolean} fixed */
async function lookUp(files, word, unfinished, fixed) {
  const { words, counts, keys } = await files.words(word);
  let at = words.indexOf(word);
  if (at < 0 && unfinished) {
    words.forEach((each, place) => {
      if (each.startsWith(word) && (at < 0 || counts[place] > counts[at])) at = place;
    });
  }
  if (at < 0 && !fixed) at = words.indexOf(nearest(word, words, counts));
  return at < 0 ? { word: "", keys: [] } : { word: words[at], keys: keys[at] };
}

/** The words that begin with another, the frequent ones first.
 * @param {Files} files @param {string} word @param {number} most */
export async function completions(files, word, most) {
  const { words, counts } = await files.words(word);
  const found = words.map((each, at) => ({ word: each, count: counts[at] })).filter((each) => each.word.startsWith(word));
  return found.sort((one, other) => other.count - one.count).slice(0, most);
}

/** @param {string} text @param {string} word @param {string} other */
function replaced(text, word, other) {
  const at = text.toLowerCase().indexOf(word);
  return at < 0 ? text : text.slice(0, at) + other + text.slice(at + word.length);
}

/** Postings of a word, of several keys together where it has one in each of several languages.
 * @param {Files} files @param {string} word @param {number[]} keys @returns {Promise<Postings>} */
async function postingsOf(files, word, keys) {
  const lists = await Promise.all(keys.map((key) => files.postings(key)));
  const forms = [...new Set(lists.flatMap((each) => (each.forms.length ? each.forms : [word])))];
  if (lists.length === 1) return { ...lists[0], forms };
  const sums = new Map(), titled = new Set();
  for (const each of lists) {
    each.rows.forEach((row, at) => sums.set(row, (sums.get(row) ?? 0) + each.tf[at]));
    each.titled.forEach((row) => titled.add(row));
  }
  const rows = Int32Array.from(sums.keys()).sort();
  return {
    m: lists.reduce((sum, each) => sum + each.m, 0),
    cf: lists.reduce((sum, each) => sum + each.cf, 0),
    rows, tf: rows.map((row) => sums.get(row)), titled: Int32Array.from(titled).sort(), forms,
  };
}

/** @param {Term} term */
const formsOf = (term) => new Set(term.postings.forms);

/** All spellings of the words of a query, without those after a minus. @param {Query} query */
export function spellings(query) {
  return new Set(query.terms.filter((term) => term.sign !== "-").flatMap((term) => term.postings.forms));
}

/** Scores all rows: language model with Dirichlet smoothing, and the share of the words that titles around hold.
 * @param {Rows} rows @param {Query} query @param {{N: number, C: number, mu: number, factor: number}} entry
 * @param {(document: number) => boolean} [admits] @returns {Ranking} */
export function rank(rows, query, entry, admits) {
  const { parent, kind, keys, of } = rows;
  const n = parent.length;
  const score = new Float64Array(n), kf = new Int32Array(n);
  const matched = new Uint8Array(n), outside = new Uint8Array(n), out = new Uint8Array(n), had = new Uint8Array(n);
  let required = 0;
  for (const { sign, postings } of query.terms) {
    kf.fill(0);
    postings.rows.forEach((row, at) => (kf[row] = postings.tf[at]));
    for (let row = n - 1; row > 0; row--) if (kf[row] && parent[row] >= 0) kf[parent[row]] += kf[row];
    if (sign === "+") required += 1;
    const part = entry.C / (entry.mu * postings.cf);
    for (let row = 0; row < n; row++) {
      if (!kf[row]) continue;
      if (sign === "-") {
        out[row] = 1;
        continue;
      }
      const weight = Math.max(0, Math.log1p(kf[row] * part) + Math.log(entry.mu / (entry.mu + keys[row])));
      score[row] += sign === "+" ? 2 * weight : weight;
      matched[row] = 1;
      if (sign === "+") had[row] += 1;
    }
    if (sign !== "-") for (const row of postings.rows) if (!(kind[row] & QUIET)) outside[row] = 1;
  }
  for (let row = n - 1; row > 0; row--) if (outside[row] && parent[row] >= 0) outside[parent[row]] = 1;
  addTitles(rows, query, entry, score);
  const fits = new Uint8Array(n);
  const shown = (/** @type {boolean} */ quiet) => {
    let any = false;
    for (let row = 0; row < n; row++) {
      if (!(kind[row] & RETURNED) || !matched[row] || out[row] || had[row] < required || (!quiet && !outside[row])) continue;
      if (admits && !admits(of[row])) continue;
      fits[row] = 1;
      any = true;
    }
    return any;
  };
  if (!shown(false)) shown(true);
  const key = new Float64Array(n), greatest = new Float64Array(rows.first.length - 1).fill(-Infinity);
  let best = 0;
  for (let row = 0; row < n; row++) {
    if (!fits[row]) continue;
    key[row] = Math.round(score[row] * 1e12);
    if (key[row] > greatest[of[row]]) greatest[of[row]] = key[row];
    if (score[row] > best) best = score[row];
  }
  /** @type {number[]} */ const documents = [];
  greatest.forEach((each, document) => each > -Infinity && documents.push(document));
  documents.sort((one, other) => greatest[other] - greatest[one] || one - other);
  return { key, score, fits, documents, best };
}

/** Adds factor times the share of the words, weighed by ln(N/m), that the titles of a row and above it hold.
 * @param {Rows} rows @param {Query} query @param {{N: number, factor: number}} entry @param {Float64Array} score */
function addTitles({ titled }, query, entry, score) {
  /** @type {Map<Postings, number>} */ const weights = new Map();
  for (const { sign, postings } of query.terms) {
    if (sign === "-" || !postings.m) continue;
    weights.set(postings, (weights.get(postings) ?? 0) + Math.log(entry.N / postings.m));
  }
  const all = [...weights.values()].reduce((sum, each) => sum + each, 0);
  if (!(all > 0)) return;
  const held = new Uint8Array(score.length), sums = new Float64Array(score.length);
  for (const [postings, weight] of weights) {
    held.fill(0);
    for (const row of postings.titled) held[row] = 1;
    for (let row = 0; row < held.length; row++) {
      if (titled[row] >= 0 && held[titled[row]]) held[row] = 1;
      if (held[row]) sums[row] += weight;
    }
  }
  for (let row = 0; row < score.length; row++) if (sums[row]) score[row] += entry.factor * (sums[row] / all);
}

/** The hits of a document, best first, none inside another.
 * @param {Rows} rows @param {Ranking} ranking @param {number} document @param {number} most @returns {Hit[]} */
export function hitsOf({ parent, first }, ranking, document, most) {
  const candidates = [];
  for (let row = first[document]; row < first[document + 1]; row++) if (ranking.fits[row]) candidates.push(row);
  candidates.sort((one, other) => ranking.key[other] - ranking.key[one] || one - other);
  const kept = new Set(), above = new Set(), hits = [];
  for (const row of candidates) {
    if (above.has(row)) continue;
    let up = parent[row];
    while (up >= 0 && !kept.has(up)) up = parent[up];
    if (up >= 0) continue;
    kept.add(row);
    for (up = parent[row]; up >= 0; up = parent[up]) above.add(up);
    hits.push({ row, score: ranking.score[row] });
    if (hits.length === most) break;
  }
  return hits;
}

/** How strong a score is beside the best one, from 1 to 9. @param {number} score @param {number} best */
export function strength(score, best) {
  return best > 0 ? Math.max(1, Math.min(9, Math.round((score / best) * 9 + 0.01))) : 9;
}
