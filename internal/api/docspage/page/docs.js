// Without this script the page is whole; with it the list of operations can be narrowed.
(() => {
  const field = document.getElementById("filter");
  const found = document.getElementById("found");
  const items = [...document.querySelectorAll("[data-find]")];
  const narrow = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    for (const item of items) {
      const text = item.dataset.find.toLowerCase();
      item.hidden = !words.every((word) => text.includes(word));
      const article = document.getElementById(item.firstElementChild.hash.slice(1));
      article.hidden = item.hidden;
      if (!item.hidden) left += 1;
    }
    for (const group of document.querySelectorAll("[data-group]")) {
      group.hidden = !group.querySelector("[data-find]:not([hidden]), article:not([hidden])");
    }
    found.textContent = words.length ? `${left} of ${items.length}` : "";
  };
  field.addEventListener("input", narrow);
  narrow();
})();
