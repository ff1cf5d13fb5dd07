// Nodes of Markdown as the HTML in which CommonMark and GFM write what their examples come to.

const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** The address against which the examples' links are read. */
export const base = "https://spec.example/";

/** Writes blocks as HTML. */
export function writeBlocks(blocks, isTight = false) {
  return blocks.map((block) => writeBlock(block, isTight)).join("\n");
}

function writeBlock(block, isTight) {
  switch (block.kind) {
    case "paragraph":
      return isTight ? writeInlines(block.children) : `<p>${writeInlines(block.children)}</p>`;
    case "heading":
      return `<h${block.level}>${writeInlines(block.children)}</h${block.level}>`;
    case "fence": {
      const language = block.language && ` class="language-${escape(block.language)}"`;
      return `<pre><code${language}>${escape(block.text)}</code></pre>`;
    }
    case "quote":
      return `<blockquote>\n${writeBlocks(block.children)}\n</blockquote>`;
    case "list":
      return writeList(block);
    case "table":
      return writeTable(block);
    case "rule":
      return "<hr />";
    default:
      return escape(block.text);
  }
}

const box = (isDone) => `<input${isDone ? ' checked=""' : ""} disabled="" type="checkbox" /> `;

function writeList({ isOrdered, start, isLoose, items }) {
  const tag = isOrdered ? "ol" : "ul";
  const rows = items.map(({ isDone, children }) => `<li>${isDone === undefined ? "" : box(isDone)}${writeBlocks(children, !isLoose)}</li>`);
  return `<${tag}${isOrdered && start !== 1 ? ` start="${start}"` : ""}>\n${rows.join("\n")}\n</${tag}>`;
}

function writeTable({ align, header, rows }) {
  const cell = (tag) => (children, i) => `<${tag}${align[i] ? ` align="${align[i]}"` : ""}>${writeInlines(children)}</${tag}>`;
  const row = (cells, tag) => `<tr>\n${cells.map(cell(tag)).join("\n")}\n</tr>`;
  const body = rows.map((cells) => row(cells, "td")).join("\n");
  return `<table>\n<thead>\n${row(header, "th")}\n</thead>${body && `\n<tbody>\n${body}\n</tbody>`}\n</table>`;
}

const writeInlines = (list) => list.map(writeInline).join("");

function writeInline(node) {
  switch (node.kind) {
    case "text":
      return escape(node.text);
    case "code":
      return `<code>${escape(node.text)}</code>`;
    case "break":
      return "<br />\n";
    case "link":
      return `<a href="${escape(node.address.href)}">${writeInlines(node.children)}</a>`;
    case "image":
      return `<img src="${escape(node.address.href)}" alt="${escape(node.alt)}" />`;
    default:
      return `<${node.kind}>${writeInlines(node.children)}</${node.kind}>`;
  }
}

const unescape = (text) =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");

/** What an example promises, in the console's terms: headings begin at the third level, addresses are whole, there are no titles. */
export function promised(html) {
  return html
    .replace(/<(\/?)h([1-6])>/g, (_, slash, level) => `<${slash}h${Math.min(6, Number(level) + 2)}>`)
    .replace(/ title="[^"]*"/g, "")
    .replace(/\b(href|src)="([^"]*)"/g, (_, name, address) => `${name}="${escape(resolve(unescape(address)))}"`)
    .replace(/<input ([^>]*?) ?\/?>/g, (_, rest) => box(/checked/.test(rest)).trimEnd());
}

function resolve(address) {
  try {
    return new URL(address, base).href;
  } catch {
    return address;
  }
}

const tag = String.raw`<\/?(?:p|h\d|pre|blockquote|ul|ol|li|table|thead|tbody|tr|th|td|hr)\b[^>]*>`;

/** HTML without the space that is not shown. */
export function collapse(html) {
  const parts = html.split(/(<pre>[^]*?<\/pre>)/);
  const shown = parts.map((part, i) => (i % 2 ? part.replace(/\s*<\/code>/, "</code>") : part.replace(/[ \t]*\n[ \t]*/g, "\n")));
  return shown.join("").replace(new RegExp(String.raw`\s*(${tag})\s*`, "g"), "$1").trim();
}
