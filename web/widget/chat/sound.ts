/** Plays a short, quiet tone. Browsers keep it silent until somebody has touched the chat. */
export function playTone() {
  const context = new AudioContext();
  const tone = context.createOscillator();
  const volume = context.createGain();
  const now = context.currentTime;
  tone.frequency.value = 660;
  volume.gain.setValueAtTime(0.06, now);
  volume.gain.exponentialRampToValueAtTime(0.0001, now + 0.25);
  tone.connect(volume).connect(context.destination);
  tone.start(now);
  tone.stop(now + 0.25);
  tone.onended = () => void context.close();
}
