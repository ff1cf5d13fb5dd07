import { Group } from "./group.js";
import type { BodyOf, CallOptions, ReplyOf } from "./types.js";

/** Voice sessions with an agent. Browsers join them with what `createSession` returns to a backend. */
export class Voice extends Group {
  /** Creates a session. Pass `data` of the reply to the browser, and keep the API key on the server. */
  createSession(agentId: string, body: BodyOf<"createVoiceSession"> = {}, options: CallOptions = {}): Promise<ReplyOf<"createVoiceSession">> {
    return this.transport.call("createVoiceSession", { path: { agentId }, body, ...options });
  }
}
