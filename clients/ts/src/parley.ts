import { Agents } from "./agents.js";
import { Chat } from "./chat.js";
import { Conversations } from "./conversations.js";
import { Helpdesk } from "./helpdesk.js";
import { Sources } from "./sources.js";
import { Transport, type ParleyOptions } from "./transport.js";
import type { Call, CallOptions, OperationId, ReplyOf } from "./types.js";
import { Voice } from "./voice.js";

/** The client of Parley's REST interface: a group of methods for each part of it, and `request` for any operation. */
export class Parley {
  readonly agents: Agents;
  readonly chat: Chat;
  readonly conversations: Conversations;
  readonly helpdesk: Helpdesk;
  readonly sources: Sources;
  readonly voice: Voice;
  readonly #transport: Transport;

  constructor(options: ParleyOptions) {
    this.#transport = new Transport(options);
    this.agents = new Agents(this.#transport);
    this.chat = new Chat(this.#transport);
    this.conversations = new Conversations(this.#transport);
    this.helpdesk = new Helpdesk(this.#transport);
    this.sources = new Sources(this.#transport);
    this.voice = new Voice(this.#transport);
  }

  /** Calls any operation by its name. */
  request<Id extends OperationId>(id: Id, call: Call<Id>): Promise<ReplyOf<Id>> {
    return this.#transport.call(id, call);
  }

  /** Is the server up? */
  health(options: CallOptions = {}): Promise<ReplyOf<"health">> {
    return this.#transport.call("health", options);
  }

  /** Who the API key belongs to. */
  me(options: CallOptions = {}): Promise<ReplyOf<"me">> {
    return this.#transport.call("me", options);
  }
}
