import { useState } from "preact/hooks";
import { useChat } from "../context";
import { AwayForm } from "../handover/handover";
import type { Translate } from "../translate";
import styles from "./person.module.css";

/** Nobody is there who could answer: asks where the answer shall go, if the company can write and does not know. */
export function Away() {
  const chat = useChat();
  const t = chat.texts.t as Translate;
  const [isOwn, setOwn] = useState(false); // the address was given here, and what is said of that stays
  const isAsking = chat.config.features.email && (isOwn || !chat.people.hasAddress.value);
  if (!isAsking) return <p className={styles.line}>{t("handover.away")}</p>;
  const give = async (email: string) => {
    const reply = chat.people.ask({ email });
    setOwn(true);
    await reply;
  };
  return (
    <div className={styles.away}>
      <AwayForm t={t} onSubmit={give} />
    </div>
  );
}
