// The sounds of the tests: PCM, signed 16 bit, one channel.

const peak = 8000;

/** The pitch of `tone` in Hz. */
export const pitch = 440;

/** A tone. */
export function tone(seconds, rate) {
  return Int16Array.from({ length: Math.round(seconds * rate) }, (_, i) => peak * Math.sin((2 * Math.PI * pitch * i) / rate));
}

/** Somebody who says "aiaiai": a pitch that rises and falls, with a formant, four syllables a second. */
export function voice(seconds, rate) {
  let phase = 0;
  return Int16Array.from({ length: Math.round(seconds * rate) }, (_, i) => {
    const t = i / rate;
    const base = 120 + 25 * Math.sin(2 * Math.PI * 1.3 * t);
    const formant = 600 + 250 * Math.sin(2 * Math.PI * 2 * t);
    phase += base / rate;
    let v = 0;
    for (let h = 1; h * base < 3500; h++) v += Math.sin(2 * Math.PI * h * phase) / (1 + ((h * base - formant) / 200) ** 2 / 4) / Math.sqrt(h);
    return 2000 * v * (0.65 + 0.35 * Math.cos(2 * Math.PI * 4 * t)) * Math.min(1, t / 0.02);
  });
}

/** The root mean square of the samples, 1 for the loudest there can be. */
export function loudness(samples) {
  return Math.sqrt(samples.reduce((sum, s) => sum + s * s, 0) / samples.length) / 32768;
}

/** How much of the samples' energy is at `pitch`: 1 for a pure tone of it. */
export function purity(samples, rate) {
  let [re, im, all] = [0, 0, 0];
  samples.forEach((s, i) => {
    const angle = (2 * Math.PI * pitch * i) / rate;
    re += s * Math.cos(angle);
    im += s * Math.sin(angle);
    all += s * s;
  });
  return all === 0 ? 0 : (2 * (re * re + im * im)) / (samples.length * all);
}
