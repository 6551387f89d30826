// What pages do beside what they are: everything here has a way without scripts.

import { answers } from "./answers.js";
import { keys } from "./keys.js";
import { reading } from "./reading.js";
import { suggestions } from "./suggest.js";

const box = document.getElementById("q");
if (box) suggestions(box, document.getElementById("offers"));
if (document.body.classList.contains("search")) answers(box, document.getElementById("answer"));
if (document.body.classList.contains("reading")) reading(document.querySelector("article"));
keys(box);

// Drawers stand open on a desk and closed on a phone, and stay as they were left.
const narrow = matchMedia("(max-width: 900px)").matches;
export function drawers(root) {
  for (const drawer of root.querySelectorAll("details[data-drawer]")) {
    const name = `drawer-${drawer.dataset.drawer}`;
    const kept = sessionStorage.getItem(name);
    if (kept !== null) drawer.open = kept === "1";
    else if (narrow) drawer.open = false;
    drawer.addEventListener("toggle", () => sessionStorage.setItem(name, drawer.open ? "1" : "0"));
  }
}
drawers(document);

// A printed page says where it is from, and of what day; of a document without the search that led there, and whole.
addEventListener("beforeprint", () => {
  for (const folded of document.querySelectorAll(".part details")) folded.open = true;
  const said = document.querySelector(".printed");
  const article = document.querySelector("article[data-address]");
  const address = article ? new URL(article.dataset.address.split("?")[0], location) : location;
  said.textContent = `${said.dataset.said.replace("{date}", new Date().toLocaleDateString())} ${address.href}`;
});
document.addEventListener("trix:filled", (event) => drawers(event.target));
