import type { Window } from "../api/pages";

/** What readers of the screen are told of a row: which one it is, and of how many, -1 where nobody has counted them. */
export interface PlaceInList {
  "aria-posinset": number;
  "aria-setsize": number;
}

/** Returns what is told of the rows of a list of which a part is drawn; nothing where it is drawn as a whole. */
export function placesIn({ rows, count, hasMore }: Window<unknown>) {
  const isPart = hasMore || count > 0;
  const size = hasMore ? -1 : count + rows.length;
  return (i: number): PlaceInList | undefined => (isPart ? { "aria-posinset": count + i + 1, "aria-setsize": size } : undefined);
}
