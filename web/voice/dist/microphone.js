import { ConnectionState, createLocalAudioTrack, RoomEvent, Track, TrackEvent } from "livekit-client";
import { microphoneProblem } from "./problem.js";
/** The customer's microphone: opened for a session, muted and unmuted, closed with it. What goes wrong is told, not thrown. */
export class Microphone {
    complain;
    /** The sound that is recorded; null while there is none. */
    stream = null;
    track = null;
    opening = null;
    closed = false;
    silenced = false;
    failed = false;
    constructor(complain) {
        this.complain = complain;
    }
    /** Whether nothing is heard of the customer: by their wish, or for want of a microphone. */
    get muted() {
        return this.silenced || this.failed;
    }
    /** Asks for the microphone. The browser may ask the customer, for as long as they please. */
    open() {
        this.closed = this.failed = false;
        return (this.opening ??= this.record().finally(() => (this.opening = null)));
    }
    /** Lets the room hear what is recorded. Where the connection breaks meanwhile, it is done when there is one again. */
    async publish(room) {
        await this.opening;
        const { track } = this;
        if (!track || room.localParticipant.getTrackPublication(Track.Source.Microphone))
            return;
        const settled = new Promise((done) => room.once(RoomEvent.Reconnected, done).once(RoomEvent.Disconnected, () => done()));
        try {
            // Without pauses in the stream of packets and without doubling them: what listens decides itself what is silence.
            await room.localParticipant.publishTrack(track, { source: Track.Source.Microphone, dtx: false, red: false });
        }
        catch (cause) {
            if (this.closed)
                return;
            if (room.state === ConnectionState.Connected)
                return this.fail(cause);
            await settled;
            await this.publish(room);
        }
    }
    async mute() {
        this.silenced = true;
        await this.track?.mute();
    }
    /** Lets the customer be heard again. Where there was no microphone it is asked for once more. */
    async unmute(room) {
        this.silenced = false;
        if (!this.track && room) {
            await this.open();
            await this.publish(room);
        }
        await this.track?.unmute();
    }
    close() {
        this.closed = true;
        this.track?.stop();
        this.track = this.stream = null;
    }
    async record() {
        try {
            if (!navigator.mediaDevices)
                throw new DOMException("a page needs HTTPS to use a microphone", "SecurityError");
            const track = await createLocalAudioTrack({ echoCancellation: true, noiseSuppression: true, autoGainControl: true });
            if (this.closed)
                return track.stop();
            if (this.silenced)
                await track.mute();
            this.track = track;
            this.stream = new MediaStream([track.mediaStreamTrack]);
            track.on(TrackEvent.Restarted, () => this.swap(track));
        }
        catch (cause) {
            if (!this.closed)
                this.fail(cause);
        }
    }
    /** Keeps the stream and changes the track in it, after another device has been chosen or the browser has begun anew. */
    swap(track) {
        const stream = this.stream;
        if (!stream)
            return;
        stream.getTracks().forEach((old) => stream.removeTrack(old));
        stream.addTrack(track.mediaStreamTrack);
    }
    fail(cause) {
        this.track?.stop();
        this.track = this.stream = null;
        this.failed = true;
        this.complain(microphoneProblem(cause));
    }
}
