// Answers without a reload: while one types, chooses a value, moves a slider; every state stays in the address.

const WAIT = 160;
const CALM = matchMedia("(prefers-reduced-motion: reduce)");

export function answers(box, place) {
  let asking = null;
  let timer = 0;
  let typing = false;

  async function show(address, { push = true, keep = false, top = false, unfinished = false } = {}) {
    asking?.abort();
    asking = new AbortController();
    try {
      const headers = { "x-part": unfinished ? "typing" : "1" };
      const answer = await fetch(address, { headers, signal: asking.signal });
      if (!answer.ok) return void (location.href = address);
      const html = await answer.text();
      const before = keep ? places() : null;
      fill(html);
      if (before) slide(before);
      document.body.classList.toggle("home", !new URL(address, location).search);
      if (push) history.pushState(null, "", address);
      else history.replaceState(null, "", address);
      document.title = title(address);
      if (top) scrollTo({ top: 0 });
    } catch (error) {
      if (error.name !== "AbortError") location.href = address;
    }
  }

  const base = place.ownerDocument.title.split(" – ").pop();
  function title(address) {
    const query = new URL(address, location).searchParams.get("q");
    return query ? `${query} – ${base}` : base;
  }

  function fill(html) {
    const open = new Set([...place.querySelectorAll("details.rest[open]")].map((each) => each.previousElementSibling?.textContent));
    const focused = place.contains(document.activeElement) ? document.activeElement.name || document.activeElement.getAttribute("href") : null;
    place.innerHTML = html;
    for (const rest of place.querySelectorAll("details.rest")) rest.open = open.has(rest.previousElementSibling?.textContent);
    place.dispatchEvent(new Event("trix:filled", { bubbles: true }));
    if (focused) {
      const again = [...place.querySelectorAll("a, input, select")].find((each) => (each.name || each.getAttribute("href")) === focused);
      (again ?? place.closest("main")).focus({ preventScroll: true });
    }
    mind();
  }

  // FLIP: what stays is moved from where it was to where it is.
  const moving = () => [...place.querySelectorAll(".document[data-key]")];
  const places = () => new Map(moving().map((each) => [each.dataset.key, each.getBoundingClientRect().top]));
  function slide(before) {
    if (CALM.matches) return;
    for (const each of moving()) {
      const was = before.get(each.dataset.key);
      const now = each.getBoundingClientRect().top;
      if (was === undefined) each.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 240 });
      else if (was !== now) each.animate([{ transform: `translateY(${was - now}px)` }, { transform: "none" }], { duration: 280, easing: "ease-out" });
    }
  }

  function address(form) {
    const pairs = new URLSearchParams();
    for (const [name, value] of new FormData(form)) {
      const field = form.elements[name];
      const standard = field?.dataset?.default;
      if (value !== "" && !(standard !== undefined && Number(standard) === Number(value))) pairs.append(name, value);
    }
    if (!pairs.get("q")?.trim()) pairs.delete("q");
    return pairs.size ? `/?${pairs}` : "/";
  }

  box.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      show(address(box.form), { push: !typing, unfinished: true });
      typing = true; // one entry in the history for all that is typed in one go
    }, WAIT);
  });
  box.addEventListener("change", () => (typing = false));
  box.form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    show(address(box.form), { push: !typing });
    typing = false;
  });

  place.addEventListener("submit", (event) => {
    if (!event.target.matches(".find")) return;
    event.preventDefault();
    const to = address(event.target);
    hidden(new URL(to, location));
    show(to, { keep: true });
  });

  place.addEventListener("click", async (event) => {
    const link = event.target.closest("a");
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
    if (link.matches(".why")) {
      event.preventDefault();
      return void explain(link);
    }
    const url = new URL(link.href);
    if (url.pathname !== "/" || url.origin !== location.origin) return;
    event.preventDefault();
    box.value = url.searchParams.get("q") ?? "";
    hidden(url);
    show(url.pathname + url.search, { keep: Boolean(link.closest(".facets, .menu")), top: Boolean(link.closest(".pages")) });
  });

  // The box sends along what was chosen beside it.
  function hidden(url) {
    for (const each of box.form.querySelectorAll("input[type=hidden]")) each.remove();
    for (const [name, value] of url.searchParams) {
      if (["q", "from", "like", "kwic", "top", "spelling"].includes(name)) continue;
      const field = document.createElement("input");
      Object.assign(field, { type: "hidden", name, value });
      box.form.append(field);
    }
  }

  async function explain(link) {
    const hit = link.closest(".hit");
    const shown = hit.querySelector(".because");
    link.setAttribute("aria-expanded", String(!shown));
    if (shown) return shown.remove();
    const answer = await fetch(link.href, { headers: { "x-part": "1" } });
    if (!answer.ok) return void (location.href = link.href);
    const tree = document.createElement("div");
    tree.className = "because";
    tree.innerHTML = await answer.text();
    hit.append(tree);
  }

  function mind() {
    const form = place.querySelector(".scoring form");
    if (!form) return;
    const model = form.elements.model;
    const used = () => {
      for (const label of form.querySelectorAll("[data-models]")) {
        const now = model.value || model.dataset.default;
        label.classList.toggle("unused", !label.dataset.models.split(" ").includes(now));
      }
    };
    used();
    form.addEventListener("input", (event) => {
      const output = event.target.closest("label")?.querySelector("output");
      if (output) output.value = Number(event.target.value).toPrecision(3).replace(/\.?0+$/, "");
      used();
      clearTimeout(timer);
      timer = setTimeout(() => {
        const to = address(form);
        hidden(new URL(to, location));
        show(to, { push: false, keep: true });
      }, 90);
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      show(address(form), { keep: true });
    });
  }
  mind();

  addEventListener("popstate", () => {
    const url = new URL(location.href);
    box.value = url.searchParams.get("q") ?? "";
    hidden(url);
    show(url.pathname + url.search, { push: false });
  });
}
