// The page at /demo/voice: what a page of your own would do with service-voice, with plain elements.
"use strict";

/** @typedef {InstanceType<typeof ServiceVoice>} Voice */

/**
 * @template {HTMLElement} [T=HTMLElement]
 * @param {string} id
 * @returns {T}
 */
const the = (id) => /** @type {T} */ (document.getElementById(id));

const start = the("start");
const inProgress = the("call-in-progress");
const talk = the("talk");
const mute = /** @type {HTMLButtonElement} */ (the("mute"));
const level = /** @type {HTMLMeterElement} */ (the("level"));
const text = /** @type {HTMLInputElement} */ (the("text"));
const token = /** @type {HTMLInputElement} */ (the("token"));
const transcript = the("transcript");

/** @type {Voice | null} */
let voice = null;

/** @type {Record<string, string>} */
const connections = { connecting: "Connecting …", connected: "Connected", reconnecting: "Connecting again …", disconnected: "Not connected", error: "Not connected" };

/** @type {Record<string, string>} */
const agents = { initializing: "The agent is coming …", listening: "The agent listens", thinking: "The agent thinks", speaking: "The agent speaks" };

/** @type {Record<string, string>} */
const ends = {
  client_left: "You have hung up.",
  max_duration: "The call has ended: it has reached its longest duration.",
  silence: "The call has ended: nothing was said for a while.",
  credits: "The call has ended: there are no credits left.",
  operator: "The call was ended by the operator.",
  escalated: "A person takes over from here. The call has ended.",
  error: "The call has ended because of an error.",
  server_stopped: "The call has ended: the server was stopped.",
};

document.getElementById("call")?.addEventListener("click", () => call(ask));

the("join").addEventListener("submit", (event) => {
  event.preventDefault();
  void call(async () => token.value.trim());
});

the("leave").addEventListener("click", () => voice?.disconnect());

mute.addEventListener("click", async () => {
  const { isMuted } = voice ?? {};
  await (isMuted ? voice?.unmute() : voice?.mute());
  showMuted();
});

the("write").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    await voice?.sendText(text.value);
    text.value = "";
  } catch (error) {
    complain(error);
  }
  text.focus();
});

/** Gets a session of the demo's agent. This page's server makes it; your own backend would do so with its API key. */
async function ask() {
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const reply = await fetch("voice/session", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ timezone }) });
  const { data, error } = await reply.json();
  if (!data) throw new Error(error.message);
  return data;
}

/**
 * @param {() => Promise<Parameters<Voice["connect"]>[0]>} session
 */
async function call(session) {
  if (voice) return;
  voice = new ServiceVoice();
  the("problems").replaceChildren();
  the("problems").hidden = true;
  transcript.replaceChildren();
  showing(true);
  follow(voice);
  try {
    await voice.connect(await session());
    showMuted();
    measure(voice);
    text.focus();
  } catch (error) {
    complain(error);
    over();
  }
}

/** @param {Voice} now */
function follow(now) {
  now.on("connectionState", (state) => (the("connection").textContent = connections[state] ?? state));
  now.on("agentState", (state) => (the("agent").textContent = agents[state] ?? state));
  now.on("transcript", show);
  now.on("error", (error) => {
    complain(error);
    showMuted();
  });
  now.on("sessionEnd", (reason) => {
    the("connection").textContent = reason === undefined ? "The call has ended." : (ends[reason] ?? `The call has ended: ${reason}.`);
    over();
  });
}

/** @param {boolean} calling */
function showing(calling) {
  start.hidden = calling;
  inProgress.hidden = false;
  the("controls").hidden = !calling;
  talk.hidden = !calling && transcript.childElementCount === 0;
  the("write").hidden = !calling;
  if (calling) the("connection").textContent = "Connecting …";
}

function over() {
  voice = null;
  the("agent").textContent = "";
  mute.textContent = "Mute";
  mute.ariaPressed = "false";
  showing(false);
  (document.getElementById("call") ?? token).focus();
}

function showMuted() {
  const muted = voice?.isMuted ?? false;
  mute.ariaPressed = String(muted);
  mute.textContent = muted ? (voice?.localAudioStream ? "Muted" : "No microphone") : "Mute";
}

/** @param {unknown} error */
function complain(error) {
  const message = error instanceof Error ? error.message : String(error);
  const list = the("problems");
  if ([...list.children].some((item) => item.textContent === message)) return;
  list.append(Object.assign(document.createElement("li"), { textContent: message }));
  list.hidden = false;
}

/**
 * Replaces what was shown of a segment, and takes it away when nothing is left of it.
 * @param {import("../src/events.js").Transcript} segment
 */
function show({ text, speaker, segmentId }) {
  const id = `${speaker} ${segmentId}`;
  let line = /** @type {HTMLElement | undefined} */ ([...transcript.children].find((p) => /** @type {HTMLElement} */ (p).dataset.id === id));
  if (!text) return line?.remove();
  const atEnd = transcript.scrollHeight - transcript.scrollTop - transcript.clientHeight < 40;
  if (!line) {
    line = Object.assign(document.createElement("p"), { className: speaker });
    line.dataset.id = id;
    const who = Object.assign(document.createElement("span"), { className: "who", textContent: speaker === "user" ? "You" : "Agent" });
    line.append(who, document.createElement("span"));
    transcript.append(line);
  }
  /** @type {HTMLElement} */ (line.lastElementChild).textContent = text;
  if (atEnd) transcript.scrollTop = transcript.scrollHeight;
}

/**
 * Shows how loud the microphone is, as long as the call lasts.
 * @param {Voice} now
 */
function measure(now) {
  const context = new AudioContext();
  const analyser = context.createAnalyser();
  const samples = new Float32Array(analyser.fftSize);
  /** @type {MediaStream | null} */
  let heard = null;
  const draw = () => {
    if (voice !== now) {
      level.value = 0;
      return void context.close();
    }
    const stream = now.localAudioStream;
    if (stream && stream !== heard) context.createMediaStreamSource((heard = stream)).connect(analyser);
    analyser.getFloatTimeDomainData(samples);
    const power = samples.reduce((sum, s) => sum + s * s, 0) / samples.length;
    const decibels = 10 * Math.log10(power + 1e-10);
    level.value = now.isMuted ? 0 : Math.min(Math.max((decibels + 60) / 60, 0), 1);
    requestAnimationFrame(draw);
  };
  draw();
}
