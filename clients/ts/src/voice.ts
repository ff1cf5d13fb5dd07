import { Group } from "./group.js";
import type { BodyOf, CallOptions, ReplyOf } from "./types.js";

/** Talks with an agent. Browsers join them with what `createSession` gives a backend. */
export class Voice extends Group {
  /** Opens a session. Give `data` of the reply to the browser, and keep the API key. */
  createSession(agentId: string, body: BodyOf<"createVoiceSession"> = {}, options: CallOptions = {}): Promise<ReplyOf<"createVoiceSession">> {
    return this.transport.call("createVoiceSession", { path: { agentId }, body, ...options });
  }
}
