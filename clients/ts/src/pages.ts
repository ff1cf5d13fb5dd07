/** One page of a list. */
export interface Page<T> {
  data: T[];
  pagination: { cursor: string | null; hasMore: boolean };
}

/**
 * Yields the items of a list, page by page. `next` gets the cursor of the page before, or nothing for the first page.
 * A server that returns a cursor twice would be read forever: that is an error.
 */
export async function* walk<T>(next: (cursor: string | undefined) => Promise<Page<T>>): AsyncGenerator<T, void, undefined> {
  const seen = new Set<string>();
  for (let cursor: string | undefined; ; ) {
    const page = await next(cursor);
    yield* page.data;
    if (!page.pagination.hasMore || page.pagination.cursor === null) return;
    cursor = page.pagination.cursor;
    if (seen.has(cursor)) throw new Error(`The list does not end: the cursor ${cursor} came twice`);
    seen.add(cursor);
  }
}
