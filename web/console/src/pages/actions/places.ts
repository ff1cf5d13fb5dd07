// The places in a reply that an action can show the model, as its field response names them.

/** What can be picked is bounded: a reply may have a name of its own for each of many rows. */
const mostPlaces = 100;

const nameable = /^[^.[\]\s]+$/;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === "object" && value !== null;

// walk names the ends of a value: what is below a name that no place can have is left out.
function* walk(value: unknown, path: string): Generator<string> {
  if (Array.isArray(value) && value.length > 0) for (const item of value) yield* walk(item, `${path}[]`);
  else if (isObject(value) && Object.keys(value).length > 0) {
    const names = Object.keys(value).filter((name) => nameable.test(name));
    for (const name of names) yield* walk(value[name], path ? `${path}.${name}` : name);
  } else if (path) yield path;
}

// Of a reply of which only the beginning is there, what is open at the end of its last whole line is closed.
function closeOpen(text: string): string {
  const whole = text.slice(0, text.lastIndexOf("\n")).trimEnd().replace(/,$/, "");
  const open: string[] = [];
  for (const [sign] of whole.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (sign === "{" || sign === "[") open.unshift(sign === "{" ? "}" : "]");
    else if (sign === "}" || sign === "]") open.shift();
  }
  return whole + open.join("");
}

/** The places of a reply, each once; an empty list if it is not JSON. */
export function listPlaces(reply: string, isCut: boolean): string[] {
  try {
    const places = new Set(walk(JSON.parse(isCut ? closeOpen(reply) : reply), ""));
    return [...places].slice(0, mostPlaces);
  } catch {
    return [];
  }
}

/** Reports whether a place is shown where another is picked: it is that one, or below it. */
export const isBelow = (place: string, picked: string) =>
  place === picked || (place.startsWith(picked) && /^[.[]/.test(place.slice(picked.length)));

/**
 * The lines of the field response once these of the places are picked. A line remains whose places all are, and one that
 * has no place here.
 */
export function pickPlaces(lines: readonly string[], places: readonly string[], picked: readonly string[]): string[] {
  const kept = lines.filter((line) => places.filter((place) => isBelow(place, line)).every((place) => picked.includes(place)));
  return [...kept, ...picked.filter((place) => !kept.some((line) => isBelow(place, line)))];
}
