// Keys: / to the box, j and k along the results, n and p along the chain, Enter opens, b goes back, ? tells of them.

export function keys(box) {
  const help = document.getElementById("keys");

  function move(step) {
    const hits = [...document.querySelectorAll(".hit")];
    if (!hits.length) {
      document.dispatchEvent(new Event(step > 0 ? "trix:next" : "trix:before"));
      return;
    }
    const at = hits.findIndex((hit) => hit.classList.contains("now"));
    hits[at]?.classList.remove("now");
    const hit = hits[Math.max(0, Math.min(hits.length - 1, at + step))];
    hit.classList.add("now");
    hit.querySelector("a.go").focus({ preventScroll: true });
    hit.scrollIntoView({ block: "nearest" });
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.closest("input, select, textarea, dialog")) {
      if (event.key === "Escape" && event.target === box) box.blur();
      return;
    }
    const done = {
      "/": () => (box.focus(), box.select()),
      "?": () => help.showModal(),
      j: () => move(1),
      n: () => move(1),
      k: () => move(-1),
      p: () => move(-1),
      b: () => document.querySelector("a.back")?.click(),
    }[event.key];
    if (!done) return;
    event.preventDefault();
    done();
  });
}
