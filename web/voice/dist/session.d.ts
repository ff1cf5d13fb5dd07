/** What `POST /agents/{agentId}/voice/sessions` answers as `data`. Only the token is needed here. */
export interface VoiceSession {
    participantToken: string;
    sessionId?: string;
    roomName?: string;
    maxDurationSeconds?: number;
    conversationId?: string;
    userId?: string;
}
/** The token of a session, given as the whole session or alone. */
export declare function tokenOf(session: VoiceSession | string): string;
/** Where the token is good: the claim `url` that the server puts into it. Undefined for a token without one. */
export declare function addressIn(token: string): string | undefined;
