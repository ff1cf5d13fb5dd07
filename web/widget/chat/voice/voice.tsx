import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../api";
import { levelOf } from "../dictation/wav";
import { CloseIcon } from "../icons";
import { MicrophoneIcon, MicrophoneOffIcon } from "../part-icons";
import type { FrameChat } from "../chat";
import { coverChat } from "../cover";
import type { Translate } from "../translate";
import { Call, type VoiceSession } from "./call";
import { loadVoice } from "./library";
import styles from "./voice.module.css";

interface VoicePanelProps {
  chat: FrameChat;
  /** Goes back to the chat; the call has ended. */
  onClose(): void;
}

/** A call with the agent, over the chat. What is said is in the chat afterwards. */
export function VoicePanel({ chat, onClose }: VoicePanelProps) {
  const { t } = chat.texts;
  const [call, setCall] = useState(() => newCall(chat));
  const panel = useRef<HTMLElement>(null);
  const hangUp = useRef<HTMLButtonElement>(null);
  useEffect(() => coverChat(panel.current!), []);
  useEffect(() => {
    void call.start();
    hangUp.current?.focus();
    return () => call.hangUp();
  }, [call]);
  const close = () => {
    call.hangUp();
    if (call.conversationId) chat.openConversation(call.conversationId);
    onClose();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    close();
  };
  const isShown = chat.isOpen.value;
  useEffect(() => {
    if (!isShown) close(); // nobody is listened to whom the chat does not show it
  }, [isShown]);
  const isOver = call.state.value === "ended";
  return (
    <section ref={panel} className={styles.panel} aria-label={t("voice.title")} onKeyDown={onKey}>
      <Captions call={call} t={t} name={chat.options.value.displayName} />
      <Ring call={call} />
      <p className={styles.state} role="status">
        {isOver ? t(call.end.value || "voice.ended") : t(`voice.${call.state.value as "connecting"}`)}
      </p>
      <p className={styles.problem} role="alert">
        {!isOver && call.problem.value && t(call.problem.value)}
      </p>
      {!isOver && !call.hasMicrophone.value && <Write call={call} t={t} />}
      <div className={styles.buttons}>
        {isOver ? (
          <button type="button" className={styles.wide} onClick={() => setCall(newCall(chat))}>
            {t("voice.again")}
          </button>
        ) : (
          <MuteButton call={call} t={t} />
        )}
        <button
          ref={hangUp}
          type="button"
          className={styles.end}
          aria-label={t(isOver ? "voice.back" : "voice.end")}
          onClick={close}
        >
          <CloseIcon />
        </button>
      </div>
    </section>
  );
}

function newCall(chat: FrameChat): Call {
  const begin = () => chat.api.request<VoiceSession>("POST", "/voice/sessions", sessionRequest(chat));
  return new Call({ load: loadVoice, begin, explain });
}

function sessionRequest(chat: FrameChat) {
  const conversation = chat.conversation.value;
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const id = conversation?.status === "ongoing" && { conversationId: conversation.id };
  return { ...id, ...chat.describePlace(), timezone };
}

const longestMoment = 3600; // seconds; who has to wait for longer has used what there is for a day

function explain(error: unknown) {
  if (!(error instanceof ApiError)) return "voice.connectFailed";
  const isBusy = error.status === 503 || (error.status === 429 && error.retryAfter < longestMoment);
  return isBusy ? "voice.busy" : "voice.unavailable";
}

function MuteButton({ call, t }: { call: Call; t: Translate }) {
  const isOff = call.isMuted.value || !call.hasMicrophone.value;
  const label = !call.hasMicrophone.value ? "voice.useMicrophone" : isOff ? "voice.unmute" : "voice.mute";
  const isDisabled = call.state.value === "connecting";
  return (
    <button
      type="button"
      className={styles.mute}
      aria-label={t(label)}
      title={t(label)}
      aria-disabled={isDisabled}
      onClick={() => !isDisabled && void call.toggleMicrophone()}
    >
      {isOff ? <MicrophoneOffIcon /> : <MicrophoneIcon />}
    </button>
  );
}

/** What was said so far; screen readers hear the agent itself. */
function Captions({ call, t, name }: { call: Call; t: Translate; name: string }) {
  const list = useRef<HTMLDivElement>(null);
  const segments = call.segments.value;
  useEffect(() => {
    const box = list.current!;
    box.scrollTop = box.scrollHeight;
  }, [segments]);
  return (
    <div ref={list} className={styles.captions} role="log" aria-live="off" aria-label={t("voice.captions")} tabIndex={0}>
      {segments.map((segment) => (
        <p key={`${segment.speaker} ${segment.segmentId}`} className={styles[segment.speaker]} dir="auto">
          <span className={styles.who}>{segment.speaker === "user" ? t("voice.you") : name}</span> {segment.text}
        </p>
      ))}
    </div>
  );
}

/** Without a microphone: what is written is answered aloud. */
function Write({ call, t }: { call: Call; t: Translate }) {
  const [text, setText] = useState("");
  const submit = async (event: Event) => {
    event.preventDefault();
    const sent = text.trim();
    if (!sent || call.state.value === "connecting") return;
    setText("");
    if (!(await call.write(sent))) setText(sent);
  };
  return (
    <form className={styles.write} onSubmit={submit}>
      <input
        type="text"
        className={styles.input}
        dir="auto"
        aria-label={t("voice.write")}
        placeholder={t("voice.write")}
        maxLength={2_000}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit" className={styles.wide}>
        {t("voice.send")}
      </button>
    </form>
  );
}

/** A ring that grows with the voice of who speaks. */
function Ring({ call }: { call: Call }) {
  const state = call.state.value;
  const level = useMicrophoneLevel(call);
  const radius = 34 + (state === "listening" ? level * 14 : 0);
  return (
    <svg className={`${styles.ring} ${styles[state] ?? ""}`} viewBox="0 0 100 100" aria-hidden="true">
      <circle cx={50} cy={50} r={radius} className={styles.outer} />
      <circle cx={50} cy={50} r={30} className={styles.inner} />
    </svg>
  );
}

function useMicrophoneLevel(call: Call): number {
  const [level, setLevel] = useState(0);
  const isOver = call.state.value === "ended";
  useEffect(() => {
    if (isOver || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const context = new AudioContext();
    const analyser = context.createAnalyser();
    const samples = new Float32Array(analyser.fftSize);
    let heard: MediaStream | null = null;
    const timer = setInterval(() => {
      const { stream } = call;
      if (stream && stream !== heard) context.createMediaStreamSource((heard = stream)).connect(analyser);
      analyser.getFloatTimeDomainData(samples);
      setLevel(stream ? Math.round(levelOf(samples) * 20) / 20 : 0);
    }, 80);
    return () => {
      clearInterval(timer);
      void context.close().catch(() => {});
    };
  }, [call, isOver]);
  return level;
}
