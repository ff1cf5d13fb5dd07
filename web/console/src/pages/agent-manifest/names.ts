// What is where in the text of a manifest. Secrets are named in the configs of actions: in any other place ${NAME} is text,
// as in a source that is about programs.

const secret = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** The lines of the configs of actions, whether they are in blocks or on one line; all lines of a text in JSON. */
function* configLines(text: string): Generator<string> {
  const isJSON = /^\s*\{/.test(text);
  let isInActions = false;
  let depth = Infinity; // of the config that the line may be in
  for (const line of text.split("\n")) {
    const indent = line.search(/\S/);
    if (indent < 0) continue;
    if (/^[\w"']/.test(line)) isInActions = /^["']?actions["']?\s*:/.test(line);
    if (indent <= depth) depth = Infinity;
    const [, head] = /^(\s*(?:- +)*)["']?config["']?\s*:/.exec(line) ?? [];
    if (head !== undefined) depth = head.length;
    const isConfig = indent > depth || head !== undefined || /[{,]\s*["']?config["']?\s*:/.test(line);
    if (isJSON || (isInActions && isConfig)) yield line;
  }
}

/** The names, each once, in the order of the text. */
export const findSecrets = (text: string): string[] => [
  ...new Set([...configLines(text)].flatMap((line) => [...line.matchAll(secret)].map(([, name]) => name!))),
];

/** The number of the line, from 1, that has the key of what is below a part; 0 if no line has it. */
export function findKey(text: string, part: string, key: string): number {
  let isInPart = false;
  const at = text.split("\n").findIndex((line) => {
    if (/^[\w"']/.test(line)) isInPart = line.startsWith(`${part}:`);
    const [, found] = (isInPart && /^\s*(?:- +)?key: +(.+)$/.exec(line)) || [];
    return found?.replace(/^(["'])(.*)\1$/, "$2") === key;
  });
  return at + 1;
}
