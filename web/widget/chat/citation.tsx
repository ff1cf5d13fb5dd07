import { useEffect, useRef, useState } from "preact/hooks";
import { readAddress, withoutControls } from "../../shared/markdown/links";
import { useChat } from "./context";
import { OuterLink } from "./outer-link";
import { CloseIcon } from "./icons";
import type { Citation } from "./state";
import styles from "./citation.module.css";

/** The mark of a citation, which opens what it is about. */
export function CitationMark({ number, citation }: { number: number; citation: Citation }) {
  const { t } = useChat().texts;
  const [isOpen, setOpen] = useState(false);
  const name = withoutControls(citation.name);
  return (
    <span class={styles.place}>
      <button
        type="button"
        class={styles.mark}
        aria-label={t("chat.citation", { number, name })}
        title={name}
        onClick={() => setOpen(true)}
      >
        {number}
      </button>
      {isOpen && <CitationSheet citation={citation} onClose={() => setOpen(false)} />}
    </span>
  );
}

/** What an answer rests on: the source's name, the words that were cited, and where they are. */
function CitationSheet({ citation, onClose }: { citation: Citation; onClose: () => void }) {
  const { t } = useChat().texts;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current!.showModal(), []);
  const address = citation.url ? readAddress(citation.url) : null;
  const name = withoutControls(citation.name);
  const closeOutside = (event: MouseEvent) => {
    if (event.target === dialog.current) dialog.current?.close();
  };
  return (
    <dialog ref={dialog} class={styles.sheet} aria-label={name} onClose={onClose} onClick={closeOutside}>
      <div class={styles.inner}>
        <div class={styles.head}>
          <h2 dir="auto">{name}</h2>
          <button type="button" class={styles.close} aria-label={t("chat.closeSheet")} onClick={() => dialog.current!.close()}>
            <CloseIcon size={18} />
          </button>
        </div>
        {citation.quote && <blockquote dir="auto">{withoutControls(citation.quote)}</blockquote>}
        {address && (
          <p class={styles.source}>
            <OuterLink href={address.href}>{t("chat.openSource")}</OuterLink> <bdi dir="ltr">{address.host}</bdi>
          </p>
        )}
      </div>
    </dialog>
  );
}
