// What an agent is told in one channel only, as somebody who writes there has it.

/** Instructions by channel: one text for whatever way people talk, or one for each. */
export type ByChannel = Readonly<Record<string, string | { chat?: string; voice?: string }>>;

/** The text of a channel; empty for none. */
export function textOf(all: ByChannel | null, channel: string): string {
  const one = all?.[channel] ?? "";
  return typeof one === "string" ? one : (one.chat ?? "");
}

/** The instructions with another text of a channel; null if no text is left. */
export function withText(all: ByChannel | null, channel: string, text: string): ByChannel | null {
  const known: ByChannel = all ?? {};
  const { [channel]: before = "", ...others } = known;
  const spoken = typeof before === "string" ? "" : (before.voice ?? "");
  if (!text && !spoken) return Object.keys(others).length > 0 ? others : null;
  const one = typeof before === "string" ? text : { ...(text && { chat: text }), ...(spoken && { voice: spoken }) };
  return { ...known, [channel]: one };
}

/** The instructions of the agent and those of a channel behind them, as the server puts them together. */
export function addText(instructions: string, text: string): string {
  return text.trim() === "" ? instructions : `${instructions.trim()}\n\n${text.trim()}`.trim();
}
