// Suggested messages as lines: one message each; a line that ends with a colon names a group, whose messages follow
// with a dash.

interface Item {
  text: string;
  order: number;
  icon?: string | null;
}

interface Single extends Item {
  type: "single";
}

interface Group {
  type: "nested";
  name: string;
  order: number;
  icon?: string | null;
  items: Item[];
}

export type Suggestion = Single | Group;

const byOrder = <T extends { order: number }>(list: readonly T[]) => [...list].sort((a, b) => a.order - b.order);

export function writeLines(list: readonly Suggestion[] | null): string {
  const lines = byOrder(list ?? []).flatMap((one) =>
    one.type === "nested" ? [`${one.name}:`, ...byOrder(one.items).map(({ text }) => `- ${text}`)] : [one.text],
  );
  return lines.join("\n");
}

// Icons are not in the lines: what keeps its words keeps its icon.
function iconsOf(before: readonly Suggestion[]): Map<string, string> {
  const found = new Map<string, string>();
  const add = (text: string, icon: string | null | undefined) => icon && found.set(text, icon);
  for (const one of before) {
    if (one.type !== "nested") add(one.text, one.icon);
    else {
      add(`${one.name}:`, one.icon);
      for (const { text, icon } of one.items) add(`- ${text}`, icon);
    }
  }
  return found;
}

/** Reads the lines. A group without messages is a message that ends with a colon. */
export function readLines(text: string, before: readonly Suggestion[] | null = []): Suggestion[] {
  const icons = iconsOf(before ?? []);
  const iconOf = (line: string) => (icons.has(line) ? { icon: icons.get(line)! } : {});
  const lines = text.split("\n").map((line) => line.trim()).filter(Boolean);
  const found: Suggestion[] = [];
  lines.forEach((line, i) => {
    const last = found.at(-1);
    if (line.startsWith("- ") && last?.type === "nested") {
      last.items.push({ text: line.slice(2).trim(), order: last.items.length, ...iconOf(line) });
      return;
    }
    const isGroup = line.length > 1 && line.endsWith(":") && lines[i + 1]?.startsWith("- ");
    if (isGroup) found.push({ type: "nested", name: line.slice(0, -1), order: found.length, items: [], ...iconOf(line) });
    else found.push({ type: "single", text: line, order: found.length, ...iconOf(line) });
  });
  return found;
}
