// What the states of the chat look like and say, as it is committed: trees of roles and names with the boxes of what does
// not depend on fonts, and pictures, which are judged only with the browser and the fonts that they were made with.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import pixelmatch from "pixelmatch";
import { PNG } from "pngjs";
import { executable } from "../../console/test/browser.js";
import { writePNG } from "../../console/test/png.js";

const folder = join(import.meta.dirname, "goldens");
const failures = join(tmpdir(), "parley-widget-pictures");
const recordFile = join(folder, "browser.json");
const pictureFile = (name) => join(folder, "pictures", `${name}.png`);
const treeFile = (name) => join(folder, "trees", `${name}.yaml`);
const tolerance = 0.05; // of a color
const patience = 60_000; // milliseconds for a state to become what it was; one that is right takes none of it

/** The browser and the fonts that pictures depend on. */
export function readPlace(browser) {
  const font = (name) => execFileSync("fc-match", ["-f", "%{family} %{style} %{fontversion}", name], { encoding: "utf8" });
  let fonts = "unknown";
  try {
    fonts = Object.fromEntries(["system-ui", "monospace"].map((name) => [name, font(name)]));
  } catch {}
  return { browser: basename(executable), version: browser.version(), fonts };
}

/** Why pictures are not judged here; null if they are. */
export function differenceOfPlace(browser) {
  if (!existsSync(recordFile)) return "there are no pictures yet: node test/pictures.js --update";
  const [made, here] = [readFileSync(recordFile, "utf8"), `${JSON.stringify(readPlace(browser), null, 2)}\n`];
  return made === here ? null : `pictures were made with ${made.replace(/\s+/g, " ")}, and here are ${here.replace(/\s+/g, " ")}`;
}

const shoot = (page) => page.screenshot({ animations: "disabled", caret: "hide" });

/** What a state says, and where its large parts are. */
async function treeOf(page, chat) {
  const said = await chat.locator("body").ariaSnapshot();
  const boxes = await chat.evaluate(findBoxes);
  return `${said}\n\n${boxes.join("\n")}\n`.replace(/(localhost|127\.0\.0\.1):\d+/g, "$1");
}

// findBoxes runs in the frame: the boxes of what is as large as its place, whatever the letters are.
function findBoxes() {
  const places = { log: "[role=log]", field: "form:has(> textarea)", head: "div:has(> div > h1)", button: "#chatbase-bubble-button",
    window: "#chatbase-bubble-window" };
  return Object.entries(places).flatMap(([name, selector]) => {
    const element = document.querySelector(selector);
    if (!element || getComputedStyle(element).display === "none") return [];
    const { x, width } = element.getBoundingClientRect();
    return [`${name}: from ${Math.round(x)}, ${Math.round(width)} wide`];
  });
}

/** Compares what a state says with its tree; returns what it says instead, or null. */
export async function compareTree(page, chat, name) {
  if (!existsSync(treeFile(name))) return { tree: "", want: `a tree of ${name}: node test/pictures.js --update` };
  const want = readFileSync(treeFile(name), "utf8");
  let tree;
  const differs = await untilNothing(async () => (tree = await treeOf(page, chat)) !== want);
  return differs ? { tree, want } : null;
}

/** Compares a state with its picture; returns what is wrong, or null. */
export async function comparePicture(page, name) {
  if (!existsSync(pictureFile(name))) return `${name}: there is no picture of it: node test/pictures.js --update`;
  const want = PNG.sync.read(readFileSync(pictureFile(name)));
  let shot;
  const found = await untilNothing(async () => countDifferences(want, PNG.sync.read((shot = await shoot(page)))));
  return found && `${name}: ${found} pixels differ; see ${writeFailure(name, want, shot)}`;
}

async function untilNothing(find) {
  const end = performance.now() + patience;
  for (;;) {
    const found = await find();
    if (!found) return null;
    if (performance.now() > end) return found;
    await new Promise((done) => setTimeout(done, 100));
  }
}

function countDifferences(want, found, output = null) {
  const { width, height } = want;
  if (found.width !== width || found.height !== height) return width * height;
  return pixelmatch(want.data, found.data, output, width, height, { threshold: tolerance, includeAA: true });
}

function writeFailure(name, want, shot) {
  mkdirSync(failures, { recursive: true });
  const output = new PNG({ width: want.width, height: want.height });
  countDifferences(want, PNG.sync.read(shot), output.data);
  writeFileSync(join(failures, `${name}.found.png`), shot);
  writeFileSync(join(failures, `${name}.difference.png`), PNG.sync.write(output));
  return join(failures, `${name}.difference.png`);
}

/** Forgets all goldens, and writes down what they are made with. */
export function beginUpdate(browser) {
  rmSync(folder, { recursive: true, force: true });
  for (const name of ["pictures", "trees"]) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(recordFile, `${JSON.stringify(readPlace(browser), null, 2)}\n`);
}

/** Writes what a state says and looks like, when it has come to rest. */
export async function writeGoldens(page, chat, name, hasTree) {
  if (hasTree) writeFileSync(treeFile(name), await atRest(() => treeOf(page, chat), page));
  const shot = await atRest(() => shoot(page).then((bytes) => bytes.toString("base64")), page);
  const pixels = PNG.sync.read(Buffer.from(shot, "base64"));
  const small = writePNG(pixels);
  writeFileSync(pictureFile(name), countDifferences(pixels, PNG.sync.read(small)) === 0 ? small : PNG.sync.write(pixels));
}

async function atRest(take, page) {
  let before;
  for (let i = 0; i < 30; i++) {
    const now = await take();
    if (now === before) return now;
    before = now;
    await page.waitForTimeout(150);
  }
  throw new Error("the state does not come to rest");
}

/** How many bytes all pictures have. */
export function sizeOfPictures() {
  const files = readdirSync(join(folder, "pictures")).map((name) => join(folder, "pictures", name));
  return files.reduce((sum, file) => sum + statSync(file).size, 0);
}

/** The names of all pictures and trees there are. */
export const listGoldens = () => ["pictures", "trees"].flatMap((name) => readdirSync(join(folder, name)).map((file) => `${name}/${file}`));
