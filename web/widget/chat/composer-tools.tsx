import { useEffect, useState } from "preact/hooks";
import { useChat } from "./context";
import { Dictation } from "./dictation/dictation";
import { AttachButton, Attachments } from "./files/attach";
import { filesOf, takeDrops } from "./files/drop";
import { uploadFile } from "./files/upload";
import { Uploads } from "./files/uploads";
import { lazy } from "./lazy";
import { VoiceIcon } from "./part-icons";
import type { Translate } from "./translate";
import type { UploadedFile } from "./state";
import styles from "./composer.module.css";

const VoicePanel = lazy(async () => (await import("./voice/voice")).VoicePanel);

export interface ToolsProps {
  /** Tells the composer how files are taken, and whether some are there. */
  onFiles(take: () => UploadedFile[], count: number, isBusy: boolean): void;
  onSpeaking(isSpeaking: boolean): void;
}

/** The buttons beside the field: files, dictation, a call. */
export function ComposerTools({ onFiles, onSpeaking }: ToolsProps) {
  const chat = useChat();
  const t = chat.texts.t as Translate;
  const { features } = chat.config;
  const options = chat.options.value;
  const hasFiles = features.files && options.showAttachments === true && !options.dictationOnly;
  const transcribe = (sound: Blob, signal: AbortSignal) =>
    chat.api
      .request<{ text: string }>("POST", `/dictation?locale=${encodeURIComponent(chat.texts.locale.value)}`, sound, { signal })
      .then(({ text }) => text);
  const take = (text: string) => {
    const before = chat.draft.text.value.trim();
    chat.draft.set(before ? `${before} ${text}` : text);
    chat.focusCount.value++;
  };
  return (
    <>
      {hasFiles && <Files onFiles={onFiles} />}
      {features.dictation && options.showDictation !== false && (
        <Dictation
          t={t}
          className={styles.tool}
          isHidden={!chat.isOpen.value}
          silenceTimeout={options.dictationSilenceTimeout}
          color={options.dictationWaveformColor}
          transcribe={transcribe}
          onText={take}
          onActive={onSpeaking}
        />
      )}
      {features.voice && options.showVoiceMode === true && <VoiceButton t={t} />}
    </>
  );
}

function Files({ onFiles }: Pick<ToolsProps, "onFiles">) {
  const chat = useChat();
  const t = chat.texts.t as Translate;
  const [uploads] = useState(() => {
    const fields = (): Record<string, string> => (chat.conversation.value ? { conversationId: chat.conversation.value.id } : {});
    return new Uploads((file, onProgress, signal) => uploadFile(chat.api, file, onProgress, signal, fields()));
  });
  const [refusals, setRefusals] = useState<readonly string[]>([]);
  const [isOver, setOver] = useState(false);
  const add = (files: File[]) => setRefusals(uploads.add(files).map(({ name, reason }) => t(reason, { name })));
  const count = uploads.attachments.value.filter(({ file }) => file).length;
  const isBusy = uploads.isBusy.value;
  useEffect(() => onFiles(() => uploads.take(), count, isBusy), [count, isBusy]);
  useEffect(() => takeDrops(document.body, add, setOver), []);
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      const files = filesOf(event.clipboardData);
      if (files.length > 0) event.preventDefault();
      if (files.length > 0) add(files);
    };
    document.addEventListener("paste", paste);
    return () => document.removeEventListener("paste", paste);
  }, []);
  return (
    <>
      <div class={styles.above}>
        <Attachments uploads={uploads} t={t} locale={chat.texts.locale.value} focusComposer={() => chat.focusCount.value++} />
        {isOver && <p class={styles.drop}>{t("file.drop")}</p>}
        {refusals.map((text) => (
          <p key={text} class={styles.refusal} role="alert">
            {text}
          </p>
        ))}
      </div>
      <AttachButton t={t} className={styles.tool} onFiles={add} />
    </>
  );
}

function VoiceButton({ t }: { t: Translate }) {
  const chat = useChat();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class={styles.tool} aria-label={t("voice.start")} title={t("voice.start")} onClick={() => setOpen(true)}>
        <VoiceIcon />
      </button>
      {isOpen && <VoicePanel chat={chat} onClose={() => setOpen(false)} />}
    </>
  );
}
