import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { coverChat } from "../cover";
import { BackIcon } from "../icons";
import type { Translate } from "../translate";
import styles from "./menu.module.css";

interface PanelProps {
  title: string;
  t: Translate;
  onClose(): void;
  children: ComponentChildren;
}

/** A sheet over the conversation. Escape and its button lead back; what had the focus gets it again. */
export function Panel({ title, t, onClose, children }: PanelProps) {
  const id = useId();
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    const uncover = coverChat(panel.current!);
    panel.current!.querySelector<HTMLElement>("button")!.focus();
    return uncover;
  }, []);
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation(); // it closes the panel, not the chat
    onClose();
  };
  return (
    <section ref={panel} className={styles.panel} aria-labelledby={id} onKeyDown={onKey}>
      <header className={styles.head}>
        <button type="button" className={styles.button} aria-label={t("menu.back")} onClick={onClose}>
          <span className={styles.arrow}>
            <BackIcon />
          </span>
        </button>
        <h2 id={id} className={styles.title}>
          {title}
        </h2>
      </header>
      <div className={styles.body}>{children}</div>
    </section>
  );
}
