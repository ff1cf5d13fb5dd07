import { useRef } from "preact/hooks";
import { CloseIcon } from "../icons";
import { AttachIcon, RetryIcon } from "../part-icons";
import type { Translate } from "../translate";
import styles from "./files.module.css";
import { formatSize } from "./size";
import { maxFiles, type Attachment, type Uploads } from "./uploads";

interface AttachButtonProps {
  t: Translate;
  className?: string | undefined;
  isDisabled?: boolean;
  onFiles(files: File[]): void;
}

/** The button of the composer that adds files. */
export function AttachButton({ t, className, isDisabled = false, onFiles }: AttachButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        className={className ?? styles.attach}
        aria-label={t("file.attach", { count: maxFiles })}
        title={t("file.attach", { count: maxFiles })}
        disabled={isDisabled}
        onClick={() => input.current?.click()}
      >
        <AttachIcon />
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        tabIndex={-1}
        onChange={(event) => {
          onFiles([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = ""; // the same file may be chosen again
        }}
      />
    </>
  );
}

interface AttachmentsProps {
  uploads: Uploads;
  t: Translate;
  locale: string;
  /** Where the focus goes when a file is taken back. */
  focusComposer(): void;
}

/** The files of the message that is being written. */
export function Attachments({ uploads, t, locale, focusComposer }: AttachmentsProps) {
  const all = uploads.attachments.value;
  if (all.length === 0) return null;
  const remove = (key: number) => {
    uploads.remove(key);
    focusComposer();
  };
  return (
    <ul className={styles.chips} aria-label={t("file.list")}>
      {all.map((attachment) => (
        <Chip
          key={attachment.key}
          attachment={attachment}
          t={t}
          locale={locale}
          onRetry={() => uploads.retry(attachment.key)}
          onRemove={() => remove(attachment.key)}
        />
      ))}
    </ul>
  );
}

interface ChipProps {
  attachment: Attachment;
  t: Translate;
  locale: string;
  onRetry(): void;
  onRemove(): void;
}

function Chip({ attachment, t, locale, onRetry, onRemove }: ChipProps) {
  const { name, size, state, progress } = attachment;
  return (
    <li className={styles.chip}>
      <span className={styles.text}>
        <bdi className={styles.name}>{name}</bdi>
        <small>{state === "failed" ? t("file.failed") : formatSize(size, locale)}</small>
      </span>
      {state === "sending" && (
        <progress className={styles.progress} max={1} value={progress} aria-label={t("file.sending", { name })} />
      )}
      {state === "failed" && (
        <button type="button" className={styles.small} aria-label={t("file.retry", { name })} onClick={onRetry}>
          <RetryIcon size={16} />
        </button>
      )}
      <button
        type="button"
        className={styles.small}
        aria-label={t(state === "sending" ? "file.cancel" : "file.remove", { name })}
        onClick={onRemove}
      >
        <CloseIcon size={16} />
      </button>
    </li>
  );
}
