// The same done to many, a few at a time.
import { APIError } from "../../api/client";

const atOnce = 4;
const mostWaits = 10; // of one item, when it is told to come later

export interface Failure<T> {
  item: T;
  error: unknown;
}

/** Calls `act` for each and returns what has failed, in the order of the items. */
export async function runEach<T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<Failure<T>[]> {
  const rest = [...items];
  const failures: Failure<T>[] = [];
  const work = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) {
      const one = item;
      await runPatiently(() => act(one)).catch((error: unknown) => failures.push({ item: one, error }));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return failures.sort((a, b) => items.indexOf(a.item) - items.indexOf(b.item));
}

/** Calls `act`, and again after as long as the server wants where that was too soon. */
async function runPatiently(act: () => Promise<unknown>): Promise<unknown> {
  for (let waits = 0; ; waits++) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof APIError) || error.status !== 429 || error.wait === null || waits === mostWaits) throw error;
      const { wait } = error;
      await new Promise((done) => setTimeout(done, wait * 1000));
    }
  }
}
