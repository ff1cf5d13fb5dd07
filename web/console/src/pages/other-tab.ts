import { useEffect, useState } from "react";

// The other tab is told by what both can read that it was opened for a confirmation: anybody can open its address.
const storageKey = "parley.confirming";
const patience = 10 * 60_000; // milliseconds

/** Notes that another tab is about to confirm who the person is. */
export function awaitConfirmation(): void {
  try {
    localStorage.setItem(storageKey, String(Date.now()));
  } catch {
    // a browser that keeps nothing
  }
}

/** Reports whether a tab awaits a confirmation. */
export function isConfirmationAwaited(): boolean {
  try {
    return Date.now() - Number(localStorage.getItem(storageKey)) < patience;
  } catch {
    return true;
  }
}

export function endConfirmation(): void {
  try {
    localStorage.removeItem(storageKey);
  } catch {
    // likewise
  }
}

/**
 * Looks for what became of a step that is taken in another tab, whenever this one is looked at again. `isDone` stays the
 * same.
 */
export function useOtherTab(isDone: () => Promise<boolean>, onDone: () => unknown) {
  const [isAway, setAway] = useState(false);
  useEffect(() => {
    if (!isAway) return;
    const look = () => void isDone().then((is) => is && onDone(), () => {});
    addEventListener("focus", look);
    return () => removeEventListener("focus", look);
  }, [isAway, isDone, onDone]);
  return [isAway, setAway] as const;
}
