// Loaded before a file of tests: notes the files that its tests read and the programs that they start, in a file of the
// folder PARLEY_TRACE. What the tests import is found in their text (results.mjs).
import child from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const { readdirSync: list, statSync: look, writeFileSync: write } = fs;
const read = new Set();
const started = new Set();

const readers = ["accessSync", "createReadStream", "existsSync", "openAsBlob", "openSync", "readFile", "readFileSync", "readdir", "readdirSync", "statSync"];
const starters = ["exec", "execFile", "execFileSync", "execSync", "fork", "spawn", "spawnSync"];

/** Notes a file or a folder, and with `recursive` all that is in it. */
function noteFile(place, options) {
  if (typeof place !== "string" && !(place instanceof URL)) return;
  const path = place instanceof URL ? fileURLToPath(place) : resolve(place);
  read.add(path);
  const isTree = options?.recursive && look(path, { throwIfNoEntry: false })?.isDirectory();
  if (isTree) for (const name of list(path, { recursive: true })) read.add(join(path, name));
}

const noteTree = (place) => noteFile(place, { recursive: true });

function wrap(module, names, note) {
  for (const name of names) {
    const call = module[name];
    const noting = function (...words) {
      note(...words);
      return call.apply(this, words);
    };
    const properties = Object.getOwnPropertyDescriptors(call);
    const begin = properties[promisify.custom]?.value; // what promisify makes of it
    if (begin) properties[promisify.custom].value = (...words) => (note(...words), begin(...words));
    module[name] = Object.defineProperties(noting, properties);
  }
}

function trace() {
  wrap(fs, readers, noteFile);
  wrap(fs, ["cpSync"], noteTree);
  wrap(fs.promises, ["access", "open", "readFile", "readdir", "stat"], noteFile);
  wrap(child, starters, (command) => started.add(String(command)));
  syncBuiltinESMExports();
  process.on("exit", () => {
    const text = JSON.stringify({ file: process.argv[1], read: [...read], started: [...started] });
    write(join(process.env.PARLEY_TRACE, `${process.pid}.json`), text);
  });
}

if (/\.test\.m?js$/.test(process.argv[1] ?? "")) trace(); // and not in what tests start
