// Markdown of strangers is lexed by marked and never rendered by it: nodes.ts has the table of what there is.

/** A token of marked, as far as it is read here. */
export interface Token {
  type: string;
  raw: string;
  text?: string;
  depth?: number;
  lang?: string;
  href?: string;
  ordered?: boolean;
  start?: number | "";
  loose?: boolean;
  task?: boolean;
  checked?: boolean;
  autolink?: boolean;
  tokens?: Token[];
  items?: Token[];
  align?: ("center" | "left" | "right" | null)[];
  header?: { tokens: Token[] }[];
  rows?: { tokens: Token[] }[][];
}

export type Lex = (text: string) => Token[];

interface Marked {
  // Classes of marked: they are handed in, so that this folder depends on no library.
  Lexer: new (options: any) => { lex(text: string): any };
  Tokenizer: new () => any;
}

/**
 * Returns what cuts a text into the tokens of its blocks. Each block is read for itself: no definition of a link and no
 * open tag in it changes what comes after, so that what has been written can be shown for good.
 */
export function createLexer({ Lexer, Tokenizer }: Marked): Lex {
  class BlockTokenizer extends Tokenizer {
    def() {
      return undefined;
    }
    tag(text: string) {
      const token = super.tag(text);
      this.lexer.state.inLink = this.lexer.state.inRawBlock = false;
      return token;
    }
  }
  return (text) => {
    try {
      return new Lexer({ gfm: true, tokenizer: new BlockTokenizer() }).lex(text);
    } catch {
      return [{ type: "html", raw: text, text }]; // nested too deeply to be read: it is shown as it is
    }
  };
}

/** Line ends as the lexer counts them. */
export const normalizeLines = (text: string) => text.replace(/\r\n?/g, "\n");
