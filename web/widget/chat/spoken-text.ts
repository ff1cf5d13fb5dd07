// What is read out of a text in Markdown: its words, without the signs that they are written with.
import { Converter, textOf, type Block } from "../../shared/markdown/nodes";
import { lex } from "./markdown";

export const spokenText = (text: string): string => readAll(new Converter().blocks(lex(text)));

const readAll = (blocks: readonly Block[]): string => blocks.map(readBlock).filter(Boolean).join("\n");

function readBlock(block: Block): string {
  switch (block.kind) {
    case "paragraph":
    case "heading":
      return textOf(block.children);
    case "fence":
    case "raw":
      return block.text;
    case "quote":
      return readAll(block.children);
    case "list":
      return block.items.map(({ children }, i) => `${block.isOrdered ? `${block.start + i}. ` : ""}${readAll(children)}`).join("\n");
    case "table":
      return [block.header, ...block.rows].map((row) => row.map(textOf).join(", ")).join("\n");
    case "rule":
      return "";
  }
}
