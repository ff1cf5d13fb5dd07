// Keeps which files of tests have passed with which inputs, as `go test` does: a file whose inputs are the same passes
// again, and is not run. Its inputs are what it imports and reads of the project and of what is built for the tests, the
// versions of the programs that it starts, and the variables that tests look at. What starts other programs always runs, and
// so does everything where PARLEY_TEST_CACHE is off or PARLEY_LONG is set.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join, relative, resolve, sep } from "node:path";

const root = resolve(import.meta.dirname, "../../..");
const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "parley-tests");
const isOff = process.env.PARLEY_TEST_CACHE === "off" || Boolean(process.env.PARLEY_LONG);

/** Variables that name what was made for the tests: its content counts, not its place. */
const builds = ["PARLEY_CONSOLE_BUILD", "PARLEY_WIDGET_BUILD", "PARLEY_WIDGET_KIT"];
const programs = ["PARLEY_PROGRAM", "PARLEY_VOICEROOM"];
const unlike = [...builds, ...programs, "PARLEY_CHECKS", "PARLEY_TEST_CACHE", "PARLEY_TRACE"];

const mostKept = 8; // results of a file

const hash = (text) => createHash("sha256").update(text).digest("hex");
const isIn = (path, place) => path === place || path.startsWith(place + sep);
const remember = (find, known = new Map()) => (key) => known.get(key) ?? known.set(key, find(key)).get(key);

/** What the tests see of the machine. */
const surroundings = remember(() => {
  const named = Object.entries(process.env).filter(([name]) => /^(PARLEY_.*|CI|TZ|LANG)$/.test(name) && !unlike.includes(name));
  return JSON.stringify([process.version, process.platform, process.arch, named.sort()]);
});

/** A name of a path that is the same in every checkout: of the project, what lies beside it, or a build; else undefined. */
function nameOf(path) {
  const build = builds.find((name) => process.env[name] && isIn(path, resolve(process.env[name])));
  if (build) return `${build}:${relative(process.env[build], path)}`;
  if (path.includes(`${sep}node_modules${sep}`)) return undefined; // the lock file says what is there
  if (isIn(path, root) || isIn(path, join(dirname(root), "shared"))) return `file:${relative(root, path)}`;
  return undefined;
}

const began = Date.now();

/**
 * What is at a name: the hash of a file or of a folder's list, the version of a program; "" for nothing. It is null where
 * nothing was built, and for what has changed since the tests began, which may have seen something else.
 */
const contentOf = remember((name) => {
  const [, kind, rest] = /^(\w+):(.*)$/s.exec(name);
  if (kind === "go") return hashSources();
  if (kind === "version") return execFileSync(rest, ["--version"], { encoding: "utf8" });
  const place = kind === "file" ? root : process.env[kind];
  if (!place) return null;
  const path = join(place, rest);
  const about = lookAt(path);
  if (!about) return "";
  if (about.mtimeMs > began && kind === "file") return null;
  return hash(about.isDirectory() ? JSON.stringify(readdirSync(path).sort()) : readFileSync(path));
});

/** What is at a path; undefined for nothing, also where a file is in the place of one of its folders. */
function lookAt(path) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (error.code !== "ENOTDIR") throw error;
    return undefined;
  }
}

/** The hash of what the programs are built of that tests start. */
function hashSources() {
  const go = (...words) => execFileSync("go", words, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });
  const lists = ["GoFiles", "CgoFiles", "EmbedFiles"].map((list) => `{{range $.${list}}}{{$.Dir}}/{{.}}\n{{end}}`);
  const format = `{{with .Module}}{{if .Main}}${lists.join("")}{{end}}{{end}}`;
  const files = go("list", "-deps", "-f", format, "./cmd/parley", "./internal/testkit/voiceroom").split("\n").filter(Boolean);
  const all = [...files.sort(), join(root, "go.mod"), join(root, "go.sum")];
  return hash(go("version") + all.map((path) => `${relative(root, path)} ${hash(readFileSync(path))}\n`).join(""));
}

/** The files that a module imports by their paths, and those that these import. */
function importsOf(file, found = new Set()) {
  if (found.has(file)) return found;
  found.add(file);
  if (!/\.m?js$/.test(file) || !existsSync(file)) return found;
  for (const [, path] of readFileSync(file, "utf8").matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)) importsOf(resolve(dirname(file), path), found);
  return found;
}

/** The lock file of the packages that a file of tests may import. */
const lockOf = (file) => join(dirname(dirname(file)), "package-lock.json");

/** The name of a program that was started; null for one whose output may depend on what nobody notes. */
function nameOfProgram(command) {
  if (programs.some((name) => process.env[name] === command)) return "go:";
  return /^\/usr\/.*chrom/.test(command) ? `version:${command}` : null;
}

/** The names of all inputs of a file of tests; null if they cannot be told. */
function inputsOf(file, trace) {
  const paths = [...importsOf(file), lockOf(file), ...trace.read];
  const started = trace.started.map(nameOfProgram);
  if (started.includes(null)) return null;
  return [...new Set([...paths.map(nameOf), ...started])].filter(Boolean).sort();
}

const placeOf = (file) => join(folder, `${hash(`${relative(root, file)} ${surroundings()}`)}.json`);

function readResults(file) {
  try {
    return JSON.parse(readFileSync(placeOf(file), "utf8"));
  } catch {
    return []; // none is kept, or it was cut
  }
}

/** The results of the tests of a file that has passed with its present inputs: a list, as runFiles has it; else null. */
export function findResult(file) {
  if (isOff) return null;
  const same = ([name, content]) => contentOf(name) === content;
  const found = readResults(file).find(({ inputs }) => Object.entries(inputs).every(same));
  return found ? found.tests.map((test) => ({ ...test, file })) : null;
}

const settled = 10_000; // milliseconds after its end in which all that a process has printed is here

/**
 * Begins to note what files of tests read. The results of those that have passed are kept soon after they end, so that a
 * run that is stopped does not lose them. `tests` fills with results meanwhile. Returns what ends it and keeps the rest.
 */
export function traceInputs(tests) {
  if (isOff) return () => {};
  const traces = mkdtempSync(join(tmpdir(), "parley-trace-"));
  const { NODE_OPTIONS = "" } = process.env;
  process.env.PARLEY_TRACE = traces;
  process.env.NODE_OPTIONS = `${NODE_OPTIONS} --import=${new URL("trace.mjs", import.meta.url)}`;
  const timer = setInterval(() => keepResults(traces, tests, settled), settled);
  return () => {
    clearInterval(timer);
    delete process.env.PARLEY_TRACE;
    process.env.NODE_OPTIONS = NODE_OPTIONS;
    keepResults(traces, tests, 0);
    rmSync(traces, { recursive: true });
  };
}

/**
 * Keeps the results of the files whose processes have ended so many milliseconds ago. Files are told of one after the other:
 * until the next one is, or the end, not all tests of a file may be there.
 */
function keepResults(traces, tests, age) {
  const isOver = age === 0;
  for (const name of readdirSync(traces)) {
    const place = join(traces, name);
    if (Date.now() - statSync(place).mtimeMs < age) continue;
    const trace = JSON.parse(readFileSync(place, "utf8"));
    const ofFile = tests.filter((test) => test.file === trace.file);
    if (!isOver && (!ofFile.length || tests.at(-1).file === trace.file)) continue;
    rmSync(place);
    if (ofFile.length && ofFile.every(({ status }) => status !== "fail")) keepResult(trace, ofFile);
  }
}

function keepResult(trace, tests) {
  const names = inputsOf(trace.file, trace);
  if (!names) return;
  const inputs = Object.fromEntries(names.map((name) => [name, contentOf(name)]));
  if (Object.values(inputs).includes(null)) return;
  const kept = [{ inputs, tests: tests.map(({ name, status }) => ({ name, status })) }, ...readResults(trace.file)];
  const place = placeOf(trace.file);
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${place}.new`, JSON.stringify(kept.slice(0, mostKept)));
  renameSync(`${place}.new`, place);
}
