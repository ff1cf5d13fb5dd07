// Makes docs/console.png, the picture of the README: the demo's playground with an answer and why it was given, in the
// program with its committed front end.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PNG } from "pngjs";
import { launch, newPage, waitForQuiet } from "./browser.js";
import { writePNG } from "./png.js";
import { sendQuestion } from "./screen-states.js";
import { startServer } from "./server.js";

const file = join(import.meta.dirname, "../../../docs/console.png");
const server = await startServer({ command: "demo" });
const browser = await launch();
try {
  const page = await newPage(browser, server.origin, { locale: "en", reducedMotion: "reduce" });
  await page.goto(`${server.url}/setup${new URL(server.setup).hash}`);
  await page.getByRole("link", { name: "Playground", exact: true }).click();
  await sendQuestion(page, "How do I make a backup?");
  await page.locator("[data-testid=spoken]", { hasText: /./ }).waitFor({ state: "attached" });
  await page.getByText("live", { exact: true }).waitFor();
  await waitForQuiet(page);
  writeFileSync(file, writePNG(PNG.sync.read(await page.screenshot())));
} finally {
  await browser.close();
  await server.stop();
}
