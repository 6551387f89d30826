// What pages do beside what they are: everything here has a way without scripts.

import { answers } from "./answers.js";
import { drawers, printed } from "./drawers.js";
import { keys } from "./keys.js";
import { reading } from "./reading.js";
import { suggestions } from "./suggest.js";

const box = document.getElementById("q");
if (box) suggestions(box, document.getElementById("offers"));
if (document.body.classList.contains("search")) answers(box, document.getElementById("answer"));
if (document.body.classList.contains("reading")) reading(document.querySelector("article"));
keys(box);

drawers(document);
printed();
document.addEventListener("trix:filled", (event) => drawers(event.target));
