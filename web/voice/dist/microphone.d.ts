import { type Room } from "livekit-client";
/** The customer's microphone: opened for a session, muted and unmuted, closed with it. What goes wrong is told, not thrown. */
export declare class Microphone {
    private readonly complain;
    /** The sound that is recorded; null while there is none. */
    stream: MediaStream | null;
    private track;
    private opening;
    private closed;
    private silenced;
    private failed;
    constructor(complain: (error: Error) => void);
    /** Whether nothing is heard of the customer: by their wish, or for want of a microphone. */
    get muted(): boolean;
    /** Asks for the microphone. The browser may ask the customer, for as long as they please. */
    open(): Promise<void>;
    /** Lets the room hear what is recorded. Where the connection breaks meanwhile, it is done when there is one again. */
    publish(room: Room): Promise<void>;
    mute(): Promise<void>;
    /** Lets the customer be heard again. Where there was no microphone it is asked for once more. */
    unmute(room: Room | null): Promise<void>;
    close(): void;
    private record;
    /** Keeps the stream and changes the track in it, after another device has been chosen or the browser has begun anew. */
    private swap;
    private fail;
}
