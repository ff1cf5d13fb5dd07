import { useEffect, useRef, useState } from "preact/hooks";
import type { ControlAttributes, FieldProps } from "./field";
import { LabelText } from "./field";
import styles from "./form.module.css";
import { checkImage, imageTypes, imageTypeOf } from "./image-file";
import type { UploadedFile } from "../state";

type Sending = { name: string; part: number };

type ImageProps = FieldProps & { attributes: ControlAttributes };

/** A picture that is dropped or chosen, and taken by the server at once. */
export function ImageField(props: ImageProps) {
  const { id, field, value, t, attributes, onChange } = props;
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const { take, sending, refused, preview } = useImage(props);
  const file = value !== null && typeof value === "object" && "url" in value ? (value as UploadedFile) : null;
  const over = (event: DragEvent) => {
    event.preventDefault();
    event.stopPropagation(); // the composer takes files as well
    setOver(event.type === "dragover");
    if (event.type === "drop") take(event.dataTransfer?.files[0]);
  };
  const remove = () => {
    onChange(null);
    input.current?.focus();
  };
  return (
    <div
      className={isOver ? `${styles.image} ${styles.over}` : styles.image}
      onDragOver={over}
      onDragLeave={() => setOver(false)}
      onDrop={over}
    >
      <label htmlFor={id} className={styles.label} dir="auto">
        <LabelText field={field} t={t} />
      </label>
      <input
        {...attributes}
        ref={input}
        type="file"
        className={styles.file}
        accept={imageTypes.join(",")}
        aria-describedby={[attributes["aria-describedby"], `${id}-hint`].filter(Boolean).join(" ")}
        onChange={(event) => {
          take(event.currentTarget.files?.[0]);
          event.currentTarget.value = "";
        }}
      />
      {/* In place of the browser's button, which has its words in the browser's language. */}
      <span className={styles.choose} aria-hidden="true" dir="auto" onClick={() => input.current?.click()}>
        {t("form.imageChoose")}
      </span>
      <p id={`${id}-hint`} className={styles.hint}>
        {t("form.imageHint")}
      </p>
      {sending && <progress className={styles.progress} max={1} value={sending.part} aria-label={sending.name} />}
      <div role="status">{file && !sending && <Chosen file={file} preview={preview} />}</div>
      {file && !sending && !attributes.disabled && (
        <button type="button" className={styles.plain} onClick={remove}>
          {t("form.imageRemove")}
        </button>
      )}
      <div role="alert" className={styles.fault}>
        {refused}
      </div>
    </div>
  );
}

/** Checks a picture and sends it. */
function useImage({ t, attributes, upload, onChange, onBusy }: ImageProps) {
  const abort = useRef<AbortController | null>(null);
  const [sending, setSending] = useState<Sending | null>(null);
  const [refused, setRefused] = useState("");
  const [preview, setPreview] = useState("");
  useEffect(() => () => abort.current?.abort(), []);
  const take = async (chosen: File | undefined) => {
    if (!chosen || attributes.disabled || sending) return;
    const problem = await checkImage(chosen);
    setRefused(problem && t(problem));
    if (problem) return;
    const controller = (abort.current = new AbortController());
    setSending({ name: chosen.name, part: 0 });
    onBusy(true);
    try {
      const taken = await upload(chosen, (part) => setSending({ name: chosen.name, part }), controller.signal);
      setPreview(await readPicture(chosen));
      onChange(taken);
    } catch {
      if (!controller.signal.aborted) setRefused(t("form.imageFailed"));
    } finally {
      setSending(null);
      onBusy(false);
    }
  };
  return { take: (chosen: File | undefined) => void take(chosen), sending, refused, preview };
}

function Chosen({ file, preview }: { file: UploadedFile; preview: string }) {
  return (
    <p className={styles.chosen}>
      {preview && <img src={preview} alt="" width={64} height={64} />}
      <bdi>{file.name}</bdi>
    </p>
  );
}

// readPicture gives a picture as an address that the page's policy allows.
async function readPicture(file: File): Promise<string> {
  const type = imageTypeOf(new Uint8Array(await file.slice(0, 12).arrayBuffer()));
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => resolve("");
    reader.readAsDataURL(new Blob([file], { type }));
  });
}
