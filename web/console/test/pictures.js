// Pictures of the screens. Without words it compares them with those that are committed, as the tests do; with --update
// it makes them again, or those alone whose names begin with a word. With a folder it writes a picture of every screen in
// every state and look, to be looked at:
//
//	node test/pictures.js [--update [WORD…]]
//	node test/pictures.js FOLDER [WORD…]
//
// Words choose among them, as in "agents dark 390".
import { stopClock, place } from "./fixed-time.js";
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { launch, newPage } from "./browser.js";
import { buildForTests } from "./build.js";
import { beginUpdate, everyGolden, sizeOfPictures, walk, writePicture, writeTree } from "./goldens.js";
import { everyView } from "./screens.js";
import { serve } from "./serve.js";

const [out, ...chosen] = process.argv.slice(2);
if (!out) process.exit(spawnSync(process.execPath, [join(import.meta.dirname, "run.js"), "screens.test.js"], { stdio: "inherit" }).status ?? 1);
const built = process.env.PARLEY_CONSOLE_BUILD || (await buildForTests());
const browser = await launch();
try {
  if (out === "--update") await update();
  else await show();
} finally {
  await browser.close();
  if (!process.env.PARLEY_CONSOLE_BUILD) rmSync(built, { recursive: true, force: true });
}
process.exit();

async function open({ path, ready, answer, options }, use) {
  const server = await serve(built, answer());
  const page = await newPage(browser, server.origin, { ...options, ...place });
  try {
    await stopClock(page);
    await page.goto(server.url + path);
    await ready(page);
    await use(page);
  } finally {
    await page.context().close();
    server.stop();
  }
}

async function update() {
  if (chosen.length === 0) beginUpdate(browser);
  const isChosen = ({ name }) => chosen.length === 0 || chosen.some((word) => name.startsWith(word));
  const waiting = everyGolden().filter(isChosen);
  const total = waiting.length;
  const failures = [];
  const work = async () => {
    for (let golden; (golden = waiting.shift()); ) {
      await take(golden).catch((error) => failures.push(`${golden.name}: ${error.message}`));
      process.stderr.write(`\r${total - waiting.length} of ${total} `);
    }
  };
  await Promise.all([work(), work()]);
  console.log(`\n${(sizeOfPictures() / 1_000_000).toFixed(2)} MB of pictures`);
  for (const failure of failures) console.error(failure);
  process.exitCode = failures.length > 0 ? 1 : 0;
}

async function take(golden) {
  await open(golden.view, async (page) => {
    if (golden.hasTree) await writeTree(page, golden.name);
    await walk(page, golden, (name) => writePicture(page, name));
  });
}

async function show() {
  mkdirSync(out, { recursive: true });
  for (const view of everyView()) {
    const words = view.name.split(" ");
    if (!chosen.every((word) => words.includes(word))) continue;
    await open(view, (page) => page.screenshot({ path: join(out, `${words.join("-")}.png`) }));
  }
}
