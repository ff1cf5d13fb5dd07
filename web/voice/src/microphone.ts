import { ConnectionState, createLocalAudioTrack, RoomEvent, Track, TrackEvent, type LocalAudioTrack, type Room } from "livekit-client";
import { microphoneProblem } from "./problem.js";

const ended = () => new DOMException("the track has ended", "InvalidStateError");

/** The customer's microphone: opened for a session, muted and unmuted, closed with it. What goes wrong is told, not thrown. */
export class Microphone {
  /** The sound that is recorded; null while there is none. */
  stream: MediaStream | null = null;

  private track: LocalAudioTrack | null = null;
  private opening: Promise<void> | null = null;
  private closed = false;
  private silenced = false;
  private failed = false;

  constructor(private readonly complain: (error: Error) => void) {}

  /** Whether nothing is heard of the customer: by their wish, or for want of a microphone. */
  get muted(): boolean {
    return this.silenced || this.failed;
  }

  /** Asks for the microphone. The browser may ask the customer, for as long as they please. */
  open(): Promise<void> {
    this.closed = this.failed = false;
    return (this.opening ??= this.record().finally(() => (this.opening = null)));
  }

  /** Lets the room hear what is recorded. Where the connection breaks meanwhile, it is done when there is one again. */
  async publish(room: Room): Promise<void> {
    await this.opening;
    const { track } = this;
    if (!track || room.localParticipant.getTrackPublication(Track.Source.Microphone)) return;
    const settled = new Promise<void>((done) => room.once(RoomEvent.Reconnected, done).once(RoomEvent.Disconnected, () => done()));
    // A device that goes away livekit-client replaces by another, and where there is none it mutes the track.
    const muted = () => track.mediaStreamTrack.readyState === "ended" && void this.lose(track, room, ended());
    try {
      // Without pauses in the stream of packets and without doubling them: what listens decides itself what is silence.
      await room.localParticipant.publishTrack(track, { source: Track.Source.Microphone, dtx: false, red: false });
      track.on(TrackEvent.Muted, muted);
    } catch (cause) {
      if (this.closed) return;
      if (room.state === ConnectionState.Connected) return this.fail(cause);
      await settled;
      await this.publish(room);
    }
  }

  async mute(): Promise<void> {
    this.silenced = true;
    await this.track?.mute();
  }

  /** Lets the customer be heard again. Where there was no microphone, or it has gone meanwhile, it is asked for once more. */
  async unmute(room: Room | null): Promise<void> {
    this.silenced = false;
    if (!this.track && room) {
      await this.open();
      await this.publish(room);
    }
    const { track } = this;
    await track?.unmute().catch((cause) => this.lose(track, room, cause));
  }

  close(): void {
    this.closed = true;
    this.track?.stop();
    this.track = this.stream = null;
  }

  private async record(): Promise<void> {
    try {
      if (!navigator.mediaDevices) throw new DOMException("a page needs HTTPS to use a microphone", "SecurityError");
      const track = await createLocalAudioTrack({ echoCancellation: true, noiseSuppression: true, autoGainControl: true });
      if (this.closed) return track.stop();
      if (this.silenced) await track.mute();
      this.track = track;
      this.stream = new MediaStream([track.mediaStreamTrack]);
      track.on(TrackEvent.Restarted, () => this.swap(track));
    } catch (cause) {
      if (!this.closed) this.fail(cause);
    }
  }

  /** Keeps the stream and changes the track in it, after another device has been chosen or the browser has begun anew. */
  private swap(track: LocalAudioTrack): void {
    const stream = this.stream;
    if (!stream) return;
    stream.getTracks().forEach((old) => stream.removeTrack(old));
    stream.addTrack(track.mediaStreamTrack);
  }

  /** Goes on without a microphone that was there. */
  private async lose(track: LocalAudioTrack, room: Room | null, cause: unknown): Promise<void> {
    if (this.closed || this.track !== track) return;
    this.fail(cause);
    await room?.localParticipant.unpublishTrack(track).catch(() => {}); // with the connection, it is gone anyway
  }

  private fail(cause: unknown): void {
    this.track?.stop();
    this.track = this.stream = null;
    this.failed = true;
    this.complain(microphoneProblem(cause));
  }
}
