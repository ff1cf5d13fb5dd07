import { useState, useSyncExternalStore, type ClipboardEvent, type DragEvent } from "react";
import { FileTrigger } from "react-aria-components";
import { APIError } from "../../api/client";
import { Button, IconButton } from "../../components/button";
import { Icon } from "../../components/icon";
import { Progress } from "../../components/progress";
import { explainFault } from "../../faults";
import { formatSize, useTexts } from "../../i18n";
import { mostBytes, mostFiles, uploadsOf, type Refusal, type ReplyFile } from "./uploads";
import styles from "./inbox.module.css";

/** The files of a reply or a note: chosen, dropped or pasted. */
export function useReplyFiles(agentId: string, place: string) {
  const { t, locale } = useTexts();
  const uploads = uploadsOf(agentId, place);
  const files = useSyncExternalStore(uploads.subscribe, () => uploads.files);
  const [refused, setRefused] = useState<readonly { name: string; reason: Refusal }[]>([]);
  const [isOver, setOver] = useState(false);
  const add = (sources: readonly File[]) => setRefused(uploads.add(sources));
  const hasFiles = (event: DragEvent) => event.dataTransfer.types.includes("Files");
  const limits = { count: mostFiles, size: formatSize(mostBytes, locale) };
  return {
    fileIds: files.flatMap(({ fileId }) => (fileId ? [fileId] : [])),
    isBusy: files.some(({ state }) => state === "sending"),
    hasFailed: files.some(({ state }) => state === "failed"),
    forget: (fileIds: readonly string[]) => uploads.forget(fileIds),
    /** For the element that takes files which are dropped. */
    zone: {
      "data-is-over": isOver || undefined,
      onDragOver: (event: DragEvent) => {
        if (!hasFiles(event)) return;
        event.preventDefault(); // the browser would open the file in place of the console
        setOver(true);
      },
      onDragLeave: (event: DragEvent) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      },
      onDrop: (event: DragEvent) => {
        setOver(false);
        if (!hasFiles(event)) return;
        event.preventDefault();
        add([...event.dataTransfer.files]);
      },
    },
    /** For the field that takes files which are pasted. */
    onPaste: (event: ClipboardEvent) => {
      const sources = [...event.clipboardData.files];
      if (sources.length === 0 || event.clipboardData.types.includes("text/plain")) return;
      event.preventDefault();
      add(sources);
    },
    button: (
      <FileTrigger allowsMultiple onSelect={(list) => add([...(list ?? [])])}>
        <Button kind="quiet" icon="upload">
          {t("saved.addFiles")}
        </Button>
      </FileTrigger>
    ),
    list: (
      <>
        {files.length > 0 && (
          <ul className={styles.uploads} aria-label={t("saved.files")}>
            {files.map((file) => (
              <Row key={file.key} file={file} onRetry={() => uploads.retry(file.key)} onRemove={() => uploads.remove(file.key)} />
            ))}
          </ul>
        )}
        <p role="status" className={styles.refused}>
          {refused.map(({ name, reason }) => (
            <span key={name}>{t(reason, { name, ...limits })}</span>
          ))}
        </p>
      </>
    ),
  };
}

interface RowProps {
  file: ReplyFile;
  onRetry: () => void;
  onRemove: () => void;
}

function Row({ file: { name, size, state, share, error }, onRetry, onRemove }: RowProps) {
  const { t, locale } = useTexts();
  const reason = useReason(error);
  return (
    <li className={styles.upload}>
      <Icon name="file-text" size={16} />
      <span className={styles.uploadName}>
        <bdi>{name}</bdi> <span className={styles.detail}>{formatSize(size, locale)}</span>
        {state === "failed" && (
          <span role="alert" className={styles.fault}>
            {reason}
          </span>
        )}
      </span>
      {state === "sending" && <Progress label={t("saved.sending", { name })} share={share} />}
      {state === "failed" && (
        <Button kind="quiet" icon="refresh-cw" onPress={onRetry}>
          {t("saved.tryAgain")}
        </Button>
      )}
      <IconButton icon="x" label={t("saved.removeFile", { name })} onPress={onRemove} />
    </li>
  );
}

/** Why a file did not arrive. */
function useReason(error: unknown): string {
  const { t, locale } = useTexts();
  if (!(error instanceof APIError) || error.status === 0) return t("saved.notArrived");
  const said = error.details["file"];
  if (said) return explainFault(said, t, locale);
  return error.status === 429 ? t("saved.tooManyWait") : t("saved.notTaken");
}
