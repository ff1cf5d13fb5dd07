// Tables as files for spreadsheets.

type Cell = string | number;

/** A table as a file. A text that a program would take for a formula begins with an apostrophe. */
export const writeCSV = (rows: readonly (readonly Cell[])[]): Blob =>
  new Blob([rows.map((row) => `${row.map(writeCell).join(",")}\r\n`).join("")], { type: "text/csv" });

function writeCell(cell: Cell): string {
  if (typeof cell === "number") return String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
