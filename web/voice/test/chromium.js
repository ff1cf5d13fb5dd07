// Starts Chromium with a microphone that is there, refused or absent, and a page with the library on it.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium } from "playwright-core";

/** The installed browser's path; undefined if there is none. */
export const executable = process.env.PARLEY_CHROMIUM || ["chromium", "chromium-browser", "google-chrome"].map(installed).find(Boolean);

/** Why the tests in a browser are left out: false if they are not. Where the build installs the browser, its absence is a failure. */
export const skip = executable || process.env.CI ? false : "SKIP: no chromium on the PATH: nothing is tested in a browser";
if (skip) console.error(skip);

/** The path of a program; undefined where it is not installed. */
export function installed(name) {
  return (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, name)).find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

const microphones = {
  there: ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"], // it beeps once a second
  refused: ["--use-fake-device-for-media-stream"],
  absent: [],
};

/** Opens a browser. `sound` is a WAV file for the microphone to play once, or again and again. */
export async function launch({ microphone = "there", sound, again = false, gestures = false } = {}) {
  if (!executable) throw new Error("no chromium on the PATH");
  const args = ["--no-sandbox", ...microphones[microphone]];
  if (!gestures) args.push("--autoplay-policy=no-user-gesture-required");
  if (sound) args.push(`--use-file-for-fake-audio-capture=${sound}${again ? "" : "%noloop"}`);
  return chromium.launch({ executablePath: executable, args });
}

/** How long to wait in a browser, in milliseconds; only guards against waiting without end. */
export const patience = 180_000;

/** Opens a page of a server with the library on it, and with `call` and `log` to try it. `until` waits for something to come true in it. */
export async function open(browser, { url, log }) {
  const context = await browser.newContext();
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  const problems = [];
  page.on("console", (m) => problems.push(`${m.type()}: ${m.text()}`));
  page.on("pageerror", (e) => problems.push(String(e)));
  const until = async (look) => {
    try {
      await page.waitForFunction(look, null, { polling: 50, timeout: patience });
    } catch (error) {
      throw new Error(`${look} did not come true: heard for ${await page.evaluate(() => `${loud} ms; ${JSON.stringify(window.log)}`)}; ${problems}; ${log()}`, { cause: error });
    }
  };
  await load(page, url);
  return Object.assign(page, { problems, until });
}

/** Loads such a page, or loads it again. */
export async function load(page, url) {
  await page.goto(`${url}/sdk/service-voice.licenses.txt`); // a page that has no scripts and no policy, and that this server sends: Chromium asks where pages come from
  await page.addScriptTag({ url: `${url}/sdk/service-voice.js` });
  await page.evaluate(prepare);
}

// prepare runs in the page.
function prepare() {
  const events = ["connectionState", "agentState", "transcript", "sessionEnd", "error"];
  window.log = [];
  window.session = async (ask = {}) => {
    const reply = await fetch("/demo/voice/session", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(ask) });
    const { data, error } = await reply.json();
    if (error?.details?.reason !== "server_overloaded") return data;
    await new Promise((done) => setTimeout(done, 500)); // the machine is too busy for one more
    return session(ask);
  };
  window.make = (options) => {
    window.voice = new ServiceVoice(options);
    for (const name of events) {
      voice.on(name, (...args) => log.push([name, ...args.map((a) => (a instanceof Error ? { name: a.name, message: a.message, cause: a.cause?.name } : a))]));
    }
    return voice;
  };
  window.call = async (options) => make(options).connect(await session());
  window.told = (name) => log.filter(([n]) => n === name).map(([, ...args]) => args[0]);
  window.lines = () => Object.values(Object.fromEntries(told("transcript").map((t) => [t.speaker + t.segmentId, `${t.speaker}: ${t.text}`])));

  // loud counts the milliseconds in which the agent was audible, and levels has the level of each 10 of them as they were played.
  window.loud = 0;
  window.levels = [];
  window.silent = () => levels.slice(-50).every((level) => level < 0.01);
  const context = new AudioContext();
  const meter = `registerProcessor("meter", class extends AudioWorkletProcessor {
    constructor() { super(); this.count = this.power = 0; }
    process([[samples]]) {
      for (const s of samples ?? []) {
        this.power += s * s;
        if (++this.count < sampleRate / 100) continue;
        this.port.postMessage([Math.sqrt(this.power / this.count), currentTime]);
        this.count = this.power = 0;
      }
      return true;
    }
  })`;
  const ready = context.audioWorklet.addModule(URL.createObjectURL(new Blob([meter], { type: "text/javascript" })));
  /** Calls back with the level of each 10 ms of a stream, and the seconds at which it was heard. */
  window.measure = async (stream, take) => {
    await ready;
    const node = new AudioWorkletNode(context, "meter", { numberOfOutputs: 0, channelCount: 1, channelCountMode: "explicit" });
    node.port.onmessage = ({ data }) => take(...data);
    context.createMediaStreamSource(stream).connect(node);
  };
  const watched = new WeakSet();
  const watch = () => {
    for (const { srcObject } of document.querySelectorAll("audio")) {
      if (!srcObject || watched.has(srcObject)) continue;
      watched.add(srcObject);
      void measure(srcObject, (level, at) => {
        levels.push(level);
        if (level > 0.01) window.loud += 10;
        window.agentHeard?.(level, at);
      });
    }
  };
  new MutationObserver(watch).observe(document, { childList: true, subtree: true });
  document.addEventListener("loadstart", watch, true); // srcObject is set

  // speaking puts a microphone into the place of the browser's: it is silent until `speak` has it say what is given here, a WAV file.
  window.speaking = async (base64) => {
    const sound = await context.decodeAudioData(Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)).buffer);
    navigator.mediaDevices.getUserMedia = async () => {
      const microphone = context.createMediaStreamDestination();
      window.speak = () => new Promise((done) => {
        const source = new AudioBufferSourceNode(context, { buffer: sound });
        source.onended = done;
        source.connect(microphone);
        source.start();
      });
      return microphone.stream;
    };
  };
}
