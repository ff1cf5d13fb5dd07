// Records the microphone until it is stopped.
import { encodeWav, levelOf, resample, wavRate } from "./wav";

/** Seconds that are recorded at most. */
export const longestRecording = 30;

export interface Recorder {
  /** Ends the recording and returns it as a WAV file. */
  stop(): Blob;
  cancel(): void;
}

/** Asks for the microphone and records it. `onLevel` is called about 20 times a second. Fails as getUserMedia does. */
export async function startRecorder(onLevel: (level: number) => void): Promise<Recorder> {
  const media = await navigator.mediaDevices.getUserMedia({
    audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true },
  });
  const context = new AudioContext();
  const chunks: Float32Array[] = [];
  let count = 0;
  let unheard: Float32Array[] = [];
  const take = (samples: Float32Array) => {
    if (count >= longestRecording * context.sampleRate) return;
    chunks.push(samples);
    count += samples.length;
    unheard.push(samples);
    if (sum(unheard) < context.sampleRate / 20) return;
    onLevel(levelOf(join(unheard)));
    unheard = [];
  };
  const end = () => {
    for (const track of media.getTracks()) track.stop();
    void context.close().catch(() => {});
  };
  try {
    await context.resume();
    await connect(context, context.createMediaStreamSource(media), take);
  } catch (error) {
    end();
    throw error;
  }
  const stop = () => {
    end();
    const samples = resample(join(chunks), context.sampleRate);
    return encodeWav(samples.subarray(0, longestRecording * wavRate));
  };
  return { stop, cancel: end };
}

// connect uses a worklet, which the page's policy allows as a script of this server; a browser that refuses it has the
// older way.
async function connect(context: AudioContext, source: AudioNode, take: (samples: Float32Array) => void): Promise<void> {
  const quiet = new GainNode(context, { gain: 0 });
  quiet.connect(context.destination);
  try {
    await context.audioWorklet.addModule(new URL("./recorder.worklet.js", import.meta.url).href);
    const node = new AudioWorkletNode(context, "parley-recorder", { channelCount: 1, channelCountMode: "explicit" });
    node.port.onmessage = ({ data }) => take(data as Float32Array);
    source.connect(node).connect(quiet);
  } catch {
    const node = context.createScriptProcessor(4096, 1, 1);
    node.onaudioprocess = ({ inputBuffer }) => take(inputBuffer.getChannelData(0).slice());
    source.connect(node).connect(quiet);
  }
}

const sum = (parts: readonly Float32Array[]) => parts.reduce((n, part) => n + part.length, 0);

function join(parts: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(sum(parts));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
