// What is asked in the playground: one conversation, or two side by side.
import { useEffect, useState, useSyncExternalStore } from "react";
import type { Part, StreamEvent } from "../../../../shared/stream/turn";
import { APIError } from "../../api/client";
import {
  advanceAnswer,
  askPlayground,
  comparePlayground,
  newAnswer,
  readConversation,
  type Answer,
  type ConversationRecord,
  type Draft,
  type Feedback,
  type StoredExchange,
} from "../../api/playground";

/** A message and its answer. */
export interface Exchange {
  id: number;
  question: string;
  answer: Answer;
  /** Why there is no answer, where the server refused to begin one. */
  failure: unknown;
  draft: Draft | undefined;
  /** It was read again: nobody knows the draft that it was asked with. */
  isStored: boolean;
  feedback: Feedback;
}

export interface Lane {
  conversationId: string;
  exchanges: readonly Exchange[];
  /** Messages before the first one that is shown. */
  earlier: number;
}

export interface TalkState {
  lanes: readonly Lane[];
  isBusy: boolean;
  isLoading: boolean;
  /** Why a stored conversation is not shown. */
  failure: unknown;
}

const emptyLane: Lane = { conversationId: "", exchanges: [], earlier: 0 };
const laneNames = ["a", "b"];

// Milliseconds between two looks at an answer that is being written. What comes meanwhile is read and shown at once,
// which reads as smoothly as every word would, at a tenth of the work.
const lookInterval = {
  answer: 100,
  slowest: 500,
  stored: 700, // of one that is written for a page that has gone
};
const restFactor = 20; // on a slow computer it looks less often: a twentieth of the time goes into drawing
/** Whether an answer has grown and goes on. What has ended is not waited for. */
const hasText = (events: readonly StreamEvent[]) =>
  events.some(({ type }) => type === "text-delta") && !events.some(({ type }) => type === "finish" || type === "error");
const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis));

let lastID = 0;

/** The conversations of a page. It is no state of React: an answer that grows concerns those alone who show it. */
export class Talk {
  private state: TalkState = { lanes: [emptyLane], isBusy: false, isLoading: false, failure: null };
  private readonly listeners = new Set<() => void>();
  private running: AbortController | null = null;
  private loading: AbortController | null = null;
  private shown = "";

  /** `onBegin` is told the ids of new conversations, once the server has given them. */
  constructor(
    private readonly agent: string,
    public onBegin: (ids: readonly string[]) => void = () => {},
  ) {}

  readonly getState = () => this.state;
  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  private set(change: Partial<TalkState>) {
    this.state = { ...this.state, ...change };
    for (const listener of this.listeners) listener();
  }

  private setLanes(change: (lanes: readonly Lane[]) => readonly Lane[]) {
    this.set({ lanes: change(this.state.lanes) });
  }

  /** Shows stored conversations, or, without any, so many empty lanes. What is shown already stays. */
  show(ids: readonly string[], count: number) {
    const wanted = [count, ...ids].join(" ");
    if (wanted === this.shown) return;
    this.leave();
    this.shown = wanted;
    const lanes = Array.from({ length: count }, () => emptyLane);
    this.set({ lanes, failure: null, isBusy: false, isLoading: ids.length > 0 });
    if (ids.length > 0) void this.load(ids);
  }

  readonly reload = () => {
    const [count = "1", ...ids] = this.shown.split(" ");
    this.shown = "";
    this.show(ids, Number(count));
  };

  private async load(ids: readonly string[]) {
    const { signal } = (this.loading = new AbortController());
    try {
      for (;;) {
        const records = await Promise.all(ids.map((id) => readConversation(this.agent, id, signal)));
        if (signal.aborted) return;
        const isAnswering = records.some(({ answering }) => answering);
        this.set({ lanes: records.map(storedLane), isLoading: isAnswering });
        if (!isAnswering) return;
        await pause(lookInterval.stored);
        if (signal.aborted) return;
      }
    } catch (failure) {
      if (!signal.aborted) this.set({ failure, isLoading: false });
    }
  }

  /** Ends what is under way for this page. */
  leave() {
    this.running?.abort();
    this.loading?.abort();
    this.running = null;
  }

  ask(message: string, drafts: readonly (Draft | undefined)[]) {
    const { lanes } = this.state;
    this.set({ lanes: lanes.map((lane, i) => addExchange(lane, newExchange(message, drafts[i]))) });
    const of = (lane: Lane) => lane.conversationId || undefined;
    void this.run((signal) =>
      lanes.length === 1
        ? askPlayground(this.agent, { message, conversationId: of(lanes[0]!), draft: drafts[0] }, signal)
        : comparePlayground(
            this.agent,
            message,
            lanes.map((lane, i) => ({ conversationId: of(lane), draft: drafts[i] })),
            signal,
          ),
    );
  }

  /** Asks for another answer in place of the last one of the only lane. */
  again(draft: Draft | undefined) {
    const [lane] = this.state.lanes;
    const last = lane?.exchanges.at(-1);
    if (!lane || !last) return;
    const { userMessageId, conversationId } = last.answer;
    const exchanges = [...lane.exchanges.slice(0, -1), newExchange(last.question, draft)];
    this.set({ lanes: [{ ...lane, exchanges }] });
    const question = userMessageId
      ? { retry: userMessageId, conversationId, draft }
      : { message: last.question, conversationId: lane.conversationId || undefined, draft };
    void this.run((signal) => askPlayground(this.agent, question, signal));
  }

  readonly stop = () => this.running?.abort();

  private async run(open: (signal: AbortSignal) => AsyncGenerator<StreamEvent[]>) {
    const controller = new AbortController();
    this.running = controller;
    this.set({ isBusy: true });
    const isCurrent = () => this.running === controller;
    let failure: unknown = new APIError(0, "NO_ANSWER", "", null);
    try {
      for await (const events of open(controller.signal)) {
        if (!isCurrent()) return;
        const began = performance.now();
        this.advance(events);
        await null; // React draws now
        const spent = performance.now() - began;
        if (hasText(events)) await pause(Math.min(lookInterval.slowest, Math.max(lookInterval.answer, spent * restFactor)));
      }
    } catch (error) {
      failure = controller.signal.aborted ? null : error;
    }
    if (!isCurrent()) return;
    this.running = null;
    this.flushBegin();
    this.set({ isBusy: false, lanes: this.state.lanes.map((lane) => endLane(lane, failure)) });
  }

  private begin: (() => unknown) | null = null;

  private flushBegin() {
    const { begin } = this;
    this.begin = null;
    begin?.();
  }

  private advance(events: readonly StreamEvent[]) {
    this.setLanes((lanes) => lanes.map((lane, i) => advanceLane(lane, events.filter(isOf(i, lanes.length)))));
    const ids = this.state.lanes.map(({ conversationId }) => conversationId);
    const shown = [ids.length, ...ids].join(" ");
    if (!ids.every(Boolean) || shown === this.shown) return;
    this.shown = shown;
    this.begin = () => this.shown === shown && this.onBegin(ids);
    setTimeout(() => this.flushBegin(), lookInterval.answer); // not in the frame of the first words, which is full
  }
}

/** The conversations with the ids, or empty lanes. They end with the page. */
export function useTalk(agent: string, ids: readonly string[], count: number, onBegin: (ids: readonly string[]) => void): Talk {
  const [talk] = useState(() => new Talk(agent));
  talk.onBegin = onBegin;
  const wanted = ids.join(" ");
  useEffect(() => talk.show(wanted ? wanted.split(" ") : [], count), [talk, wanted, count]);
  useEffect(() => () => talk.leave(), [talk]);
  return talk;
}

export const useTalkState = (talk: Talk): TalkState => useSyncExternalStore(talk.subscribe, talk.getState);

const isOf = (lane: number, count: number) => (event: StreamEvent) => count === 1 || event.lane === laneNames[lane];

const newExchange = (question: string, draft: Draft | undefined): Exchange => {
  return { id: ++lastID, question, answer: newAnswer(), failure: null, draft, isStored: false, feedback: null };
};

const addExchange = (lane: Lane, exchange: Exchange): Lane => {
  return { ...lane, exchanges: [...lane.exchanges, exchange] };
};

function changeLast(lane: Lane, change: Partial<Exchange>): Lane {
  const last = lane.exchanges.at(-1)!;
  return { ...lane, exchanges: [...lane.exchanges.slice(0, -1), { ...last, ...change }] };
}

function advanceLane(lane: Lane, events: readonly StreamEvent[]): Lane {
  const last = lane.exchanges.at(-1);
  if (!last || events.length === 0) return lane;
  const answer = events.reduce(advanceAnswer, last.answer);
  return { ...changeLast(lane, { answer }), conversationId: answer.conversationId || lane.conversationId };
}

/** Ends an answer that has not said so itself: it was stopped, where there is no failure. */
function endLane(lane: Lane, failure: unknown): Lane {
  const last = lane.exchanges.at(-1);
  if (!last || last.answer.status === "done" || last.answer.status === "failed") return lane;
  return changeLast(lane, { answer: { ...last.answer, status: failure ? "failed" : "stopped" }, failure });
}

function storedLane({ conversationId, exchanges, answering, earlier }: ConversationRecord): Lane {
  const list = exchanges.map((stored) => storedExchange(conversationId, stored));
  const last = list.at(-1);
  if (last && answering) last.answer = { ...last.answer, status: "sending" };
  return { conversationId, earlier, exchanges: list };
}

const statuses = { complete: "done", interrupted: "stopped", failed: "failed" } as const;

function storedExchange(conversationId: string, stored: StoredExchange): Exchange {
  const { userMessageId, answer: metadata } = stored;
  const messageId = metadata?.messageId ?? "";
  const status = statuses[stored.state];
  const answer: Answer = { status, messageId, userMessageId, conversationId, parts: storedParts(stored), error: "", metadata };
  return { ...newExchange(stored.question, undefined), answer, isStored: true, feedback: stored.feedback || null };
}

/** The parts of a stored answer as they are shown. */
export function storedParts({ parts }: Pick<StoredExchange, "parts">): Part[] {
  const list: Part[] = [];
  for (const { type, text = "", toolCallId = "", toolName = "", input, output } of parts) {
    if (type === "text") list.push({ kind: "text", id: String(list.length), text });
    if (type === "tool-call") list.push({ kind: "tool", id: toolCallId, name: toolName, input, isDone: false });
    const call = list.findIndex((part) => part.kind === "tool" && part.id === toolCallId);
    if (type === "tool-result" && call >= 0) list[call] = { ...list[call]!, output, isDone: true } as Part;
  }
  return list;
}
