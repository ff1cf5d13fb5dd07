import { useEffect, useState } from "preact/hooks";
import type { Translate } from "../translate";
import styles from "./menu.module.css";

interface SearchProps {
  t: Translate;
  /** Is called with what is looked for, once the customer stops writing; empty for nothing. */
  onSearch(query: string): void;
}

const pause = 250; // milliseconds
const longest = 200; // characters, of the server's

/** The field in which customers look for an earlier conversation. Escape empties it. */
export function Search({ t, onSearch }: SearchProps) {
  const [text, setText] = useState("");
  const query = text.trim();
  useEffect(() => {
    const timer = setTimeout(() => onSearch(query), query ? pause : 0);
    return () => clearTimeout(timer);
  }, [query]);
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !text || event.isComposing) return;
    event.preventDefault();
    event.stopPropagation(); // it empties the field, and closes nothing
    setText("");
  };
  const submit = (event: Event) => {
    event.preventDefault();
    onSearch(query);
  };
  return (
    <form role="search" className={styles.search} onSubmit={submit}>
      <input
        type="search"
        className={styles.field}
        dir="auto"
        autoComplete="off"
        enterKeyHint="search"
        maxLength={longest}
        aria-label={t("menu.search")}
        placeholder={t("menu.search")}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKey}
      />
    </form>
  );
}
