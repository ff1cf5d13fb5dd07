/** `data` of the reply of `POST /agents/{agentId}/voice/sessions`. Only the token is needed here. */
export interface VoiceSession {
  participantToken: string;
  sessionId?: string;
  roomName?: string;
  maxDurationSeconds?: number;
  conversationId?: string;
  userId?: string;
}

/** Returns the token of a session, which is passed as the whole session or alone. */
export function tokenOf(session: VoiceSession | string): string {
  const token = typeof session === "string" ? session.trim() : session?.participantToken;
  if (typeof token !== "string" || token === "") throw new TypeError("connect needs a session, or its participantToken");
  return token;
}

/** Returns the address to connect to: the token's claim `url`. Undefined for a token without one. */
export function addressIn(token: string): string | undefined {
  try {
    const body = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(body), (c) => c.charCodeAt(0));
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    const url = typeof claims === "object" && claims !== null && "url" in claims ? claims.url : undefined;
    return typeof url === "string" && url !== "" ? url : undefined;
  } catch {
    return undefined;
  }
}
