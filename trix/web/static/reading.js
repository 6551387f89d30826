// A document while it is read: parts come as they are needed, keys lead along the chain, a passage has its address.

const AHEAD = "2400px";
const CALM = matchMedia("(prefers-reduced-motion: reduce)");

export function reading(article) {
  const lead = document.querySelector(".lead");
  const chain = lead ? [...lead.querySelectorAll("ol a")] : [];
  const loading = new Map();
  const words = lead?.querySelector(".count")?.textContent ?? "";
  let now = 0;

  // -- parts ------------------------------------------------------------------------------------------------------

  const loaded = (part) => article.querySelector(`.part[data-part="${part}"]`);

  function load(part) {
    if (loaded(part)) return Promise.resolve(loaded(part));
    if (!loading.has(part)) loading.set(part, fetchPart(part).finally(() => loading.delete(part)));
    return loading.get(part);
  }

  async function fetchPart(part) {
    const url = new URL(article.dataset.parts, location);
    url.searchParams.set("part", part);
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(answer.statusText);
    const holder = document.createElement("template");
    holder.innerHTML = await answer.text();
    const made = holder.content.firstElementChild;
    const following = [...article.querySelectorAll(".part")].find((each) => Number(each.dataset.part) > part);
    const more = following ?? article.querySelector(".more.after");
    if (more) more.before(made);
    else article.append(made);
    border("after", Math.max(...parts()));
    border("before", Math.min(...parts()));
    return made;
  }

  const parts = () => [...article.querySelectorAll(".part")].map((each) => Number(each.dataset.part));

  // The links before and after the loaded parts: those that lead out of them vanish at the ends of the document.
  function border(side, part) {
    const more = article.querySelector(`.more.${side}`);
    const link = more?.querySelector(side === "after" ? "a[rel=next]" : "a[rel=prev]");
    if (!link) return;
    const said = more.querySelector("span");
    const many = Number(/(\d+)\D*$/.exec(said.textContent)?.[1] ?? 0);
    const next = side === "after" ? part + 1 : part - 1;
    if (next > many) return more.remove();
    said.textContent = said.textContent.replace(/\d+/, part);
    if (next < 1) link.remove();
    else leadTo(link, next);
    const other = side === "before" && more.querySelector("a[rel=next]");
    if (other) leadTo(other, part + 1);
  }

  function leadTo(link, part) {
    link.dataset.part = part;
    const url = new URL(link.href);
    url.searchParams.set("part", part);
    link.href = url;
  }

  const near = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (isIntersecting) more(target);
      }
    },
    { rootMargin: `${AHEAD} 0px` },
  );
  async function more(target) {
    const link = target.querySelector("a[rel=next]");
    try {
      await load(Number(link.dataset.part));
    } catch {
      return near.unobserve(target); // the link stays, and works
    }
    if (target.isConnected) {
      near.unobserve(target);
      near.observe(target);
    }
  }
  const after = article.querySelector(".more.after");
  if (after?.querySelector("a[rel=next]")) near.observe(after);
  article.addEventListener("click", (event) => {
    const link = event.target.closest(".more.before a");
    if (!link) return;
    event.preventDefault();
    if (link.rel === "next") return void load(Number(link.dataset.part)).then((part) => part.scrollIntoView(), () => (location.href = link.href));
    const first = article.querySelector(".part");
    const top = first.getBoundingClientRect().top;
    load(Number(link.dataset.part)).then(() => scrollBy({ top: first.getBoundingClientRect().top - top, behavior: "instant" }), () => (location.href = link.href));
  });

  // -- places -----------------------------------------------------------------------------------------------------

  async function go(link, focus = true) {
    const label = link.dataset.label ?? decodeURIComponent(new URL(link.href).hash.slice(1));
    const part = Number(link.dataset.part);
    if (!loaded(part)) {
      const [low, high] = [Math.min(...parts()), Math.max(...parts())];
      if (part > high + 3 || part < low) return void (location.href = link.href);
      for (let each = high + 1; each <= part; each++) await load(each);
    }
    const target = document.getElementById(label);
    if (!target) return void (location.href = link.href);
    for (let each = target.closest("details:not([open])"); each; each = each.parentElement.closest("details:not([open])")) each.open = true;
    const near = Math.abs(target.getBoundingClientRect().top) < 3 * innerHeight && !CALM.matches;
    const block = target.offsetHeight > innerHeight * 0.7 ? "start" : "center";
    target.scrollIntoView({ block, behavior: near ? "smooth" : "instant" });
    if (focus) target.focus({ preventScroll: true });
    history.replaceState(null, "", `${location.pathname}${location.search}#${label}`);
  }

  function passage(place) {
    if (place < 1 || place > chain.length) {
      if (Math.min(...parts()) > 1) return void (location.href = `${article.dataset.address}#top`); // it is not here
      now = 0;
      mark();
      scrollTo({ top: 0 });
      return;
    }
    now = place;
    go(chain[place - 1]).then(mark);
  }

  function mark() {
    article.querySelector(".passage.now")?.classList.remove("now");
    if (now) document.getElementById(chain[now - 1].dataset.label)?.classList.add("now");
    lead.querySelector(".count").textContent = now ? `${now} / ${chain.length}` : words;
    lead.querySelector(".next").href = chain[now]?.href ?? "#top";
  }

  // Where the reader is who has scrolled: the last passage that begins above the middle of the window.
  function here() {
    if (now) {
      const target = document.getElementById(chain[now - 1].dataset.label);
      const box = target?.getBoundingClientRect();
      if (box && box.bottom > 0 && box.top < innerHeight) return now;
    }
    let found = 0;
    for (const each of article.querySelectorAll(".passage[data-n]")) {
      if (each.getBoundingClientRect().top < innerHeight * 0.45) found = Math.max(found, Number(each.dataset.n));
    }
    return found || (parts()[0] > 1 ? chain.filter((each) => Number(each.dataset.part) < parts()[0]).length : 0);
  }

  const next = () => chain.length && passage(here() + 1 > chain.length ? 0 : here() + 1);
  const before = () => chain.length && passage(here() - 1 < 1 ? 0 : here() - 1);
  document.addEventListener("trix:next", next);
  document.addEventListener("trix:before", before);
  lead?.querySelector(".next").addEventListener("click", (event) => (event.preventDefault(), next()));
  lead?.querySelector(".before").addEventListener("click", (event) => (event.preventDefault(), before()));
  article.addEventListener("click", (event) => {
    const arrow = event.target.closest(".chain .down, .chain .up");
    if (!arrow) return;
    event.preventDefault();
    passage(arrow.matches(".up") ? 0 : placeOf(arrow));
  });
  const placeOf = (arrow) => chain.findIndex((each) => each.href === arrow.href) + 1;

  document.querySelector("nav.contents")?.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-part]");
    if (!link || event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    if (matchMedia("(max-width: 900px)").matches) link.closest("details").open = false;
    go(link, false);
  });

  // An address by path: #/article[1]/body[1]; the place knows in which part that is.
  if (location.hash.startsWith("#/")) {
    const url = new URL(location.href);
    url.searchParams.set("at", decodeURIComponent(url.hash.slice(1)));
    url.hash = "";
    location.replace(url);
  } else if (location.hash.length > 1) {
    const place = chain.findIndex((each) => each.dataset.label === location.hash.slice(1)) + 1;
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target && /^#[\d.]+$/.test(location.hash)) {
      const url = new URL(location.href);
      url.searchParams.set("at", url.hash.slice(1));
      url.hash = "";
      location.replace(url);
    }
    if (place && lead) {
      now = place;
      mark();
      target?.focus({ preventScroll: true });
    }
  }

  // -- the contents tell where one is -------------------------------------------------------------------------------

  const entries = [...document.querySelectorAll("nav.contents a[data-part]")].map((link) => [link, new URL(link.href).hash.slice(1)]);
  let waiting = false;
  function where() {
    waiting = false;
    let current = null;
    for (const [link, label] of entries) {
      const target = document.getElementById(label);
      if (target && target.getBoundingClientRect().top < innerHeight * 0.3) current = link;
    }
    const was = document.querySelector("nav.contents a[aria-current]");
    if (current === was) return;
    was?.removeAttribute("aria-current");
    current?.setAttribute("aria-current", "true");
    const scroller = current?.closest("nav");
    if (current && scroller.scrollHeight > scroller.clientHeight + 4) {
      const middle = current.offsetTop - scroller.clientHeight / 2;
      scroller.scrollTo({ top: middle, behavior: "instant" });
    }
  }
  if (entries.length) {
    addEventListener("scroll", () => waiting || ((waiting = true), requestAnimationFrame(where)), { passive: true });
    where();
  }

  // -- the tools of a passage ---------------------------------------------------------------------------------------

  const tools = document.getElementById("tools");
  let chosen = null;
  let quoted = "";
  document.addEventListener("mouseup", (event) => {
    if (tools.contains(event.target)) return;
    setTimeout(() => {
      const selection = getSelection();
      const text = selection.toString().trim();
      const node = selection.anchorNode;
      const element = node?.nodeType === 1 ? node : node?.parentElement;
      const held = element?.closest(".part [id]");
      if (!text || !held) return void (tools.hidden = true);
      offer(held, selection.getRangeAt(0).getBoundingClientRect());
    });
  });

  async function offer(held, box) {
    chosen = held;
    quoted = getSelection().toString().trim().slice(0, 1000);
    tools.hidden = false;
    tools.style.top = `${scrollY + box.bottom + 8}px`;
    tools.style.left = `${Math.max(12, Math.min(box.left, innerWidth - tools.offsetWidth - 12))}px`;
    const place = encodeURIComponent(held.id);
    tools.querySelector("[data-do=xml]").href = `${tools.dataset.xml}?at=${place}`;
    for (const link of tools.querySelectorAll("[data-do=take]"))
      link.href = `${tools.dataset.cite}?${new URLSearchParams({ at: held.id, text: quoted, format: link.dataset.form })}`;
    const told = tools.querySelector(".where");
    told.textContent = held.id;
    const answer = await fetch(`${tools.dataset.where}?at=${place}`);
    if (!answer.ok || chosen !== held) return;
    const { path, label, start, end } = await answer.json();
    told.textContent = `${path} · ${label} · ${start}–${end}`;
    tools.querySelector("[data-do=like]").href = tools.dataset.like + encodeURIComponent(path);
  }

  tools.addEventListener("click", async (event) => {
    const what = event.target.dataset.do;
    if (what === "close") return void (tools.hidden = true);
    if (what !== "copy" && what !== "cite") return;
    const place = new URLSearchParams({ at: chosen.id, text: quoted });
    const answer = await fetch(`${tools.dataset.cite}?${place}`);
    if (!answer.ok) return;
    const cited = await answer.json();
    const text = what === "copy" ? `${cited.address}\n${tools.querySelector(".where").textContent}` : cited.text;
    await navigator.clipboard?.writeText(text);
    const said = event.target.textContent;
    event.target.textContent = event.target.dataset.done;
    setTimeout(() => (event.target.textContent = said), 1200);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") tools.hidden = true;
  });
}
