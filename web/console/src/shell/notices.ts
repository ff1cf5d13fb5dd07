// Tells a person who looks elsewhere what happens in the account: in the title, by a sound, by the browser.
import { useEffect, useRef } from "react";
import { useLocation } from "wouter";
import type { Live } from "../api/events";
import { readInbox } from "../api/inbox";
import type { Change } from "../api/invalidate";
import type { User } from "../api/session";
import { useTexts, type Key } from "../i18n";
import { showCount } from "./title";

interface Notice {
  text: Key;
  /** Where it is to be seen. */
  path: string;
}

/** What of the changes somebody may be waiting for. */
export function findNotice(name: string, { change, agentId, conversationId }: Change): Notice | null {
  const path = agentId ? `/agents/${agentId}` : "/agents";
  if (name === "source" && change === "trained") return { text: "notice.sourceRead", path: `${path}/sources` };
  if (name === "source" && change === "failed") return { text: "notice.sourceFailed", path: `${path}/sources?state=failed` };
  if (name === "ticket" && change === "created") return { text: "notice.ticket", path: conversationId ? `/inbox/${conversationId}` : path };
  return null;
}

const pause = 1_000; // milliseconds in which events gather before the inbox is asked what they were

/** Conversations of which the events alone do not say whether the person waits for that. */
export class Asked {
  private readonly written = new Set<string>();
  private readonly handedOver = new Set<string>();
  private readonly opened = new Set<string>(); // a notice says so already
  private timer = 0;

  constructor(
    private readonly tell: (notice: Notice) => void,
    private readonly isAway: () => boolean,
    private readonly read: typeof readInbox = readInbox,
  ) {}

  add(name: string, { id = "", conversationId = "", change }: Change): void {
    if (name === "message" && change === "created") this.written.add(conversationId);
    else if (name === "conversation" && change === "takenOver") this.handedOver.add(id);
    else if (name === "ticket" && change === "created") return void this.opened.add(conversationId);
    else return;
    this.timer ||= window.setTimeout(() => void this.look().catch(() => {}), pause); // what the inbox shows stays right
  }

  close(): void {
    clearTimeout(this.timer);
  }

  private async look(): Promise<void> {
    const [written, handedOver, opened] = [this.written, this.handedOver, this.opened].map((set) => new Set(set));
    for (const set of [this.written, this.handedOver, this.opened]) set.clear();
    this.timer = 0;
    if (!this.isAway()) return;
    const wanted = [...handedOver!].filter((id) => !opened!.has(id));
    const mine = written!.size + wanted.length > 0 ? await this.read("mine") : [];
    for (const { conversationId, lastMessage, unread } of mine) {
      const path = `/inbox/${conversationId}`;
      if (written!.has(conversationId) && lastMessage?.author === "user") this.tell({ text: "notice.answered", path });
      else if (wanted.includes(conversationId) && unread) this.tell({ text: "notice.given", path });
    }
    if (wanted.length === 0) return;
    const waiting = (await this.read("unassigned")).filter(({ conversationId }) => wanted.includes(conversationId));
    waiting.forEach((row) => this.tell({ text: "notice.waits", path: `/inbox/${row.conversationId}` }));
  }
}

export const canNotify = () => "Notification" in globalThis && isSecureContext;

/** Tells what happens while the page is not seen. */
export function useNotices(live: Live | null, user: User): void {
  const { t } = useTexts();
  const [, navigate] = useLocation();
  const { desktop = false, sound = false } = user.notifications ?? {};
  const unseen = useRef(0);
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === "visible") showCount((unseen.current = 0));
    };
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
  useEffect(() => {
    const isAway = () => document.visibilityState !== "visible";
    const tell = (notice: Notice) => {
      showCount((unseen.current += 1));
      if (sound) void playSound();
      if (!desktop || !canNotify() || Notification.permission !== "granted") return;
      const shown = new Notification(t("notice.title"), { body: t(notice.text), tag: `parley ${notice.text} ${notice.path}` });
      shown.onclick = () => {
        focus();
        navigate(notice.path);
      };
    };
    const asked = new Asked(tell, isAway);
    const end = live?.onChange((name, change) => {
      if (!isAway()) return;
      asked.add(name, change);
      const notice = findNotice(name, change);
      if (notice) tell(notice);
    });
    return () => {
      asked.close();
      end?.();
    };
  }, [live, desktop, sound, t, navigate]);
}

/** Two short tones. A browser that has not been touched since the page was loaded stays silent. */
export async function playSound(): Promise<void> {
  const audio = new AudioContext();
  const volume = new GainNode(audio, { gain: 0.08 });
  volume.connect(audio.destination);
  for (const [i, frequency] of [660, 880].entries()) {
    const tone = new OscillatorNode(audio, { frequency });
    tone.connect(volume);
    tone.start(audio.currentTime + i * 0.12);
    tone.stop(audio.currentTime + i * 0.12 + 0.1);
    if (i === 1) tone.onended = () => void audio.close();
  }
}
