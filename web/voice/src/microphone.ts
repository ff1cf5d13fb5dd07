import { ConnectionState, createLocalAudioTrack, RoomEvent, Track, TrackEvent, type LocalAudioTrack, type Room } from "livekit-client";
import { microphoneProblem } from "./problem.js";

const ended = () => new DOMException("the track has ended", "InvalidStateError");

/** The customer's microphone: opened for a session, muted and unmuted, closed with it. Problems are reported, not thrown. */
export class Microphone {
  /** The stream that is recorded; null while there is none. */
  stream: MediaStream | null = null;

  private track: LocalAudioTrack | null = null;
  private opening: Promise<void> | null = null;
  private closed = false;
  private silenced = false;
  private failed = false;

  constructor(private readonly complain: (error: Error) => void) {}

  /** Whether the customer is muted or has no microphone. */
  get muted(): boolean {
    return this.silenced || this.failed;
  }

  /** Requests the microphone. The browser may ask the customer, which may take any time. */
  open(): Promise<void> {
    this.closed = this.failed = false;
    return (this.opening ??= this.record().finally(() => (this.opening = null)));
  }

  /** Publishes the microphone. If the connection breaks meanwhile, it is published when there is one again. */
  async publish(room: Room): Promise<void> {
    await this.opening;
    const { track } = this;
    if (!track || room.localParticipant.getTrackPublication(Track.Source.Microphone)) return;
    const settled = new Promise<void>((done) => room.once(RoomEvent.Reconnected, done).once(RoomEvent.Disconnected, () => done()));
    // livekit-client replaces a device that is removed by another one, and mutes the track if there is none.
    const muted = () => track.mediaStreamTrack.readyState === "ended" && void this.lose(track, room, ended());
    try {
      // Without pauses in the stream of packets and without redundancy: the receiver decides what is silence.
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

  /** Unmutes the microphone. If there was none, or it was removed meanwhile, it is requested again. */
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

  /** Replaces the track in the stream, after another device was chosen or the browser has restarted it. */
  private swap(track: LocalAudioTrack): void {
    const stream = this.stream;
    if (!stream) return;
    stream.getTracks().forEach((old) => stream.removeTrack(old));
    stream.addTrack(track.mediaStreamTrack);
  }

  /** Continues without a microphone that was removed. */
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
