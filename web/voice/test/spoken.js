// Makes what the fake microphone says: a sentence of flite's voice rms, with silence around it.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { installed, skip as noBrowser } from "./chromium.js";

/** Why nothing is said in a browser: false if it is. */
export const skip = noBrowser || (installed("flite") || process.env.CI ? false : "SKIP: no flite on the PATH: no spoken question is asked in a browser");
if (skip && !noBrowser) console.error(skip);

const rate = 48_000; // what Chromium's microphone plays well

/** Writes a WAV file into `folder`: so many seconds of silence, the sentence, silence. Throws where flite is not installed. */
export function spoken(folder, sentence, before, behind) {
  const raw = join(folder, "flite.wav");
  execFileSync("flite", ["-voice", "rms", "-t", sentence, "-o", raw]);
  const { samples, rate: from } = read(readFileSync(raw));
  const step = from / rate;
  const voice = Float64Array.from({ length: Math.floor(samples.length / step) - 1 }, (_, i) => {
    const [at, part] = [Math.floor(i * step), (i * step) % 1];
    return samples[at] * (1 - part) + (samples[at + 1] ?? 0) * part;
  });
  const all = new Int16Array(Math.round((before + behind) * rate) + voice.length);
  all.set(voice, before * rate);
  const file = join(folder, "microphone.wav");
  writeFileSync(file, wav(all));
  return file;
}

// read finds the samples of a WAV file with one channel of 16 bits.
function read(file) {
  for (let at = 12; at < file.length; ) {
    const [name, size] = [file.toString("latin1", at, at + 4), file.readUInt32LE(at + 4)];
    if (name === "data") return { samples: new Int16Array(file.buffer.slice(file.byteOffset + at + 8, file.byteOffset + at + 8 + (size & ~1))), rate: file.readUInt32LE(24) };
    at += 8 + size + (size & 1);
  }
  throw new Error("no samples");
}

function wav(samples) {
  const head = Buffer.alloc(44);
  head.write("RIFF    WAVEfmt ", "latin1");
  head.writeUInt32LE(36 + samples.byteLength, 4);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write("data", 36, "latin1");
  head.writeUInt32LE(samples.byteLength, 40);
  return Buffer.concat([head, Buffer.from(samples.buffer)]);
}
