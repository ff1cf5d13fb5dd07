// Reads the sources of the front end for what no compiler checks.
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript";

export const web = join(import.meta.dirname, "../..");

export const parse = (file, text = readFileSync(file, "utf8")) => ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);

/** Calls `visit` with every node, and lists what it returns, each with its place. */
export function collect(source, visit) {
  const found = [];
  const walk = (node) => {
    const text = visit(node);
    if (text) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      found.push(`${relative(web, source.fileName)}:${line + 1}: ${text}`);
    }
    ts.forEachChild(node, walk);
  };
  walk(source);
  return found;
}

// Names whose value or argument is read as HTML or as a script.
const sinks = new Set([
  "innerHTML", "outerHTML", "insertAdjacentHTML", "setHTML", "setHTMLUnsafe", "parseHTMLUnsafe", "getHTML", "srcdoc", "srcDoc",
  "dangerouslySetInnerHTML", "createContextualFragment", "DOMParser", "eval", "write", "writeln", "Function", "execScript",
]);

// Names that are harmless elsewhere: a stream and a clipboard are written to as well.
const onlyOf = { write: "document", writeln: "document" };

/** Says which rule a node breaks. */
export function sinkOf(node) {
  if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) {
    const name = ts.isPropertyAccessExpression(node) ? node.name.text : ts.isStringLiteralLike(node.argumentExpression) && node.argumentExpression.text;
    const isMeant = !onlyOf[name] || node.expression.getText() === onlyOf[name];
    return sinks.has(name) && isMeant && name !== "Function" ? name : "";
  }
  if (ts.isNewExpression(node) || ts.isCallExpression(node)) return sinkOfCall(node);
  if (ts.isJsxAttribute(node) || ts.isPropertyAssignment(node)) {
    const name = node.name.getText();
    return sinks.has(name) && !onlyOf[name] ? name : "";
  }
  if (ts.isStringLiteralLike(node) && /^\s*javascript:/i.test(node.text)) return node.text;
  return "";
}

function sinkOfCall(node) {
  const called = node.expression.getText();
  if (ts.isIdentifier(node.expression) && sinks.has(called) && !onlyOf[called]) return called;
  const [first] = node.arguments ?? [];
  const text = first && ts.isStringLiteralLike(first) ? first.text : "";
  if (/(^|\.)setAttribute$/.test(called) && (/^on/i.test(text) || text === "srcdoc" || text === "style")) return `setAttribute(${text})`;
  return /^(set(Timeout|Interval))$/.test(called) && text ? `${called} of a text` : "";
}

// Attributes and properties of components that people read.
const readable = /^(aria-(label|description|roledescription|valuetext)|title|placeholder|label|alt|description|text|hint|children|message|heading)$/;
const texts = JSON.parse(readFileSync(join(web, "console/src/locales/en.json"), "utf8"));
const hasWord = (text) => /\p{L}{2}/u.test(text);
// A name is the same in all languages.
const isName = (text) => /^(Parley|Markdown|JSON|CSV|PDF|HTTPS|URL|ID|API|Q&A|PARLEY_[A-Z_]+)$/.test(text.trim());

/** Returns a text that people read and that is not out of a catalog. */
export function textOf(node) {
  if (ts.isJsxText(node)) return hasWord(node.text) && !isName(node.text) ? node.text.trim() : "";
  if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
    const text = ts.isTemplateExpression(node) ? [node.head, ...node.templateSpans.map((s) => s.literal)].map((p) => p.text).join(" ") : node.text;
    return hasWord(text) && !isName(text) && isShown(node) ? text : "";
  }
  return "";
}

// isShown reports whether a text is a child of an element, or the value of an attribute that people read, also as one
// side of a choice.
function isShown(node) {
  const { parent } = node;
  // The name of a text is looked up by the component that gets it.
  if (ts.isJsxAttribute(parent)) return readable.test(parent.name.getText()) && !Object.hasOwn(texts, node.text);
  if (ts.isJsxExpression(parent)) {
    return ts.isJsxAttribute(parent.parent) ? readable.test(parent.parent.name.getText()) : true;
  }
  if (ts.isConditionalExpression(parent)) return parent.condition !== node && isShown(parent);
  if (ts.isBinaryExpression(parent)) return ["&&", "||", "??", "+"].includes(parent.operatorToken.getText()) && isShown(parent);
  return ts.isParenthesizedExpression(parent) && isShown(parent);
}
