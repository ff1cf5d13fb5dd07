// Sound as a speech recognizer takes it: a WAV file with one channel of 16 bits at 16 kHz.

export const wavRate = 16_000;

/** Brings samples to 16 kHz. Each new sample is the mean of those that it stands for, so that high tones do not fold back. */
export function resample(samples: Float32Array, rate: number): Float32Array {
  if (rate === wavRate) return samples;
  const step = rate / wavRate;
  const out = new Float32Array(Math.floor(samples.length / step));
  for (let i = 0; i < out.length; i++) out[i] = step > 1 ? mean(samples, i * step, (i + 1) * step) : between(samples, i * step);
  return out;
}

function mean(samples: Float32Array, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to;) {
    const next = Math.min(Math.floor(at) + 1, to);
    sum += (samples[Math.floor(at)] ?? 0) * (next - at);
    at = next;
  }
  return sum / (to - from);
}

function between(samples: Float32Array, at: number): number {
  const first = samples[Math.floor(at)] ?? 0;
  return first + ((samples[Math.floor(at) + 1] ?? first) - first) * (at % 1);
}

/** Makes a WAV file of samples at 16 kHz, each from -1 to 1. */
export function encodeWav(samples: Float32Array): Blob {
  const head = new DataView(new ArrayBuffer(44));
  const write = (at: number, text: string) => [...text].forEach((char, i) => head.setUint8(at + i, char.charCodeAt(0)));
  const bytes = samples.length * 2;
  write(0, "RIFF");
  head.setUint32(4, 36 + bytes, true);
  write(8, "WAVEfmt ");
  head.setUint32(16, 16, true);
  head.setUint16(20, 1, true); // samples as they are
  head.setUint16(22, 1, true); // channels
  head.setUint32(24, wavRate, true);
  head.setUint32(28, wavRate * 2, true);
  head.setUint16(32, 2, true);
  head.setUint16(34, 16, true);
  write(36, "data");
  head.setUint32(40, bytes, true);
  const body = new DataView(new ArrayBuffer(bytes));
  samples.forEach((sample, i) => body.setInt16(i * 2, Math.round(Math.max(-1, Math.min(1, sample)) * 32_767), true));
  return new Blob([head, body], { type: "audio/wav" });
}

/** How loud samples are, from 0 to 1 over 60 decibels. */
export function levelOf(samples: Float32Array): number {
  let power = 0;
  for (const sample of samples) power += sample * sample;
  const decibels = 10 * Math.log10(power / Math.max(1, samples.length) + 1e-10);
  return Math.min(Math.max((decibels + 60) / 60, 0), 1);
}
