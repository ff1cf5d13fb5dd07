import type { VoiceEvents } from "./events.js";
import { type VoiceSession } from "./session.js";
export interface ServiceVoiceOptions {
    /** The voice server's address, `wss://…`. The token names it; this is for tokens that do not, and wins over those that do. */
    serverUrl?: string;
}
/** One voice session with an agent. Make a new one for the next session. */
export declare class ServiceVoice {
    private readonly events;
    private readonly microphone;
    private readonly serverUrl;
    private room;
    private phase;
    private connection;
    private agent;
    private reason;
    constructor(options?: ServiceVoiceOptions);
    /**
     * Joins the session that a backend has created: the `data` of its answer, or the participantToken alone. Resolves once
     * connected; the microphone is then open, unless it was refused (event `error`, the session goes on in text) or the browser
     * still asks for it after five seconds. Rejects, after the event `error`, when there is no connection.
     */
    connect(session: VoiceSession | string): Promise<void>;
    /** Ends the session. Nothing happens when it has ended already. */
    disconnect(): Promise<void>;
    /** Sends a typed message. The agent answers with speech. */
    sendText(message: string): Promise<void>;
    /** Keeps the customer from being heard. The session goes on. */
    mute(): Promise<void>;
    /** Lets the customer be heard again. A microphone that was refused or absent is asked for once more. */
    unmute(): Promise<void>;
    /** Whether nothing is heard of the customer: muted, or without a microphone. */
    get isMuted(): boolean;
    /** What the microphone records, for a level meter say; null before connecting, without a microphone, and after the session. */
    get localAudioStream(): MediaStream | null;
    /** Has an event tell `callback`; the function that is given back ends that. */
    on<K extends keyof VoiceEvents>(event: K, callback: VoiceEvents[K]): () => void;
    /** Ends what `on` began. */
    off<K extends keyof VoiceEvents>(event: K, callback: VoiceEvents[K]): void;
    private bye;
    private join;
    private failed;
    private follow;
    /** Reads what the agent shows of itself. */
    private look;
    private turn;
    private show;
    private ended;
}
