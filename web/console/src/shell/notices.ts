// Tells a person who looks elsewhere what happens in the account: in the title, by a sound, by the browser.
import { useEffect, useRef } from "react";
import { useLocation } from "wouter";
import type { Live } from "../api/events";
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
    return live?.onChange((name, change) => {
      const notice = findNotice(name, change);
      if (!notice || document.visibilityState === "visible") return;
      showCount((unseen.current += 1));
      if (sound) void playSound();
      if (!desktop || !canNotify() || Notification.permission !== "granted") return;
      const shown = new Notification(t("notice.title"), { body: t(notice.text), tag: `parley ${notice.text} ${notice.path}` });
      shown.onclick = () => {
        focus();
        navigate(notice.path);
      };
    });
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
