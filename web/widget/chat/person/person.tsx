import { useEffect, useState } from "preact/hooks";
import { PersonIcon } from "../icons";
import type { Translate } from "../translate";
import { personText, type Person, type PersonChange } from "./text";
import styles from "./person.module.css";

/** A line in the chat about who answers from here on. */
export function PersonLine({ change, person, t }: { change: PersonChange; person: Person | null; t: Translate }) {
  return (
    <p className={styles.line}>
      {change === "joined" && <Picture person={person} />}
      <span dir="auto">{personText(t, change, person)}</span>
    </p>
  );
}

function Picture({ person }: { person: Person | null }) {
  if (!person?.picture) return <PersonIcon />;
  return <img className={styles.picture} src={person.picture} alt="" width={24} height={24} />;
}

/** Says that a person types, until then. `until` is epoch milliseconds. */
export function PersonTyping({ person, until, t }: { person: Person | null; until: number; t: Translate }) {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const left = until - Date.now();
    setOver(left <= 0);
    if (left <= 0) return;
    const timer = setTimeout(() => setOver(true), Math.min(left, 30_000));
    return () => clearTimeout(timer);
  }, [until]);
  const name = person?.name ?? "";
  return (
    <p className={styles.typing} role="status">
      {!isOver && (
        <>
          <span dir="auto">{t(name ? "person.typingNamed" : "person.typing", { name })}</span>
          <span className={styles.dots} aria-hidden="true">
            <i />
            <i />
            <i />
          </span>
        </>
      )}
    </p>
  );
}
