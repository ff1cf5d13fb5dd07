import { FileIcon } from "../part-icons";
import type { UploadedFile } from "../state";
import type { Translate } from "../translate";
import styles from "./files.module.css";
import { isOwnFile, isOwnPicture } from "./own-files";
import { formatSize } from "./size";

interface MessageFilesProps {
  files: readonly UploadedFile[];
  agentId: string;
  t: Translate;
  locale: string;
}

/** The files of a message. Only pictures of this server are shown: nothing else is fetched unless somebody clicks. */
export function MessageFiles({ files, agentId, t, locale }: MessageFilesProps) {
  if (files.length === 0) return null;
  return (
    <ul className={styles.files} aria-label={t("file.list")}>
      {files.map((file) => (
        <li key={file.id}>
          {isOwnPicture(file, agentId) ? <Picture file={file} t={t} /> : <FileLink file={file} locale={locale} agentId={agentId} />}
        </li>
      ))}
    </ul>
  );
}

function Picture({ file, t }: { file: UploadedFile; t: Translate }) {
  return (
    <a href={file.url} target="_blank" rel="noopener noreferrer" className={styles.picture}>
      <img src={file.url} alt={t("file.picture", { name: file.name })} width={240} height={180} loading="lazy" decoding="async" />
    </a>
  );
}

function FileLink({ file, locale, agentId }: { file: UploadedFile; locale: string; agentId: string }) {
  const text = (
    <>
      <FileIcon size={18} />
      <span className={styles.text}>
        <bdi className={styles.name}>{file.name}</bdi>
        <small>{formatSize(file.size, locale)}</small>
      </span>
    </>
  );
  if (!isOwnFile(file.url, agentId)) return <span className={styles.file}>{text}</span>;
  return (
    <a href={file.url} download={file.name} target="_blank" rel="noopener noreferrer" className={styles.file}>
      {text}
    </a>
  );
}
