/** Returns how many points of the search something has beside the best of a list, from 0 to 1. */
export function shareOfBest(rank: number, list: readonly { rank: number }[]): number {
  const best = Math.max(0, ...list.map(({ rank }) => rank));
  return best > 0 ? Math.max(0, rank / best) : 0;
}
