// The search files of a site: fetched once each, decompressed, decoded. The format is in docs/spec/site.md.

/** @typedef {{N: number, C: number, mu: number, factor: number, most: number, rows: string, documents: string,
 *   words: [string, string][], postings: [number, string][], facets: [string, string][], stop: string[], join: string,
 *   say: Record<string, string>}} Entry */
/** @typedef {{parent: Int32Array, titled: Int32Array, kind: Uint8Array, keys: Float64Array, first: Int32Array,
 *   of: Int32Array}} Rows
 *   `parent` of each row, -1 for a document; `titled` the row around whose titles count for it, -1 for none; `keys` in the row and all below it; `first` row of each document; `of` the
 *   document of each row. */
/** @typedef {{m: number, cf: number, rows: Int32Array, tf: Int32Array, titled: Int32Array, forms: string[]}} Postings */
/** @typedef {{title: string, direction: string, fields: string[], sections: [string, number][],
 *   units: (0 | Unit)[], blocks: [number, string][]}} DocumentFile */
/** @typedef {[string, number, number, number, number, number | string]} Unit Anchor, first piece, number of pieces, place and
 *   length in thousandths of the document, and section or words for the tag. */

const FORMAT = 1;
export const RETURNED = 1, QUIET = 2, IN_TITLE = 4;

/** Reads varints: seven bits a byte, the lowest first. */
export class Numbers {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  next() {
    let value = 0, shift = 1, byte;
    do {
      byte = this.bytes[this.at++];
      value += (byte & 127) * shift;
      shift *= 128;
    } while (byte > 127);
    return value;
  }

  /** @param {number} many */
  list(many) {
    const found = new Int32Array(many);
    for (let at = 0; at < many; at++) found[at] = this.next();
    return found;
  }

  /** @param {number} many */
  ascending(many) {
    const found = this.list(many);
    for (let at = 1; at < many; at++) found[at] += found[at - 1];
    return found;
  }

  /** @param {number} many */
  skip(many) {
    for (let left = many; left > 0; left--) while (this.bytes[this.at++] > 127);
  }
}

export class Files {
  /** @param {URL} root Address of the site. */
  constructor(root) {
    this.root = root;
    /** @type {Map<string, Promise<any>>} */
    this.known = new Map();
  }

  /** The value of a key, made once; a failure is forgotten, so that it can be tried again.
   * @template T @param {string} key @param {() => Promise<T>} make @returns {Promise<T>} */
  once(key, make) {
    let made = this.known.get(key);
    if (!made) {
      made = make();
      this.known.set(key, made);
      made.catch(() => this.known.delete(key));
    }
    return made;
  }

  /** @param {string} name @returns {Promise<Uint8Array>} */
  bytes(name) {
    return this.once(name, async () => {
      const answer = await fetch(new URL(`search/${name}.bin`, this.root), { cache: "force-cache" });
      if (!answer.ok || !answer.body) throw new Error(`search/${name}.bin: ${answer.status}`);
      const plain = answer.body.pipeThrough(new DecompressionStream("deflate"));
      return new Uint8Array(await new Response(plain).arrayBuffer());
    });
  }

  /** @param {string} name */
  async text(name) {
    return new TextDecoder().decode(await this.bytes(name));
  }

  /** @param {string} name @returns {Promise<any>} */
  json(name) {
    return this.once(`json ${name}`, async () => JSON.parse(await this.text(name)));
  }

  /** @returns {Promise<Entry>} */
  entry() {
    return this.once("entry", async () => {
      const answer = await fetch(new URL("search/index.json", this.root), { cache: "no-cache" });
      if (!answer.ok) throw new Error(`search/index.json: ${answer.status}`);
      const found = await answer.json();
      if (found.format !== FORMAT) throw new Error(`search/index.json: format ${found.format}`);
      return this.json(found.entry);
    });
  }

  /** Path of the page and name of the file of each document with text.
   * @returns {Promise<[string, string][]>} */
  async documents() {
    return this.json((await this.entry()).documents);
  }

  /** @returns {Promise<Rows>} */
  rows() {
    return this.once("rows", async () => decodeRows(await this.bytes((await this.entry()).rows)));
  }

  /** The lines of the file of words that would have a word: words, their documents, their keys.
   * @param {string} word @returns {Promise<{words: string[], counts: number[], keys: number[][]}>} */
  async words(word) {
    const table = (await this.entry()).words;
    const at = before(table, word);
    if (at < 0) return { words: [], counts: [], keys: [] };
    const name = table[at][1];
    return this.once(`words ${name}`, async () => decodeWords(await this.text(name)));
  }

  /** @param {number} key @returns {Promise<Postings>} */
  async postings(key) {
    const table = (await this.entry()).postings;
    const [first, name] = table[before(table, key)];
    const bytes = await this.bytes(name);
    return this.once(`key ${key}`, async () => decodePostings(bytes, key - first));
  }

  /** @param {string} name @returns {Promise<DocumentFile>} */
  document(name) {
    return this.json(name);
  }

  /** The texts of a range of pieces of a document.
   * @param {DocumentFile} of @param {number} first @param {number} many @returns {Promise<string[]>} */
  async pieces(of, first, many) {
    const found = [];
    const last = first + many;
    for (let at = Math.max(0, before(of.blocks, first)); at < of.blocks.length && of.blocks[at][0] < last; at++) {
      const [begin, name] = of.blocks[at];
      const lines = await this.once(`lines ${name}`, async () => (await this.text(name)).split("\n"));
      found.push(...lines.slice(Math.max(0, first - begin), last - begin));
    }
    return found;
  }
}

/** The place of the last row that does not begin after a value; -1 if all do.
 * @template {string | number} V @param {[V, string][]} table @param {V} value */
export function before(table, value) {
  let low = 0, high = table.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (table[middle][0] <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** @param {Uint8Array} bytes @returns {Rows} */
export function decodeRows(bytes) {
  const numbers = new Numbers(bytes);
  const many = numbers.next();
  const parent = new Int32Array(many), kind = new Uint8Array(many), of = new Int32Array(many), titled = new Int32Array(many);
  const first = [], above = [-1]; // of each depth the last row
  let depth = -1;
  for (let row = 0; row < many; row++) {
    const code = numbers.next();
    depth += 1 - (code >> 3);
    kind[row] = code & 7;
    parent[row] = depth ? above[depth - 1] : -1;
    // The words of a title do not count for what is in it: the titles above its section do.
    titled[row] = parent[row];
    if (code & IN_TITLE && depth) titled[row] = kind[parent[row]] & IN_TITLE ? titled[parent[row]] : parent[parent[row]];
    above[depth] = row;
    if (!depth) first.push(row);
    of[row] = first.length - 1;
  }
  const keys = new Float64Array(many);
  for (let row = 0; row < many; row++) keys[row] = numbers.next();
  for (let row = many - 1; row >= 0; row--) if (parent[row] >= 0) keys[parent[row]] += keys[row];
  return { parent, titled, kind, keys, first: Int32Array.from([...first, many]), of };
}

/** @param {string} text */
function decodeWords(text) {
  /** @type {string[]} */ const words = [];
  /** @type {number[]} */ const counts = [];
  /** @type {number[][]} */ const keys = [];
  let last = 0;
  for (const line of text.split("\n")) {
    const [word, count, steps] = line.split(" ");
    words.push(word);
    counts.push(Number(count));
    keys.push(steps ? steps.split(",").map((step) => (last += Number(step))) : []);
  }
  return { words, counts, keys };
}

/** @param {Uint8Array} bytes @param {number} place @returns {Postings} */
export function decodePostings(bytes, place) {
  const numbers = new Numbers(bytes);
  const many = numbers.next();
  const [units, titles, more, occurrences] = [0, 0, 0, 0].map(() => numbers.list(many));
  /** @param {Int32Array} sizes @param {(many: number) => Int32Array} read */
  const own = (sizes, read) => {
    let ahead = 0, behind = 0;
    for (let at = 0; at < many; at++) {
      if (at < place) ahead += sizes[at];
      else if (at > place) behind += sizes[at];
    }
    numbers.skip(ahead);
    const found = read(sizes[place]);
    numbers.skip(behind);
    return found;
  };
  const rows = own(units, (size) => numbers.ascending(size));
  const tf = own(units, (size) => numbers.list(size)).map((each) => each + 1);
  const titled = own(titles, (size) => numbers.ascending(size));
  const lines = new TextDecoder().decode(bytes.subarray(numbers.at)).split("\n");
  const m = more[place] + rows.length;
  return { m, cf: m + occurrences[place], rows, tf, titled, forms: lines[place] ? lines[place].split(" ") : [] };
}
