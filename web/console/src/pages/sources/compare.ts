// What differs between two texts, line by line.

export interface Line {
  kind: "same" | "added" | "removed";
  text: string;
}

/** Lines in a row that both have are left out but for a few; `count` says how many. */
export interface Gap {
  kind: "gap";
  count: number;
}

const mostCells = 4_000_000; // of the table of the longest common sequence; of more, all in between counts as different
const context = 2; // lines that are kept beside a difference

/** The lines of `after` with those of `before` that are gone. */
export function compareLines(before: string, after: string): Line[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const same = (text: string): Line => ({ kind: "same", text });
  return [
    ...now.slice(0, start).map(same),
    ...compareMiddle(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...now.slice(now.length - end).map(same),
  ];
}

function compareMiddle(old: readonly string[], now: readonly string[]): Line[] {
  const width = now.length + 1;
  const isTooMuch = (old.length + 1) * width > mostCells;
  // The cell of i and j has the length of the longest sequence that both have from there on.
  const table = isTooMuch ? null : new Uint32Array((old.length + 1) * width);
  if (table) {
    for (let i = old.length - 1; i >= 0; i--) {
      for (let j = now.length - 1; j >= 0; j--) {
        const [down, right] = [table[(i + 1) * width + j]!, table[i * width + j + 1]!];
        table[i * width + j] = old[i] === now[j] ? table[(i + 1) * width + j + 1]! + 1 : Math.max(down, right);
      }
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (table && i < old.length && j < now.length && old[i] === now[j]) {
      lines.push({ kind: "same", text: now[j]! });
      i++;
      j++;
    } else if (i < old.length && (!table || j >= now.length || table[(i + 1) * width + j]! >= table[i * width + j + 1]!)) {
      lines.push({ kind: "removed", text: old[i++]! });
    } else lines.push({ kind: "added", text: now[j++]! });
  }
  return lines;
}

/** Leaves out what is the same, but for a few lines beside each difference. */
export function leaveOutSame(lines: readonly Line[]): (Line | Gap)[] {
  const isKept = lines.map(() => false);
  lines.forEach(({ kind }, i) => {
    if (kind !== "same") isKept.fill(true, Math.max(0, i - context), i + context + 1);
  });
  const out: (Line | Gap)[] = [];
  lines.forEach((line, i) => {
    const last = out.at(-1);
    if (isKept[i]) out.push(line);
    else if (last?.kind === "gap") last.count++;
    else out.push({ kind: "gap", count: 1 });
  });
  return out;
}
