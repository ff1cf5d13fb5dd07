/** The place, from 1 on, of what moves to before or behind another row, out of a place above or below it. */
export function findPlace(from: number, target: number, isBefore: boolean): number {
  const gap = isBefore ? target : target + 1;
  return (gap > from ? gap - 1 : gap) + 1;
}
