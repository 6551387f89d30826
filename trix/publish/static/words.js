// Words of a text and of a query: folding, tokens, signs, phrases, the nearest spelling. As docs/spec/site.md says.

const INVISIBLE = "\u00ad\u200b\u2060\ufeff";
const TOKEN = /[\p{L}\p{M}\p{N}]+/gu;
const WORD = /[\p{L}\p{N}]/u;

/** Folds case and forms, as NFKC, case folding and NFKC do. @param {string} text */
export function fold(text) {
  return text.normalize("NFKC").toLowerCase().replace(/ß/g, "ss").replace(/ς/g, "σ").normalize("NFKC");
}

/** Returns the words of a text with their places in it. @param {string} text @param {string} [join] */
export function located(text, join = "") {
  const found = [];
  const gone = INVISIBLE + join;
  let pattern = TOKEN;
  for (const each of gone) {
    if (text.includes(each)) {
      const inside = `[\\p{L}\\p{M}\\p{N}${[...gone].map((one) => `\\u{${one.codePointAt(0)?.toString(16)}}`).join("")}]+`;
      pattern = new RegExp(inside, "gu");
      break;
    }
  }
  for (const hit of text.matchAll(pattern)) {
    const bare = [...hit[0]].filter((each) => !gone.includes(each)).join("");
    for (const word of fold(bare).match(TOKEN) ?? []) {
      if (WORD.test(word)) found.push({ word, begin: hit.index, end: hit.index + hit[0].length });
    }
  }
  return found;
}

/** @typedef {{sign: string, words: string[], phrase: boolean}} Chunk */

/** Reads a query: words and phrases in quotes, each with an optional sign before it. @param {string} text
 * @param {string} [join] @returns {Chunk[]} */
export function read(text, join) {
  const chunks = [];
  for (const hit of text.matchAll(/(?<![^\s"“”„«»])([+-]?)(?:["“”„«»]([^"“”„«»]*)["“”„«»]?|([^\s"“”„«»]+))/gu)) {
    const quoted = hit[2] !== undefined;
    const words = located(quoted ? hit[2] : hit[3], join).map((each) => each.word);
    if (words.length) chunks.push({ sign: hit[1], words, phrase: quoted && words.length > 1 });
  }
  return chunks;
}

/** Edits between two words: letters that are missing, more, others, or changed places; more than `most` is `most` + 1.
 * @param {string} one @param {string} other @param {number} most */
export function edits(one, other, most) {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  let before = new Array(other.length + 1).fill(0), last = before.map((_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const now = [i];
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1];
      now[j] = Math.min(last[j] + 1, now[j - 1] + 1, last[j - 1] + (same ? 0 : 1));
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) now[j] = Math.min(now[j], before[j - 2] + 1);
    }
    [before, last] = [last, now];
  }
  return Math.min(last[other.length], most + 1);
}

/** @param {string} word */
const bare = (word) => word.normalize("NFD").replace(/\p{M}/gu, "");

/** The nearest of some words: without accents first, then by edits, then by documents; empty if none is near.
 * @param {string} word @param {string[]} words @param {number[]} counts */
export function nearest(word, words, counts) {
  if (/\p{N}/u.test(word) || word.length < 4) {
    const same = words.findIndex((each) => bare(each) === bare(word));
    return same < 0 ? "" : words[same];
  }
  const most = word.length < 8 ? 1 : 2;
  let best = "", fewest = most + 1, many = 0;
  words.forEach((each, at) => {
    if (/\p{N}/u.test(each)) return;
    const plain = bare(each) === bare(word) ? 0 : edits(bare(word), bare(each), most);
    if (plain < fewest || (plain === fewest && plain <= most && counts[at] > many)) [best, fewest, many] = [each, plain, counts[at]];
  });
  return best;
}
