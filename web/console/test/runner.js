// Runs files of tests in the order in which they are given: the command line of Node's test runner would sort them.
import { compose } from "node:stream";
import { run } from "node:test";
import { spec as Spec } from "node:test/reporters";
import times from "./times.js";

/** Runs the files, two at a time, each for so many minutes at most; prints what happens and reports whether all held. */
export async function runFiles(files, minutes) {
  let held = true;
  const events = run({ files, concurrency: 2, timeout: minutes * 60_000 });
  events.on("test:fail", ({ todo }) => (held &&= todo !== undefined));
  const printed = [new Spec(), times].map((reporter) => print(compose(events, reporter)));
  await Promise.all(printed);
  return held;
}

async function print(text) {
  for await (const part of text) process.stdout.write(part);
}
