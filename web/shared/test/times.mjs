// A reporter for Node's test runner: how long the tests of each file took, the slowest first, and all of them together.
import { basename } from "node:path";

export default async function* times(events) {
  const began = performance.now();
  const files = new Map();
  for await (const { type, data } of events) {
    if ((type !== "test:pass" && type !== "test:fail") || data.nesting !== 0 || !data.file) continue;
    const name = basename(data.file);
    files.set(name, (files.get(name) ?? 0) + data.details.duration_ms);
  }
  const line = ([name, millis]) => `${(millis / 1000).toFixed(1).padStart(7)} s  ${name}\n`;
  yield* [...files].sort(([, a], [, b]) => b - a).map(line);
  yield line(["in all", performance.now() - began]);
}
