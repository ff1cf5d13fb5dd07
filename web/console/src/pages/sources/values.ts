// What people change of a source, by the names of REST v2.
import type { Values } from "../../api/draft";
import { readSource } from "../../api/source-rows";
import { linkRecord, readWrittenText, type LinkRecord, type SourceDetails } from "../../api/sources";

/** A text as a field has it, which knows no other line ends. */
export const asTyped = (text: string) => text.replace(/\r\n?/g, "\n");

/** What a source has of it. Its text is read by itself. */
export function valuesOf(source: SourceDetails, text = ""): Values {
  const { type, name } = source;
  if (type === "link") {
    const record: Partial<LinkRecord> = linkRecord(source) ?? {};
    const { includeOnlyPaths = [], excludePaths = [], slowScraping = false } = record;
    return { includeOnlyPaths, excludePaths, slowScraping };
  }
  if (type === "qna") return { name, questions: source.questions ?? [], answer: asTyped(source.answer ?? "") };
  return type === "text" ? { name, content: asTyped(text) } : { name };
}

/** What it has now, of a source from which `before` was read: others may have changed it since. */
export async function readPresent(agentId: string, source: SourceDetails, before: Values, mine: Values): Promise<Values> {
  if (Object.keys(mine).length === 0) return before;
  const now = await readSource(agentId, source.sourceId);
  if (now.updatedAt === source.updatedAt) return before;
  return valuesOf(now, "content" in mine ? await readWrittenText(agentId, source.sourceId) : "");
}

const mostLines = 3;
const mostCharacters = 300;

/** How two values of a setting are shown beside each other: of long texts the first lines that differ. */
export function showBoth(mine: unknown, theirs: unknown): [string, string] {
  if (typeof mine !== "string" || typeof theirs !== "string") return [showOne(mine), showOne(theirs)];
  const [own, others] = [mine.split("\n"), theirs.split("\n")];
  const found = own.findIndex((line, i) => line !== others[i]);
  const from = found < 0 ? own.length : found;
  const cut = (lines: readonly string[]) => [...lines.slice(from, from + mostLines).join("\n")].slice(0, mostCharacters).join("");
  return [showOne(cut(own)), showOne(cut(others))];
}

const showOne = (value: unknown) => (Array.isArray(value) ? value.join(", ") : String(value ?? "")) || "–";
