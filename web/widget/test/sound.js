// A microphone and a voice call that are the same in each picture.

/** fakeMicrophone runs in pages before anything else does: a voice that rises and falls is recorded at once, and then nothing. */
export function fakeMicrophone() {
  const devices = { getUserMedia: async () => new AudioContext().createMediaStreamDestination().stream };
  Object.defineProperty(navigator, "mediaDevices", { value: devices });
  AudioContext.prototype.resume = async () => {}; // a machine without a sound card starts none
  window.AudioWorklet.prototype.addModule = async () => {};
  window.AudioWorkletNode = class extends GainNode {
    constructor(context) {
      super(context);
      const piece = (i) => new Float32Array(Math.ceil(context.sampleRate / 20)).fill(0.3 * Math.abs(Math.sin(i / 3)));
      const say = () => {
        for (let i = 0; i < 24; i++) this.port.onmessage({ data: piece(i) });
      };
      Object.defineProperty(this, "port", { value: {} });
      setTimeout(say);
    }
  };
}

// What stands in for the library of voice calls: a call in which somebody asks and is answered.
const library = `export default class {
  isMuted = false;
  localAudioStream = {};
  listeners = {};
  on(name, act) {
    this.listeners[name] = act;
    return () => {};
  }
  async connect() {
    const say = (speaker, segmentId, text) => this.listeners.transcript({ speaker, segmentId, text });
    this.listeners.agentState("listening");
    say("user", "1", "Where is order 4711?");
    say("assistant", "1", "It left on Monday. It comes tomorrow.");
    say("user", "2", "And the other one?");
  }
  async disconnect() {
    globalThis.hasHungUp = true;
  }
}`;

/** Has a page load that in place of the library. */
export const playCall = (page) =>
  page.route("**/__cb/service-voice-*.js", (route) => route.fulfill({ contentType: "text/javascript", body: library }));
