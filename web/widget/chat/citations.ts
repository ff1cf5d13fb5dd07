// Where the citations of an answer stand in it.
import { citedBlocks } from "../../shared/markdown/cites";
import type { Block } from "../../shared/markdown/nodes";
import { lex } from "./markdown";
import type { Citation, Part } from "./state";

/** The number of a citation's source: sources are numbered in the order of their first citations. */
export function numberOf(citations: readonly Citation[], index: number): number {
  const sources = [...new Set(citations.map(({ sourceId }) => sourceId))];
  return sources.indexOf(citations[index]!.sourceId) + 1;
}

const encoder = new TextEncoder();

/** The blocks of each text of a finished answer, with its marks. Citations count the bytes of all texts together. */
export function citedTexts(parts: readonly Part[], citations: readonly Citation[]): (readonly Block[] | undefined)[] {
  let at = 0;
  const last = parts.findLastIndex(({ kind }) => kind === "text");
  return parts.map((part, i) => {
    if (part.kind !== "text") return undefined;
    const [from, to] = [at, at + encoder.encode(part.text).length];
    at = to;
    const isOwn = ({ answerEnd }: Citation) => answerEnd > from && (answerEnd <= to || i === last);
    const ranges = citations.map((one) =>
      isOwn(one)
        ? { answerStart: Math.max(0, one.answerStart - from), answerEnd: one.answerEnd - from }
        : { answerStart: -1, answerEnd: -1 },
    );
    return citedBlocks(part.text, ranges, lex);
  });
}
