// What the citations of an answer are about.
import type { Blocks } from "../../../../shared/markdown/blocks";
import type { Block } from "../../../../shared/markdown/nodes";
import { citedBlocks, toUTF16, type Range } from "../../../../shared/markdown/cites";
import type { Citation, Part } from "../../../../shared/stream/turn";
import type { Answer, PassageTrace } from "../../api/playground";
import { lex } from "../../components/markdown/lexer";

/** A source that an answer cites, with the number that its marks bear. */
export interface CitedSource {
  number: number;
  name: string;
  url: string | null;
}

/** The sources of an answer in the order of their first marks. */
export function citedSources(citations: readonly Citation[]): CitedSource[] {
  const found = new Map<string, CitedSource>();
  for (const { sourceId, name, url } of citations) {
    if (!found.has(sourceId)) found.set(sourceId, { number: found.size + 1, name, url: url ?? null });
  }
  return [...found.values()];
}

export function numberOf(citations: readonly Citation[], index: number): number {
  const ids = [...new Set(citations.map(({ sourceId }) => sourceId))];
  return ids.indexOf(citations[index]!.sourceId) + 1;
}

/** The index of the passage that a citation is from; -1 where that cannot be told any more. */
export function passageOf(citation: Citation, passages: readonly PassageTrace[]): number {
  const within = ({ start, end, sourceId }: PassageTrace) =>
    sourceId === citation.sourceId && start != null && end != null && start <= citation.start && citation.end <= end;
  const exact = passages.findIndex((passage) => passage.cited && within(passage));
  return exact >= 0 ? exact : passages.findIndex(({ cited, sourceId }) => cited && sourceId === citation.sourceId);
}

/** The citations that are from a passage. */
export const citationsOf = (passage: number, { metadata }: Answer): number[] => {
  const passages = metadata?.explain?.passages ?? [];
  return (metadata?.citations ?? []).flatMap((citation, i) => (passageOf(citation, passages) === passage ? [i] : []));
};

/** A text in three: before the cited words, the words, after them. Null where the text does not hold them. */
export function splitAtCitation(passage: PassageTrace | undefined, citation: Citation): [string, string, string] | null {
  const { text, start, end } = passage ?? {};
  if (!text || start == null || end == null || citation.start < start || citation.end > end) return null;
  const [from, to] = toUTF16(text, [citation.start - start, citation.end - start]);
  return [text.slice(0, from), text.slice(from, to), text.slice(to)];
}

const encoder = new TextEncoder();

/** Where the citations are in each text of a finished answer. They count the bytes of all its texts. */
export function rangesOfTexts(parts: readonly Part[], citations: readonly Citation[]): Range[][] {
  let at = 0;
  const last = parts.findLastIndex(({ kind }) => kind === "text");
  return parts.map((part, i) => {
    if (part.kind !== "text") return [];
    const [from, to] = [at, at + encoder.encode(part.text).length];
    at = to;
    const isOwn = ({ answerEnd }: Citation) => answerEnd > from && (answerEnd <= to || i === last);
    const nowhere = { answerStart: -1, answerEnd: -1 };
    return citations.map((one) =>
      isOwn(one) ? { answerStart: Math.max(0, one.answerStart - from), answerEnd: one.answerEnd - from } : nowhere,
    );
  });
}

/** The blocks of a finished text with its citations. Those without one stay the same, so that they are not drawn again. */
export function citeBlocks(grown: Blocks, text: string, ranges: readonly Range[]): Block[] {
  const before = grown.all();
  const cited = citedBlocks(text, ranges, lex, undefined, grown.tokens());
  return cited.map((block, i) => (JSON.stringify(block) === JSON.stringify(before[i]) ? before[i]! : block));
}
