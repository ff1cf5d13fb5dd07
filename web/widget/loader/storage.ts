// The page's storage. Browsers take it from frames of other sites, so that the chat frame keeps its things here.

type Area = "localStorage" | "sessionStorage";

/** The name under which it is kept that center stage need not draw attention to itself any more. */
export const noteKey = (key: string) => `${key}:noted`;

/** Reads a value; null if there is none, or the page has no storage. */
export function read(area: Area, key: string): string | null {
  try {
    return window[area].getItem(key);
  } catch {
    return null;
  }
}

/** Writes a value, or removes it if it is null. Reports whether that was done. */
export function write(area: Area, key: string, value: string | null): boolean {
  try {
    if (value === null) window[area].removeItem(key);
    else window[area].setItem(key, value);
    return true;
  } catch {
    return false;
  }
}

/** Reads what the frame has kept; undefined where the page has no storage to lend. */
export function readKept(key: string): string | null | undefined {
  const kept = read("localStorage", key) ?? read("sessionStorage", key);
  const probe = `${key}:probe`;
  return kept ?? (write("sessionStorage", probe, "1") && write("sessionStorage", probe, null) ? null : undefined);
}

/** Keeps a value for the frame: for long, or else for as long as the tab is open. */
export function keep(key: string, value: string | null): void {
  const isKept = write("localStorage", key, value);
  write("sessionStorage", key, isKept ? null : value);
}

/** Removes all that is kept under keys that begin with `prefix`. */
export function forget(prefix: string): void {
  for (const area of ["localStorage", "sessionStorage"] as const) {
    try {
      const keys = Object.keys(window[area]).filter((key) => key.startsWith(prefix));
      keys.forEach((key) => write(area, key, null));
    } catch {
      // There is no storage, so nothing is kept.
    }
  }
}
