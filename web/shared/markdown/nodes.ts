// The closed table from tokens to what is shown. What has no row in it is shown as the text that it is written in.
import { decodeEntities } from "./entities";
import type { Token } from "./lexer";
import { looksLikeOther, readAddress, withoutControls, type Address } from "./links";
import { firstMark, lastMark, markOf, splitMarks, withoutMarks } from "./marks";

export type Align = "center" | "left" | "right" | null;

/** A piece of text; `of` are the citations that it rests on. */
export interface TextNode {
  kind: "text";
  text: string;
  of: readonly number[];
}

export type Inline =
  | TextNode
  | { kind: "cite"; index: number }
  | { kind: "strong" | "em" | "del"; children: Inline[] }
  | { kind: "code"; text: string; of: readonly number[] }
  | { kind: "break" }
  | { kind: "link"; address: Address; isOther: boolean; children: Inline[] }
  | { kind: "image"; address: Address; alt: string };

export interface Item {
  /** Undefined for one that is no task. */
  isDone: boolean | undefined;
  children: Block[];
}

export type Block =
  | { kind: "paragraph"; children: Inline[] }
  | { kind: "heading"; level: 3 | 4 | 5 | 6; children: Inline[] }
  | { kind: "fence"; text: string; language: string }
  | { kind: "quote"; children: Block[] }
  | { kind: "list"; isOrdered: boolean; start: number; isLoose: boolean; items: Item[] }
  | { kind: "table"; align: Align[]; header: Inline[][]; rows: Inline[][][] }
  | { kind: "rule" }
  | { kind: "raw"; text: string };

const maxDepth = 20;
const maxNodes = 5_000;
const maxColumns = 20;
const maxRows = 200;

class TooMuch extends Error {}

/** What holds for the blocks of one message. */
export class Converter {
  private count = 0;
  private readonly open = new Set<number>(); // citations whose sentence has begun
  private seen = new Set<number>();

  /** `base` is the address against which links are read that name no host. */
  constructor(private readonly base?: string) {}

  /** Returns a copy that goes on from here. */
  fork(): Converter {
    const copy = new Converter(this.base);
    copy.count = this.count;
    for (const index of this.open) copy.open.add(index);
    return copy;
  }

  /** Converts the tokens of blocks. What is too large or too deep is text. */
  blocks(tokens: readonly Token[]): Block[] {
    return tokens.flatMap((token) => this.topBlock(token));
  }

  private topBlock(token: Token): Block[] {
    const before = this.count;
    this.seen = new Set();
    let found: Block[];
    try {
      found = this.block(token, 1);
    } catch (error) {
      if (!(error instanceof TooMuch)) throw error;
      this.count = before;
      found = [raw(token.raw)];
    }
    const lost = marksIn(token.raw).filter((index) => !this.seen.has(index));
    for (const index of lost) this.open.delete(index);
    return lost.length > 0 ? addMarks(found, lost) : found;
  }

  private block(token: Token, depth: number): Block[] {
    if (token.type === "space") return [];
    this.add(depth);
    switch (token.type) {
      case "paragraph":
      case "text":
        return [{ kind: "paragraph", children: this.inlines(token.tokens ?? [token], depth) }];
      case "heading": {
        const level = Math.min(6, (token.depth ?? 1) + 2) as 3 | 4 | 5 | 6;
        return [{ kind: "heading", level, children: this.inlines(token.tokens ?? [], depth) }];
      }
      case "code":
        return [{ kind: "fence", text: plain(token.text), language: plain(token.lang).split(/\s/)[0]!.slice(0, 40) }];
      case "blockquote":
        return [{ kind: "quote", children: this.inner(token.tokens, depth) }];
      case "list":
        return [this.list(token, depth)];
      case "table":
        return [this.table(token, depth)];
      case "hr":
        return [{ kind: "rule" }];
    }
    return [raw(token.raw)];
  }

  private inner(tokens: readonly Token[] | undefined, depth: number): Block[] {
    return (tokens ?? []).flatMap((token) => (token.type === "checkbox" ? [] : this.block(token, depth + 1)));
  }

  private list(token: Token, depth: number): Block {
    const items = (token.items ?? []).map((item): Item => {
      this.add(depth + 1);
      return { isDone: item.task ? item.checked === true : undefined, children: this.inner(item.tokens, depth + 1) };
    });
    const start = typeof token.start === "number" ? token.start : 1;
    return { kind: "list", isOrdered: token.ordered === true, start, isLoose: token.loose === true, items };
  }

  private table(token: Token, depth: number): Block {
    const { align = [], header = [], rows = [] } = token;
    if (header.length > maxColumns || rows.length > maxRows) throw new TooMuch();
    const cells = (row: { tokens: Token[] }[]) => row.map((cell) => this.inlines(cell.tokens, depth + 1));
    return { kind: "table", align, header: cells(header), rows: rows.map(cells) };
  }

  private inlines(tokens: readonly Token[], depth: number): Inline[] {
    return tokens.flatMap((token) => this.inline(token, depth + 1));
  }

  private inline(token: Token, depth: number): Inline[] {
    this.add(depth);
    switch (token.type) {
      case "text":
        return token.tokens ? this.inlines(token.tokens, depth) : this.text(decodeEntities(token.text ?? ""));
      case "escape":
        return this.text(token.text ?? "");
      case "strong":
      case "em":
      case "del":
        return [{ kind: token.type, children: this.inlines(token.tokens ?? [], depth) }];
      case "codespan":
        return [{ kind: "code", text: plain(token.text), of: [...this.open] }];
      case "br":
        return [{ kind: "break" }];
      case "link":
        return this.link(token, depth);
      case "image":
        return this.image(token);
    }
    return this.text(token.raw);
  }

  private link(token: Token, depth: number): Inline[] {
    const address = readAddress(hrefOf(token), this.base);
    if (!address) return this.text(token.raw);
    const children = token.autolink ? this.text(token.text ?? "") : this.inlines(token.tokens ?? [], depth);
    for (const child of children) if (child.kind === "text") child.text = withoutControls(child.text);
    return [{ kind: "link", address, isOther: looksLikeOther(textOf(children), address), children }];
  }

  private image(token: Token): Inline[] {
    const address = readAddress(hrefOf(token), this.base);
    if (!address) return this.text(token.raw);
    return [{ kind: "image", address, alt: withoutControls(plain(decodeEntities(token.text ?? ""))) }];
  }

  /** Cuts a text at the marks of citations. */
  private text(text: string): Inline[] {
    const list: Inline[] = [];
    for (const part of splitMarks(text)) {
      if (typeof part === "string") {
        list.push({ kind: "text", text: part, of: [...this.open] });
      } else if (part.isStart) {
        this.open.add(part.index);
      } else {
        this.open.delete(part.index);
        this.seen.add(part.index);
        list.push({ kind: "cite", index: part.index });
      }
    }
    return list;
  }

  private add(depth: number) {
    if (++this.count > maxNodes || depth > maxDepth) throw new TooMuch();
  }
}

const plain = (text = "") => withoutMarks(text);
const raw = (text: string): Block => ({ kind: "raw", text: plain(text).replace(/\n+$/, "") });
const hrefOf = (token: Token) => {
  const href = plain(token.href).trim();
  return token.autolink ? href : decodeEntities(href);
};

const marksIn = (text: string) =>
  [...text].flatMap((c) => (c >= firstMark && c <= lastMark && !markOf(c).isStart ? [markOf(c).index] : []));

/** The text of nodes, without what they look like. */
export function textOf(list: readonly Inline[]): string {
  const one = (node: Inline): string => {
    if (node.kind === "text" || node.kind === "code") return node.text;
    if (node.kind === "break") return "\n";
    if (node.kind === "image") return node.alt;
    return node.kind === "cite" ? "" : textOf(node.children);
  };
  return list.map(one).join("");
}

/** Puts marks that had no place in a block behind its last words, or below it. */
function addMarks(blocks: Block[], marks: readonly number[]): Block[] {
  const cites = marks.map((index): Inline => ({ kind: "cite", index }));
  const last = blocks.at(-1);
  if (last?.kind === "paragraph" || last?.kind === "heading") last.children.push(...cites);
  else if (last?.kind === "quote") last.children = addMarks(last.children, marks);
  else if (last?.kind === "list" && last.items.length > 0) {
    const item = last.items.at(-1)!;
    item.children = addMarks(item.children, marks);
  } else return [...blocks, { kind: "paragraph", children: cites }];
  return blocks;
}
