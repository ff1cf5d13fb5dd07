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
const send = /** @type {HTMLButtonElement} */ (the("send"));

/** @type {Voice | null} */
let voice = null;

/** @type {HTMLElement} What began the call, and gets the focus back when it is over. */
let began = token;

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

/** @type {Record<string, string>} */
const limits = {
  concurrent_exceeded: "There is no room for one more call. Try again in a moment.",
  server_overloaded: "The server has no room for one more call. Try again in a moment.",
  per_user_exceeded: "You are in other calls already. End one first.",
  hourly_exceeded: "There were too many calls in this hour. Try again later.",
  daily_exceeded: "There were too many calls today. Try again tomorrow.",
};

document.getElementById("call")?.addEventListener("click", () => call(the("call"), ask));

the("join").addEventListener("submit", (event) => {
  event.preventDefault();
  void call(token, async () => token.value.trim());
});

the("leave").addEventListener("click", () => {
  void voice?.disconnect();
  over(ends.client_left);
});

mute.addEventListener("click", async () => {
  await (voice?.isMuted ? voice.unmute() : voice?.mute());
  showMicrophone();
});

the("write").addEventListener("submit", async (event) => {
  event.preventDefault();
  const { value } = text;
  text.value = "";
  text.focus();
  try {
    await voice?.sendText(value);
  } catch (error) {
    text.value ||= value;
    complain(error);
  }
});

/** Gets a session of the demo's agent. This page's server makes it; your own backend would do so with its API key. */
async function ask() {
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const ask = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ timezone }) };
  const reply = await fetch("voice/session", ask).catch(() => Promise.reject(new Error("The server cannot be reached.")));
  const { data, error } = await reply.json().catch(() => ({}));
  if (!data) throw new Error(limits[error?.details?.reason] ?? error?.message ?? `The server has made no session (${reply.status}).`);
  return data;
}

/**
 * @param {HTMLElement} by what the call was begun with
 * @param {() => Promise<Parameters<Voice["connect"]>[0]>} session
 */
async function call(by, session) {
  if (voice) return;
  const now = (voice = new ServiceVoice());
  began = by;
  the("problems").replaceChildren();
  the("problems").hidden = true;
  transcript.replaceChildren();
  showing(true);
  (matchMedia("(pointer: coarse)").matches ? mute : text).focus(); // a field would bring up the keyboard of a phone
  follow(now);
  try {
    const given = await session();
    if (voice !== now) return; // hung up already
    await now.connect(given);
    if (voice !== now) return;
    showMicrophone();
    measure(now);
  } catch (error) {
    if (voice !== now) return;
    complain(error);
    over("Not connected");
  }
}

/** @param {Voice} now */
function follow(now) {
  now.on("connectionState", (state) => {
    if (voice !== now) return; // hung up already, as below
    the("connection").textContent = connections[state] ?? state;
    send.disabled = state === "connecting";
  });
  now.on("agentState", (state) => {
    if (voice === now) the("agent").textContent = agents[state] ?? state;
  });
  now.on("transcript", (segment) => voice === now && show(segment));
  now.on("error", (error) => {
    if (voice !== now) return;
    complain(error);
    showMicrophone();
  });
  now.on("sessionEnd", (reason) => voice === now && over(reason && (ends[reason] ?? `The call has ended: ${reason}.`)));
}

/** @param {boolean} calling */
function showing(calling) {
  start.hidden = calling;
  inProgress.hidden = false;
  the("controls").hidden = !calling;
  talk.hidden = !calling && transcript.childElementCount === 0;
  the("write").hidden = !calling;
  send.disabled = true;
  if (calling) the("connection").textContent = "Connecting …";
}

function over(how = "The call has ended.") {
  voice = null;
  the("connection").textContent = how;
  the("agent").textContent = "";
  showMicrophone();
  showing(false);
  began.focus();
}

function showMicrophone() {
  const [button, label] = !voice?.isMuted ? ["Mute", ""] : voice.localAudioStream ? ["Unmute", ": muted"] : ["Use microphone", ": none"];
  mute.textContent = button;
  the("microphone").textContent = `Microphone${label}`;
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
  settle(id, text && `${speaker === "user" ? "You" : "Agent"}: ${text}`);
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

/** @type {Map<string, ReturnType<typeof setTimeout>>} */
const growing = new Map();

/**
 * Has screen readers say a line once, when it grows no longer.
 * @param {string} id
 * @param {string} line
 */
function settle(id, line) {
  clearTimeout(growing.get(id));
  growing.set(id, setTimeout(() => growing.delete(id) && line && (the("settled").textContent = line), 1500));
}

/**
 * Shows how loud the microphone is, as long as the call lasts.
 * @param {Voice} now
 */
function measure(now) {
  const context = new AudioContext();
  const analyser = context.createAnalyser();
  const still = matchMedia("(prefers-reduced-motion: reduce)");
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
    if (still.matches) setTimeout(draw, 500);
    else requestAnimationFrame(draw);
  };
  draw();
}
