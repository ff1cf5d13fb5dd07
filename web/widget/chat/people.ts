// Who answers: the agent, or a person who was asked for or has come by themselves.
import { computed, signal } from "@preact/signals";
import type { FrameMessage } from "../channel";
import type { Api } from "./api";
import type { Follower } from "./follower";
import type { Handover } from "./handover/handover";
import type { PersonChange } from "./person/text";
import { limitTyping } from "./person/typing";
import type { ConversationHead, Message, Person } from "./state";
import { newMessage, type Thread } from "./thread";
import type { Turns } from "./turns";

/** Where a conversation begins, and who is told of it. */
interface Beginning {
  describe(): Record<string, unknown>;
  note(conversationId: string): void;
}

export class People {
  /** The person who answers now; null while the agent does. */
  readonly shown = computed(() => {
    const person = this.follower.person.value;
    return this.thread.head.value?.status === "taken_over" && person?.state === "joined" ? person : null;
  });

  /** Nobody is there who could answer. */
  readonly isAway = computed(() => this.thread.head.value?.status === "taken_over" && this.follower.person.value?.state === "away");
  /** The visitor has left an address, or the company has one. */
  readonly hasAddress = computed(() => this.givenIn.value === this.thread.head.value?.id || !!this.follower.person.value?.canAnswerByEmail);
  private readonly givenIn = signal(""); // the conversation with the address

  /** Tells them that the visitor types. */
  readonly noteTyping = limitTyping(() => {
    const head = this.thread.head.value;
    if (head?.status !== "taken_over") return;
    void this.api.request("POST", `/conversation/${head.id}/typing`).catch(() => {});
  });

  constructor(
    private readonly api: Api,
    private readonly thread: Thread,
    private readonly follower: Follower,
    private readonly turns: Pick<Turns, "phase">,
    private readonly post: (message: FrameMessage) => void,
    private readonly announce: (change: PersonChange, person: Person | null) => void,
    private readonly beginning: Beginning,
  ) {
    follower.person.subscribe((person) => {
      if (person?.state === "joined" || person?.state === "left") this.addLine(person.state, person);
    });
    this.isAway.subscribe((isAway) => isAway && this.announce("away", null));
    let before: ConversationHead | null = null;
    thread.head.subscribe((head) => {
      const isTakenOver = head?.status === "taken_over" && before?.id === head.id && before.status !== head.status;
      before = head;
      if (isTakenOver) this.post({ type: "handover", data: { conversationId: head.id } });
      void Promise.resolve().then(() => this.follow()); // once all is loaded that came with it
    });
    turns.phase.subscribe(() => this.follow());
    document.addEventListener("visibilitychange", () => this.follow());
  }

  /** Follows what people do: as long as the conversation is theirs, or as the visitor may see that it becomes theirs. */
  follow() {
    const status = this.thread.head.value?.status;
    if (status === "taken_over") return this.follower.start();
    if (status !== "ongoing" || document.visibilityState !== "visible") return this.follower.stop();
    if (this.turns.phase.value === "idle") this.follower.start();
  }

  /** Asks for a person, or says where the answer shall go. Who has written nothing yet begins a conversation with it. */
  readonly ask = async (wish: { reason?: string; email?: string }): Promise<Handover> => {
    const shown = this.thread.head.value?.id;
    const place = shown ? { conversationId: shown } : this.beginning.describe();
    const reply = await this.api.request<Handover>("POST", "/handover", { ...place, ...wish });
    if (!shown) await this.begin(reply.conversationId);
    if (reply.canAnswerByEmail) this.givenIn.value = shown ?? reply.conversationId;
    if (!shown || this.thread.head.value?.status === "ongoing") this.noteAsked();
    return reply;
  };

  /** Shows the conversation that the wish has begun. */
  private async begin(conversationId: string) {
    this.thread.begin(conversationId);
    this.beginning.note(conversationId);
    await this.thread.refresh().catch(() => null); // what is followed brings it as well
  }

  private noteAsked() {
    this.addLine("waiting", null);
    this.thread.setStatus("taken_over");
  }

  /** The tools of an answer may have asked for a person. */
  async checkAnswer(message: Message) {
    if (message.parts.some((part) => part.kind === "tool")) await this.thread.refresh().catch(() => null);
  }

  /** Says in the chat who answers from here on, once; above what somebody who has come has written already. */
  private addLine(change: PersonChange, person: Person | null) {
    const all = this.thread.messages.value;
    const last = all.findLast((one) => one.change !== null);
    if (last?.change === change && last.person?.name === person?.name) return;
    this.announce(change, person);
    const line = { ...newMessage("system", "complete"), change, person };
    const first = change === "joined" && !last ? all.findIndex(({ author }) => author === "human") : -1;
    const at = first < 0 ? all.length : first;
    this.thread.messages.value = [...all.slice(0, at), line, ...all.slice(at)];
  }
}
