// A text that is still being written. What cannot change any more is lexed once; only its tail is lexed again.
import { normalizeLines, type Lex, type Token } from "./lexer";
import { withoutMarks } from "./marks";
import { Converter, type Block } from "./nodes";
import { finishMarks } from "./unfinished";

/** The blocks of a text that grows. */
export class Blocks {
  private readonly converter: Converter;
  private tail = "";
  private heldBack = ""; // a line end that may be the first half of one
  private fresh: Block[] | null = null; // of the tail; null when it has grown
  private isWhole = true; // the text, as the fresh blocks show it
  private readonly settledTokens: Token[] = [];
  private openTokens: Token[] = [];

  /** The blocks that do not change any more. The same array grows. */
  readonly settled: Block[] = [];

  constructor(
    private readonly lex: Lex,
    base?: string,
  ) {
    this.converter = new Converter(base);
  }

  append(delta: string) {
    let text = this.heldBack + delta;
    this.heldBack = text.endsWith("\r") ? "\r" : "";
    if (this.heldBack) text = text.slice(0, -1);
    this.tail += withoutMarks(normalizeLines(text));
    this.fresh = null;
  }

  /** The blocks at the end, which may still change. Marks that a text which is not whole has begun are finished. */
  open(isWhole = true): Block[] {
    if (this.fresh && isWhole === this.isWhole) return this.fresh;
    this.isWhole = isWhole;
    const tokens = this.lex(isWhole ? this.tail : finishMarks(this.tail));
    this.openTokens = tokens.slice(this.settle(tokens));
    this.fresh = this.converter.fork().blocks(this.openTokens);
    return this.fresh;
  }

  /** All blocks. */
  all(isWhole = true): Block[] {
    const open = this.open(isWhole);
    return [...this.settled, ...open];
  }

  /** The tokens of the whole text. */
  tokens(): Token[] {
    this.open();
    return [...this.settledTokens, ...this.openTokens];
  }

  /** Moves what cannot change from the tail to the settled blocks. Returns how many tokens that are. */
  private settle(tokens: Token[]): number {
    const count = countSettled(tokens);
    if (count === 0) return 0;
    const done = tokens.slice(0, count);
    this.settledTokens.push(...done);
    this.settled.push(...this.converter.blocks(done));
    this.tail = this.tail.slice(done.reduce((length, { raw }) => length + raw.length, 0));
    return count;
  }
}

/**
 * How many tokens no further text can change: those before an empty line behind which a block has begun whose first line
 * is whole. A list ends nowhere else.
 */
function countSettled(tokens: readonly Token[]): number {
  for (let i = tokens.length - 1; i > 0; i--) {
    const before = tokens[i - 1]!;
    const isApart = before.type === "space" || before.raw.endsWith("\n\n");
    const rest = tokens.slice(i).map(({ raw }) => raw).join("");
    if (tokens[i]!.type !== "space" && isApart && rest.includes("\n")) return i;
  }
  return 0;
}
