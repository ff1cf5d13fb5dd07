// Dictation with a microphone that the browser plays: what is recorded, when it ends, and what is said when it fails.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { complete, launch, skip } from "./browser.js";
import { look, openKit, startKit } from "./kit.js";

const microphone = ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]; // it beeps twice a second

/** A WAV file of a second in which somebody seems to speak: a tone that comes and goes. Silence follows it. */
function writeSpeech(file) {
  const rate = 48_000;
  const wav = Buffer.alloc(44 + 2 * rate);
  wav.write("RIFF", 0, "latin1");
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.write("WAVEfmt ", 8, "latin1");
  [16, 1 + (1 << 16), rate, 2 * rate, 2 + (16 << 16)].forEach((value, i) => wav.writeUInt32LE(value, 16 + 4 * i));
  wav.write("data", 36, "latin1");
  wav.writeUInt32LE(2 * rate, 40);
  for (let i = 0; i < rate; i++) {
    const loudness = 20_000 * Math.abs(Math.sin((i * 4 * Math.PI) / rate));
    wav.writeInt16LE(Math.round(loudness * Math.sin((i * 2 * Math.PI * 220) / rate)), 44 + 2 * i);
  }
  writeFileSync(file, wav);
}

describe("dictation", { skip }, () => {
  let kit, browser;
  const launchWith = (options) => launch(options, complete); // the headless shell answers no question for a permission
  before(async () => {
    [kit, browser] = await Promise.all([startKit(), launchWith(microphone)]);
  });
  after(async () => {
    await browser?.close();
    kit?.stop();
  });

  const onPage = async (use, from = browser) => {
    const page = await openKit(from, kit);
    try {
      await use(page);
      assert.deepEqual(
        page.problems.filter((text) => !text.includes("ScriptProcessorNode is deprecated")),
        [],
      );
    } finally {
      await page.context().close();
    }
  };
  const hearSomething = (page) =>
    page.waitForFunction(() => [...document.querySelectorAll("rect")].some((bar) => Number(bar.getAttribute("height")) > 9));
  const begin = (page, props = {}) => page.evaluate((props) => ((kit.log.length = 0), kit.show(null), kit.dictation(props)), props);

  test("what is said becomes text, as a WAV file with one channel at 16 kHz", async () => {
    await onPage(async (page) => {
      await begin(page, { color: "#ff0000" });
      await page.getByRole("button", { name: "Dictate" }).click();
      await page.getByText("Listening…").waitFor();
      await page.locator(":focus[aria-label='Finish dictation']").waitFor();
      await hearSomething(page);
      await look(page, "dictation");
      await page.getByRole("button", { name: "Finish dictation" }).click();
      await page.getByRole("button", { name: "Dictate" }).waitFor();
      assert.deepEqual(await page.logged("text"), ["where is my order"]);
      const [[type, bytes]] = await page.logged("sound");
      const wav = Buffer.from(bytes);
      assert.deepEqual(
        [type, wav.toString("latin1", 0, 4), wav.readUInt16LE(22), wav.readUInt32LE(24), wav.readUInt16LE(34)],
        ["audio/wav", "RIFF", 1, 16_000, 16],
      );
      const samples = new Int16Array(wav.buffer.slice(wav.byteOffset + 44, wav.byteOffset + wav.length));
      assert.equal(wav.readUInt32LE(40), 2 * samples.length);
      assert.ok(
        samples.some((s) => Math.abs(s) > 3_000),
        "it is silent",
      );
    });
  });

  test("silence after speech ends it by itself; Escape ends it without a text", async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "parley-speech-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "speech.wav");
    writeSpeech(file);
    const speaking = await launchWith([...microphone, `--use-file-for-fake-audio-capture=${file}%noloop`]);
    t.after(() => speaking.close());
    await onPage(async (page) => {
      await begin(page, { silenceTimeout: 1 });
      await page.getByRole("button", { name: "Dictate" }).click();
      await page.waitForFunction(() => kit.log.some(([name]) => name === "text"));
      await begin(page);
      await page.getByRole("button", { name: "Dictate" }).click();
      await page.getByText("Listening…").waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Dictate" }).waitFor();
      assert.deepEqual(await page.evaluate(() => kit.log), []);
    }, speaking);
  });

  test("a microphone that is refused or absent is said in words", async () => {
    const faults = { NotAllowedError: "The microphone is not allowed here.", NotFoundError: "There is no microphone that works." };
    await onPage(async (page) => {
      for (const [name, text] of Object.entries(faults)) {
        await page.evaluate((name) => {
          navigator.mediaDevices.getUserMedia = async () => Promise.reject(new DOMException("", name));
        }, name);
        await begin(page);
        await page.getByRole("button", { name: "Dictate" }).click();
        await page.getByText(text).waitFor();
      }
    });
  });

  test("a browser without worklets records as well", async () => {
    await onPage(async (page) => {
      await page.evaluate(() => (AudioWorklet.prototype.addModule = async () => Promise.reject(new Error("no"))));
      await begin(page);
      await page.getByRole("button", { name: "Dictate" }).click();
      await page.getByText("Listening…").waitFor();
      await hearSomething(page);
      await page.getByRole("button", { name: "Finish dictation" }).click();
      await page.waitForFunction(() => kit.log.some(([name]) => name === "text"));
    });
  });

  test("sound of any rate comes to 16 kHz, and who is silent is waited for", async () => {
    await onPage(async (page) => {
      const found = await page.evaluate(() => {
        const tone = (rate) => Float32Array.from({ length: rate }, (_, i) => Math.sin((2 * Math.PI * 440 * i) / rate));
        const resampled = [8_000, 16_000, 44_100, 48_000].map((rate) => kit.resample(tone(rate), rate));
        const crossings = (s) => s.reduce((n, v, i) => n + (i > 0 && v >= 0 && s[i - 1] < 0), 0);
        const watch = (levels, silence) => {
          const one = new kit.SilenceWatch(silence, 30);
          const at = levels.findIndex((level, i) => one.isOver(level, i / 10));
          return [at, one.hasSpeech];
        };
        const quiet = (n) => Array(n).fill(0.1);
        const loud = (n) => Array(n).fill(0.6);
        return {
          lengths: resampled.map((s) => s.length),
          tones: resampled.map(crossings),
          spoke: watch([...quiet(20), ...loud(10), ...quiet(100)], 3),
          never: watch(quiet(400), 3),
          long: watch(loud(400), 3),
        };
      });
      assert.deepEqual(found.lengths, [16_000, 16_000, 16_000, 16_000]);
      for (const tone of found.tones) assert.ok(Math.abs(tone - 440) <= 2, `${tone}`);
      assert.deepEqual(
        [found.spoke, found.never, found.long],
        [
          [59, true],
          [80, false],
          [300, true],
        ],
      );
    });
  });
});
