// Decides when somebody has finished speaking.

/** A level that is speech and not the noise of a room. */
const speechLevel = 0.3;
/** Seconds within which somebody has to begin. */
const patience = 8;

/** Told of each level, says whether the recording is over: silence after speech, nothing at all, or the longest time. */
export class SilenceWatch {
  private begun = -1;
  private spoken = -1;

  constructor(
    /** Seconds of silence that end a recording. */
    private readonly silence: number,
    private readonly longest: number,
  ) {}

  /** `now` is in seconds. */
  isOver(level: number, now: number): boolean {
    if (this.begun < 0) this.begun = now;
    if (level >= speechLevel) this.spoken = now;
    if (now - this.begun >= this.longest) return true;
    if (this.spoken < 0) return now - this.begun >= Math.max(patience, this.silence);
    return now - this.spoken >= this.silence;
  }

  get hasSpeech(): boolean {
    return this.spoken >= 0;
  }
}
