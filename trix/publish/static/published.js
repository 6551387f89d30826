// A page of a static site: the search, and the chain of passages in a document. Everything else works without scripts.

import { chain } from "./chain.js";
import { drawers, printed } from "./drawers.js";
import { Files } from "./files.js";
import { keys } from "./keys.js";
import { results } from "./results.js";

const files = new Files(new URL("../", import.meta.url));
const box = /** @type {HTMLInputElement | null} */ (document.getElementById("q"));
const place = document.getElementById("answer");
const article = /** @type {HTMLElement | null} */ (document.querySelector("article.document-text"));

if (box && place) results(files, box, place);
if (box) keys(box);
if (box && article) {
  box.value = new URLSearchParams(location.search).get("q") ?? "";
  chain(files, article).catch((error) => console.warn(error)); // the document can be read all the same
}
drawers(document);
printed();
