// Searches the sections of the handbook, which stand in the page. A plain script, so that it runs from a file.
(function () {
  "use strict";
  var SHOWN = 12, AROUND = 90;
  var form = document.querySelector("form.find"), box = form.elements.q;
  var out = document.getElementById("found"), contents = document.getElementById("contents");
  var sections = JSON.parse(document.getElementById("sections").textContent);

  // Letters without accents, one for one, so that places in the folded text are places in the text.
  function fold(text) {
    return Array.from(text, function (c) {
      var plain = c.normalize("NFD").replace(/[\u0300-\u036f]/g, "").toLowerCase();
      return plain.length === c.length ? plain : c;
    }).join("");
  }

  // What a word begins with: the ending that it has in this query is of no matter.
  function stem(word) {
    return word.length > 4 ? word.replace(/(ations?|ings?|ies|ed|es|s|e|y)$/, "") : word;
  }

  function words(text) {
    return fold(text).match(/[\p{L}\p{N}@]+/gu) || [];
  }

  function places(stems, text) {
    var folded = fold(text), word = /[\p{L}\p{N}@]+/gu, found = [], hit;
    while ((hit = word.exec(folded))) {
      for (var k = 0; k < stems.length; k++) {
        if (hit[0].startsWith(stems[k])) {
          found.push([hit.index, hit.index + hit[0].length, k]);
          break;
        }
      }
    }
    return found;
  }

  function ranked(stems) {
    var holding = stems.map(function () { return 0; }), hits = [];
    sections.forEach(function (section) {
      var text = places(stems, section.text), counts = stems.map(function () { return 0; }), there = 0;
      text.forEach(function (at) { counts[at[2]] += 1; });
      places(stems, section.heading).forEach(function (at) { counts[at[2]] += 6; });
      places(stems, section.chapter).forEach(function (at) { counts[at[2]] += 3; });
      counts.forEach(function (n, k) { if (n) { holding[k] += 1; there += 1; } });
      if (there) { hits.push({ section: section, places: text, counts: counts, there: there }); }
    });
    hits.forEach(function (hit) {
      hit.score = hit.counts.reduce(function (sum, n, k) {
        return sum + (n ? n / (n + 1 + hit.section.text.length / 1500) * Math.log(1 + sections.length / holding[k]) : 0);
      }, 0) * hit.there / stems.length;
    });
    return hits.sort(function (a, b) { return b.score - a.score; });
  }

  function element(name, text, kind) {
    var made = document.createElement(name);
    if (text) { made.textContent = text; }
    if (kind) { made.className = kind; }
    return made;
  }

  // The part of the text with most words around it, at whole words.
  function snippet(hit) {
    var text = hit.section.text, best = [0, 0, 0], most = 0, made = element("span");
    hit.places.forEach(function (at) {
      var near = new Set();
      hit.places.forEach(function (other) { if (Math.abs(other[0] - at[0]) < AROUND) { near.add(other[2]); } });
      if (near.size > most) { most = near.size; best = at; }
    });
    var begin = Math.max(0, best[0] - AROUND), end = Math.min(text.length, best[1] + 2 * AROUND);
    if (begin) { begin = text.indexOf(" ", begin) + 1; }
    if (end < text.length) { end = text.lastIndexOf(" ", end); }
    made.append(begin ? "… " : "");
    hit.places.forEach(function (at) {
      if (at[0] >= begin && at[1] <= end) {
        made.append(text.slice(begin, at[0]), element("mark", text.slice(at[0], at[1])));
        begin = at[1];
      }
    });
    made.append(text.slice(begin, end), end < text.length ? "\u00a0…" : "");
    return made;
  }

  // Of the words of a question those of one or two letters say nothing, unless there are no others.
  function asked(query) {
    var all = Array.from(new Set(words(query).map(stem))), long = all.filter(function (s) { return s.length > 2; });
    return long.length ? long : all;
  }

  function show() {
    var stems = asked(box.value), list = element("ol", "", "places");
    contents.hidden = stems.length > 0;
    out.replaceChildren();
    if (!stems.length) { return; }
    var hits = ranked(stems);
    hits.slice(0, SHOWN).forEach(function (hit) {
      var item = element("li"), link = element("a", hit.section.heading || hit.section.chapter);
      link.href = hit.section.at;
      item.append(link, hit.section.heading ? element("small", hit.section.chapter) : "", snippet(hit));
      list.append(item);
    });
    var said = hits.length + (hits.length === 1 ? " section" : " sections");
    if (hits.length > SHOWN) { said += ", the first " + SHOWN; }
    out.append(element("p", hits.length ? said : "Nothing in the handbook. Fewer or other words may help.", "said"), list);
  }

  form.hidden = false;
  box.value = new URLSearchParams(location.search).get("q") || "";
  box.addEventListener("input", show);
  show();
})();
