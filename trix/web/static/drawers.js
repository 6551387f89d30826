// Drawers and the printed page, the same on a server and on a static site.

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

// A printed page says where it is from, and of what day; of a document without the search that led there, and whole.
export function printed() {
  addEventListener("beforeprint", () => {
    for (const folded of document.querySelectorAll(".part details")) folded.open = true;
    const said = document.querySelector(".printed");
    const article = document.querySelector("article[data-address]");
    const address = article ? new URL(article.dataset.address.split("?")[0] || location.pathname, location) : location;
    said.textContent = `${said.dataset.said.replace("{date}", new Date().toLocaleDateString())} ${address.href}`;
  });
}
