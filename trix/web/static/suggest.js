// Suggestions below a search box: a listbox that the box leads by aria-activedescendant.

const WAIT = 60;

export function suggestions(box, list) {
  if (!list) return;
  box.setAttribute("role", "combobox");
  box.setAttribute("aria-expanded", "false");
  box.setAttribute("aria-controls", list.id);
  box.setAttribute("aria-autocomplete", "list");
  let timer = 0;
  let asking = null;
  let typed = box.value;

  const offers = () => [...list.children];
  const chosen = () => list.querySelector("[aria-selected=true]");

  function stopAsking() {
    clearTimeout(timer);
    asking?.abort();
  }

  function close() {
    stopAsking();
    list.hidden = true;
    box.setAttribute("aria-expanded", "false");
    box.removeAttribute("aria-activedescendant");
  }

  function choose(offer) {
    stopAsking(); // a list that arrived now would take the place of the one that is chosen from
    chosen()?.setAttribute("aria-selected", "false");
    offer?.setAttribute("aria-selected", "true");
    if (offer) box.setAttribute("aria-activedescendant", offer.id);
    else box.removeAttribute("aria-activedescendant");
    box.value = offer ? offer.dataset.text : typed;
  }

  async function ask() {
    asking?.abort();
    asking = new AbortController();
    try {
      const address = `${box.dataset.suggest}?q=${encodeURIComponent(typed)}`;
      const answer = await fetch(address, { signal: asking.signal });
      if (!answer.ok) return close();
      list.innerHTML = await answer.text();
      list.hidden = !list.children.length || document.activeElement !== box;
      box.setAttribute("aria-expanded", String(!list.hidden));
      box.removeAttribute("aria-activedescendant");
    } catch (error) {
      if (error.name !== "AbortError") close();
    }
  }

  box.addEventListener("input", () => {
    typed = box.value;
    clearTimeout(timer);
    if (typed.trim().length < 2) close();
    else timer = setTimeout(ask, WAIT);
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      box.value = typed;
      close();
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && !list.hidden) {
      event.preventDefault();
      const all = offers();
      const at = all.indexOf(chosen());
      const next = event.key === "ArrowDown" ? at + 1 : at < 0 ? all.length - 1 : at - 1;
      choose(all[next] ?? null);
    } else if (event.key === "Enter") {
      const address = list.hidden ? null : chosen()?.href; // of a document or a section: it is opened, not searched for
      if (address) {
        event.preventDefault();
        location.href = address;
      }
      close();
    }
  });
  list.addEventListener("mousedown", (event) => {
    const offer = event.target.closest(".offer");
    if (!offer) return;
    event.preventDefault(); // or the box would lose the focus, and the list be gone before the click
    if (offer.href) return;
    choose(offer);
    close();
    box.form.requestSubmit();
  });
  box.addEventListener("blur", () => setTimeout(close, 100));
  box.form.addEventListener("submit", close);
}
