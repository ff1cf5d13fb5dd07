import { useEffect, useRef, useState } from "preact/hooks";
import { CheckIcon, CloseIcon } from "../icons";
import { MicrophoneIcon } from "../part-icons";
import type { Key } from "../i18n";
import type { Translate } from "../translate";
import styles from "./dictation.module.css";
import { longestRecording, startRecorder, type Recorder } from "./recorder";
import { SilenceWatch } from "./silence";

interface DictationProps {
  t: Translate;
  /** Seconds of silence that end the recording. */
  silenceTimeout?: number | undefined;
  /** Of the bars that show how loud it is. */
  color?: string | undefined;
  className?: string | undefined;
  isDisabled?: boolean;
  /** The chat is closed: nobody is listened to. */
  isHidden?: boolean;
  /** Has the server understand a recording. */
  transcribe(sound: Blob, signal: AbortSignal): Promise<string>;
  /** Gets what was said. */
  onText(text: string): void;
  /** The composer makes room while somebody speaks. */
  onActive?: ((isActive: boolean) => void) | undefined;
}

type State = "idle" | "asking" | "recording" | "sending";
const bars = 24;

/** The button of the composer that takes down what is said. */
export function Dictation(props: DictationProps) {
  const { t } = props;
  const button = useRef<HTMLButtonElement>(null);
  const [state, setState] = useState<State>("idle");
  const [problem, setProblem] = useState<Key | "">("");
  const [levels, setLevels] = useState<readonly number[]>([]);
  const dictation = useDictation(props, { setState, setProblem, setLevels });
  const isActive = state !== "idle";
  useEffect(() => props.onActive?.(isActive), [isActive]);
  useEffect(() => {
    if (props.isHidden) dictation.cancel();
  }, [props.isHidden]);

  if (!isActive) {
    return (
      <>
        <button
          ref={button}
          type="button"
          className={props.className ?? styles.button}
          aria-label={t("voice.dictate")}
          title={t("voice.dictate")}
          disabled={props.isDisabled}
          onClick={dictation.start}
        >
          <MicrophoneIcon />
        </button>
        <span role="alert" className={styles.problem}>
          {problem && t(problem)}
        </span>
      </>
    );
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.stopPropagation(); // it ends the recording, not the chat
    dictation.cancel();
  };
  return (
    <div className={styles.bar} role="group" aria-label={t("voice.dictation")} onKeyDown={onKey}>
      <button type="button" className={styles.button} aria-label={t("voice.dictationCancel")} onClick={dictation.cancel}>
        <CloseIcon />
      </button>
      <Levels levels={levels} color={props.color} />
      <span role="status" className={styles.state}>
        {t(
          state === "sending"
            ? "voice.dictationSending"
            : state === "asking"
              ? "voice.dictationAsking"
              : "voice.dictationListening",
        )}
      </span>
      <StopButton label={t("voice.dictationStop")} isDisabled={state !== "recording"} onStop={dictation.stop} />
    </div>
  );
}

function StopButton({ label, isDisabled, onStop }: { label: string; isDisabled: boolean; onStop(): void }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus(), []);
  return (
    <button ref={button} type="button" className={styles.stop} aria-label={label} aria-disabled={isDisabled} onClick={onStop}>
      <CheckIcon />
    </button>
  );
}

function Levels({ levels, color }: { levels: readonly number[]; color: string | undefined }) {
  return (
    <svg
      className={styles.levels}
      viewBox={`0 0 ${bars * 4} 24`}
      preserveAspectRatio="none"
      aria-hidden="true"
      fill={color ?? "currentColor"}
    >
      {Array.from({ length: bars }, (_, i) => {
        const height = 2 + 22 * (levels[levels.length - bars + i] ?? 0);
        return <rect key={i} x={i * 4} y={12 - height / 2} width={2} height={height} rx={1} />;
      })}
    </svg>
  );
}

interface Setters {
  setState(state: State): void;
  setProblem(problem: Key | ""): void;
  setLevels(change: (levels: readonly number[]) => readonly number[]): void;
}

/** What the buttons do. At most one recording is under way. */
function useDictation(props: DictationProps, { setState, setProblem, setLevels }: Setters) {
  const latest = useRef(props);
  latest.current = props;
  const work = useRef<{ recorder: Recorder | null; watch: SilenceWatch; request: AbortController } | null>(null);

  const end = (problem: Key | "" = "") => {
    work.current?.recorder?.cancel();
    work.current?.request.abort();
    work.current = null;
    setProblem(problem);
    setState("idle");
  };
  useEffect(() => () => end(), []);

  const start = async () => {
    if (work.current) return;
    const watch = new SilenceWatch(limitSilence(latest.current.silenceTimeout), longestRecording);
    const now = (work.current = { recorder: null as Recorder | null, watch, request: new AbortController() });
    setProblem("");
    setLevels(() => []);
    setState("asking");
    const onLevel = (level: number) => {
      if (work.current !== now || now.request.signal.aborted) return;
      setLevels((levels) => [...levels.slice(1 - bars), level]);
      if (watch.isOver(level, performance.now() / 1000)) void stop();
    };
    try {
      const recorder = await startRecorder(onLevel);
      if (work.current !== now) return recorder.cancel();
      now.recorder = recorder;
      setState("recording");
    } catch (error) {
      if (work.current === now) end(isRefusal(error) ? "voice.microphoneRefused" : "voice.microphoneMissing");
    }
  };

  const stop = async () => {
    const now = work.current;
    if (!now?.recorder) return;
    const sound = now.recorder.stop();
    now.recorder = null;
    if (!now.watch.hasSpeech) return end("voice.nothingHeard");
    setState("sending");
    try {
      const text = await latest.current.transcribe(sound, now.request.signal);
      if (work.current !== now) return;
      end(text.trim() ? "" : "voice.nothingHeard");
      if (text.trim()) latest.current.onText(text.trim());
    } catch {
      if (work.current === now) end("voice.dictationFailed");
    }
  };
  return { start: () => void start(), stop: () => void stop(), cancel: () => end() };
}

const isRefusal = (error: unknown) => error instanceof DOMException && ["NotAllowedError", "SecurityError"].includes(error.name);

/** Seconds of silence that end a recording: half a second to the longest recording, three where the page says nothing. */
export function limitSilence(seconds: number | undefined): number {
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds!, 0.5), longestRecording) : 3;
}
