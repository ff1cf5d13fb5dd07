// Questions and answers out of what people copy from a spreadsheet.

export interface Pair {
  questions: string[];
  answer: string;
}

/**
 * Reads rows of a table: the last cell that is filled is the answer, the ones before it are wordings of the question.
 * Rows with the same answer are one. Cells are apart by tabs, or else by semicolons or commas.
 */
export function readPairs(text: string): Pair[] {
  const byAnswer = new Map<string, Set<string>>();
  for (const row of readRows(text)) {
    const cells = row.map((cell) => cell.trim()).filter(Boolean);
    const answer = cells.pop();
    if (!answer || cells.length === 0) continue;
    const questions = byAnswer.get(answer) ?? new Set();
    cells.forEach((cell) => questions.add(cell));
    byAnswer.set(answer, questions);
  }
  return [...byAnswer].map(([answer, questions]) => ({ questions: [...questions].slice(0, 50), answer }));
}

function readRows(text: string): string[][] {
  const separator = ["\t", ";", ","].find((one) => text.includes(one)) ?? "\t";
  const rows: string[][] = [[""]];
  let isQuoted = false;
  for (let i = 0; i < text.length; i += 1) {
    const char = text[i]!;
    const row = rows.at(-1)!;
    const isStart = row.at(-1) === "";
    if (isQuoted && char === '"' && text[i + 1] === '"') {
      row[row.length - 1] += '"';
      i += 1;
    } else if (char === '"' && (isQuoted || isStart)) isQuoted = !isQuoted;
    else if (!isQuoted && char === separator) row.push("");
    else if (!isQuoted && (char === "\n" || char === "\r")) rows.push([""]);
    else row[row.length - 1] += char;
  }
  return rows;
}
