// Reads a regular expression into a tree. Single characters and classes stay as they are written: the browser's own
// engine decides what they match, one character at a time.

export type Node =
  | { kind: "char"; test: (char: string) => boolean }
  | { kind: "sequence"; nodes: Node[] }
  | { kind: "choice"; nodes: Node[] }
  | { kind: "repeat"; node: Node; min: number; max: number }
  | { kind: "place"; name: Place }
  | { kind: "look"; node: Node; isBehind: boolean; isNegated: boolean };

/** A place between two characters: the text's begin or end, or the edge of a word, or none. */
export type Place = "^" | "$" | "\\b" | "\\B";

/** A pattern has something that cannot be matched in a bounded time, or cannot be read. */
export class PatternError extends Error {}

const hex = "[\\dA-Fa-f]";
const pair = `u[dD][89abAB]${hex}{2}\\\\u[dD][c-fC-F]${hex}{2}`;
const escapes = {
  unicode: new RegExp(`\\\\(?:u\\{${hex}+\\}|${pair}|u${hex}{4}|x${hex}{2}|c[A-Za-z]|[pP]\\{[^}]*\\}|.)`, "suy"),
  plain: new RegExp(`\\\\(?:u${hex}{4}|x${hex}{2}|c[A-Za-z]|.)`, "sy"),
};
const counts = /\{(\d+)(,(\d*))?\}/y;
const groups = /\((?:\?(?::|<?[=!]|<[^>=!][^>]*>))?/y;

/** Reads a pattern that the browser's own engine has found to be one. */
export function parsePattern(source: string, isUnicode: boolean): Node {
  const reader = new Reader(source, isUnicode);
  return reader.choice();
}

class Reader {
  private at = 0;
  constructor(
    private source: string,
    private isUnicode: boolean,
  ) {}

  choice(): Node {
    const nodes = [this.sequence()];
    while (this.take("|")) nodes.push(this.sequence());
    return nodes.length === 1 ? nodes[0]! : { kind: "choice", nodes };
  }

  private sequence(): Node {
    const nodes: Node[] = [];
    while (this.at < this.source.length && !"|)".includes(this.source[this.at]!)) nodes.push(this.repeated(this.term()));
    return { kind: "sequence", nodes };
  }

  private repeated(node: Node): Node {
    const range = this.range();
    if (!range) return node;
    this.take("?"); // how much is taken first makes no difference to whether there is a match
    return { kind: "repeat", node, ...range };
  }

  private range(): { min: number; max: number } | null {
    if (this.take("*")) return { min: 0, max: Infinity };
    if (this.take("+")) return { min: 1, max: Infinity };
    if (this.take("?")) return { min: 0, max: 1 };
    const found = this.match(counts);
    if (!found) return null;
    const min = Number(found[1]);
    return { min, max: !found[2] ? min : found[3] ? Number(found[3]) : Infinity };
  }

  private term(): Node {
    if (this.take("^")) return { kind: "place", name: "^" };
    if (this.take("$")) return { kind: "place", name: "$" };
    const char = this.source[this.at];
    if (char === "(") return this.group();
    if (char === "[") return this.class();
    if (char === "\\") return this.escape();
    return this.char();
  }

  private group(): Node {
    const begin = this.match(groups)?.[0] ?? "";
    const node = this.choice();
    if (!this.take(")")) throw new PatternError("it has a group that cannot be checked");
    if (!/[=!]$/.test(begin)) return node;
    return { kind: "look", node, isBehind: begin.includes("<"), isNegated: begin.endsWith("!") };
  }

  private class(): Node {
    const from = this.at++;
    while (this.at < this.source.length && this.source[this.at] !== "]") this.at += this.source[this.at] === "\\" ? 2 : 1;
    return this.atom(this.source.slice(from, ++this.at));
  }

  private escape(): Node {
    const found = this.match(this.isUnicode ? escapes.unicode : escapes.plain)?.[0] ?? "";
    if (found === "\\b" || found === "\\B") return { kind: "place", name: found };
    if (/^\\[1-9k]/.test(found)) throw new PatternError("it refers to a group of its own");
    return this.atom(found);
  }

  private char(): Node {
    const char = this.isUnicode ? String.fromCodePoint(this.source.codePointAt(this.at)!) : this.source[this.at]!;
    this.at += char.length;
    return char === "." ? this.atom(char) : { kind: "char", test: (other) => other === char };
  }

  private atom(text: string): Node {
    const one = new RegExp(`^(?:${text})$`, this.isUnicode ? "u" : "");
    const known = new Map<string, boolean>();
    const test = (char: string) => {
      let isMatch = known.get(char);
      if (isMatch === undefined) known.set(char, (isMatch = one.test(char)));
      return isMatch;
    };
    return { kind: "char", test };
  }

  private take(char: string): boolean {
    if (this.source[this.at] !== char) return false;
    this.at++;
    return true;
  }

  private match(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.at;
    const found = expression.exec(this.source);
    if (found) this.at += found[0].length;
    return found;
  }
}
