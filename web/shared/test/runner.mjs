// Runs files of tests in the order in which they are given: the command line of Node's test runner would sort them.
import { appendFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, join } from "node:path";
import { compose } from "node:stream";
import { run } from "node:test";
import { spec as Spec } from "node:test/reporters";
import { inspect } from "node:util";
import { findResult, traceInputs } from "./results.mjs";
import times from "./times.mjs";

/** More failures than this are no chance, and are not tried again. */
const mostFailures = 5;

/** Tests in a browser wait as long as they compute: two files at a time for each processor keep it busy. */
const inParallel = 2 * availableParallelism();

/**
 * Runs the files, `concurrency` at a time, each for so many minutes at most; prints what happens and reports whether all
 * tests held. The files of those that failed run once more, one at a time; what holds then is told as flaky. A file that
 * has passed with the same inputs is not run, unless it `isChosen`.
 */
export async function runFiles(files, minutes, { concurrency = inParallel, isChosen = false } = {}) {
  const known = isChosen ? [] : files.map(findResult).filter(Boolean);
  for (const [{ file }] of known) process.stdout.write(`${basename(file)} (cached)\n`);
  const left = files.filter((name) => !known.some(([{ file }]) => file === name));
  const tests = left.length ? await runAndKeep(left, minutes, concurrency) : { all: [], flaky: [] };
  return keep([...known.flat(), ...tests.all], tests.flaky);
}

async function runAndKeep(files, minutes, concurrency) {
  const first = [];
  const keepResults = traceInputs(first);
  await runOnce(files, minutes, concurrency, first);
  keepResults();
  const failed = first.filter((test) => test.status === "fail");
  if (!failed.length || failed.length > mostFailures) return { all: first, flaky: [] };
  const again = await runOnce([...new Set(failed.map((test) => test.file))], minutes, 1);
  const isOfAgain = (test) => again.some((other) => other.file === test.file);
  const still = new Set(again.filter((test) => test.status === "fail").map((test) => test.name));
  return { all: [...first.filter((test) => !isOfAgain(test)), ...again], flaky: failed.filter((test) => !still.has(test.name)) };
}

/**
 * Returns the tests of the files, and groups that are skipped as a whole: the file, the name, "pass", "fail" or "skip", and
 * the error of each. They are in `tests` as soon as they have ended.
 */
async function runOnce(files, minutes, concurrency, tests = []) {
  const events = run({ files, concurrency, timeout: minutes * 60_000 });
  const note = (status) => (test) => {
    if (test.details.type === "suite" && !test.skip) return;
    tests.push({ file: test.file ?? test.name, name: test.name, status: test.skip ? "skip" : status, error: test.details.error });
  };
  events.on("test:fail", (test) => test.todo === undefined && note("fail")(test));
  events.on("test:pass", note("pass"));
  await Promise.all([new Spec(), times].map((reporter) => print(compose(events, reporter))));
  return tests;
}

async function print(text) {
  for await (const part of text) process.stdout.write(part);
}

/** The lines of a failed test's error, moved in. */
const describeError = ({ error }) => `${inspect(error?.cause ?? error).replace(/^/gm, "    ")}\n`;

/** Tells what the tests came to, here and where .ci/summary reads it, and reports whether none failed. */
function keep(tests, flaky) {
  const line = ({ file, name }) => `${basename(file)} ${name}\n`;
  const folder = process.env.PARLEY_CHECKS;
  for (const test of flaky) process.stdout.write(`FLAKY: ${line(test)}`);
  if (folder) appendFileSync(join(folder, "flaky"), flaky.map(line).join(""));
  if (folder) appendFileSync(join(folder, "flaky-output"), flaky.map((test) => line(test) + describeError(test)).join(""));
  if (folder) appendFileSync(join(folder, "tests"), tests.map((test) => `${test.status} ${line(test)}`).join(""));
  return tests.every((test) => test.status !== "fail");
}
