// Values as lines, in the way of a manifest.

const isGroup = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);
const isEmpty = (value: unknown) => (Array.isArray(value) ? value.length === 0 : isGroup(value) && Object.keys(value).length === 0);
const isNested = (value: unknown) => (isGroup(value) || Array.isArray(value)) && !isEmpty(value);
const isPlainText = (value: unknown): value is string => typeof value === "string" && /^[\p{L}][^\n:#]*$/u.test(value);

function* linesOf(value: unknown, indent: string): Generator<string> {
  const entries = Array.isArray(value) ? value.map((one) => ["-", one] as const) : Object.entries(value as object).map(([name, one]) => [`${name}:`, one] as const);
  for (const [head, one] of entries) {
    if (isNested(one)) {
      yield indent + head;
      yield* linesOf(one, `${indent}  `);
    } else if (typeof one === "string" && one.includes("\n")) {
      yield `${indent}${head} |`;
      for (const line of one.split("\n")) yield `${indent}  ${line}`;
    } else yield `${indent}${head} ${isPlainText(one) ? one : JSON.stringify(one)}`;
  }
}

/** A value that was read of JSON, with a line for each of its members; empty if it has no members. */
export const writeLines = (value: unknown): string => (isNested(value) ? [...linesOf(value, "")].join("\n") : "");
