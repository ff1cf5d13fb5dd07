// What the screens look like and what they say, as it is committed: pictures, and trees of roles and names. Pictures are
// judged only with the browser and the fonts that they were made with; trees are always.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import pixelmatch from "pixelmatch";
import { PNG } from "pngjs";
import { executable, untilNothing } from "./browser.js";
import { everyState, screens, view } from "./screens.js";
import { writePNG } from "./png.js";

const folder = join(import.meta.dirname, "goldens");
const failures = join(tmpdir(), "parley-pictures");
const recordFile = join(folder, "browser.json");
const pictureFile = (name) => join(folder, "pictures", `${name}.png`);
const treeFile = (name) => join(folder, "trees", `${name}.yaml`);
const tolerance = 0.05; // of a color: less than the eye sees, more than rounding it for the file makes

const look = (theme, width, more = {}) => ({ name: `${theme}-${width}`, colorScheme: theme, forcedColors: "none", width, ...more });
const all = [look("light", 1280), look("dark", 1280), look("dark", 390), look("light", 390)];
const forced = look("light", 1280, { name: "forced-colors-1280", forcedColors: "active" });
const fromRight = ["sign-in", "agents", "agent", "sources", "source-pages", "agent-settings", "me"];
const inForcedColors = ["sign-in", "agents", "playground", "sources", "agent-settings", "user-menu", "dialog-conflict"];

// Their other states are seen on a phone.
const inTwoLooks = [
  ..."looks pair insights insights-conversations insights-counted insights-questions insights-topics insights-conversation".split(" "),
  ..."people person leads voice-sessions voice-session".split(" "),
  ..."action api-keys audit company embed me members model-new model-server models server sign-in-rules source-settings usage webhooks tickets tickets-all ticket helpdesk-statuses".split(" "),
];

// Of screens that are seen in all looks.
const parts = ["channels", "limits", "notifications", "voice", "privacy", "search", "history", "delete"];
const variants = [
  ...parts.map((part) => `agent-settings-${part}`),
  ..."agent-manifest looks-stage playground-stored playground-lost model-new-embedding model-server-failing".split(" "),
  ..."actions action-new procedure deliveries embed-channels pair-code".split(" "),
  ..."dialog-webhook dialog-webhook-change dialog-webhook-secret dialog-webhook-remove".split(" "),
  ..."tickets-board dialog-ticket helpdesk-teams helpdesk-rules helpdesk-targets dialog-status dialog-team dialog-rule".split(" "),
];

/** What is opened, and what is taken of it: most screens in each theme and width, their other states in one. */
export function everyGolden() {
  const ofStates = everyState().map(({ name, state, path, found }) => {
    const isFirst = state === Object.keys(screens[name].states)[0] && !variants.includes(name);
    const looks = isFirst ? looksOf(name) : [isOnPhone(name, state) ? all[2] : all[0]];
    return { name: `${name}-${state}`, looks, hasTree: true, view: view(name, path, state, found, { ...looks[0], direction: "ltr" }) };
  });
  const mirrored = fromRight.map((name) => {
    const [[state, found]] = Object.entries(screens[name].states);
    const looks = [all[0], all[2]];
    return { name: `${name}-rtl`, looks, hasTree: false, view: view(name, screens[name].path, state, found, { ...looks[0], direction: "rtl" }) };
  });
  return [...ofStates, ...mirrored];
}

function looksOf(name) {
  if (inTwoLooks.includes(name)) return [all[0], all[2]];
  return inForcedColors.includes(name) ? [...all, forced] : all;
}

// Half of the states, by their name: another state changes none of them.
const isOnPhone = (name, state) =>
  inTwoLooks.includes(name) || [...`${name}-${state}`].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 2 === 1;

/** The browser and the fonts that pictures depend on. */
export function readPlace(browser) {
  const font = (name) => execFileSync("fc-match", ["-f", "%{family} %{style} %{fontversion}", name], { encoding: "utf8" });
  let fonts = "unknown";
  try {
    fonts = Object.fromEntries(["system-ui", "sans-serif", "monospace"].map((name) => [name, font(name)]));
  } catch {}
  return { browser: basename(executable), version: browser.version(), fonts };
}

/** Why pictures are not judged here; null if they are. */
export function differenceOfPlace(browser) {
  if (!existsSync(recordFile)) return "there are no pictures yet: npm run pictures -- --update";
  const [made, here] = [readFileSync(recordFile, "utf8"), JSON.stringify(readPlace(browser), null, 2) + "\n"];
  return made === here ? null : `pictures were made with ${made.replace(/\s+/g, " ")}, and here are ${here.replace(/\s+/g, " ")}`;
}

/** Walks through the looks of a golden on a page that shows it, and calls `use` with the name and the look of each. */
export async function walk(page, golden, use) {
  for (const one of golden.looks) {
    await page.setViewportSize({ width: one.width, height: 844 });
    await page.emulateMedia({ colorScheme: one.colorScheme, forcedColors: one.forcedColors });
    await use(`${golden.name}-${one.name}`);
  }
}

// Where a dialog is open it is the picture: what is behind it has one of its own.
async function shoot(page) {
  const dialogs = page.locator("[role=dialog], [role=alertdialog]").filter({ visible: true });
  const box = (await dialogs.count()) > 0 ? await dialogs.last().boundingBox() : null;
  const clip = box && { x: Math.floor(box.x), y: Math.floor(box.y), width: Math.ceil(box.width), height: Math.ceil(box.height) };
  return page.screenshot({ animations: "disabled", caret: "hide", ...(clip && { clip }) });
}

// What is announced, and for how long, depends on when the page is drawn.
const treeOf = async (page) =>
  `${await page.locator("body").ariaSnapshot()}\n`.replace(/(localhost):\d+/g, "$1").replace(/^- log.*\n/gm, "");

/** Compares the page with its picture; returns what is wrong, or null. */
export async function comparePicture(page, name) {
  if (!existsSync(pictureFile(name))) return `${name}: there is no picture of it: npm run pictures -- --update`;
  const want = PNG.sync.read(readFileSync(pictureFile(name)));
  let shot;
  const found = await untilNothing(async () => countDifferences(want, PNG.sync.read((shot = await shoot(page)))));
  return found && `${name}: ${found} pixels differ; see ${writeFailure(name, want, shot)}`;
}

/** Compares what the page says with its tree; returns what is wrong, or null. */
export async function compareTree(page, name) {
  if (!existsSync(treeFile(name))) return `${name}: there is no tree of it: npm run pictures -- --update`;
  const want = readFileSync(treeFile(name), "utf8");
  let tree;
  const differs = await untilNothing(async () => (tree = await treeOf(page)) !== want);
  return differs ? { name, tree, want } : null;
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
  writeFileSync(recordFile, JSON.stringify(readPlace(browser), null, 2) + "\n");
}

/** Writes the picture of a page that has come to rest. */
export async function writePicture(page, name) {
  const shot = await atRest(() => shoot(page).then((bytes) => bytes.toString("base64")), page);
  const pixels = PNG.sync.read(Buffer.from(shot, "base64"));
  const small = writePNG(pixels);
  const isTrue = countDifferences(pixels, PNG.sync.read(small)) === 0;
  writeFileSync(pictureFile(name), isTrue ? small : PNG.sync.write(pixels));
}

export async function writeTree(page, name) {
  writeFileSync(treeFile(name), await atRest(() => treeOf(page), page));
}

async function atRest(take, page) {
  let before;
  for (let i = 0; i < 50; i++) {
    const now = await take();
    if (now === before) return now;
    before = now;
    await page.waitForTimeout(150);
  }
  throw new Error("the screen does not come to rest");
}

/** How many bytes all pictures have. */
export function sizeOfPictures() {
  const files = readdirSync(join(folder, "pictures")).map((name) => join(folder, "pictures", name));
  return files.reduce((sum, file) => sum + statSync(file).size, 0);
}

/** The names of all pictures and trees there are. */
export const listGoldens = () => ["pictures", "trees"].flatMap((name) => readdirSync(join(folder, name)).map((file) => `${name}/${file}`));
