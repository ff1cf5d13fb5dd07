import { useDeferredValue, type ReactNode } from "react";

/**
 * Draws its children once what is around them has been painted: whoever opens something sees at once that it opens, and
 * what they type meanwhile is taken.
 */
export function Deferred({ children }: { children: ReactNode }) {
  return useDeferredValue(true, false) ? children : null;
}
