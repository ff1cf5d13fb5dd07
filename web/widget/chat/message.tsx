import { textOf } from "./answer";
import { useChat } from "./context";
import { formatTime } from "./i18n";
import { AgainIcon, AlertIcon, EditIcon } from "./icons";
import { Files } from "./message-files";
import { LinkedText } from "./linked-text";
import { PersonLine } from "./person/lines";
import { whyInterrupted } from "./question";
import { AnswerActions, AnswerParts, RichText } from "./rich-text";
import type { Message } from "./state";
import type { Translate } from "./translate";
import styles from "./message.module.css";

export interface MessageProps {
  message: Message;
  /** The next message is by somebody else: this one says who and when. */
  isLast: boolean;
  /** Another answer may be asked for: in its place, or at the end where more was said meanwhile. */
  mayRepeat: boolean;
}

/** A message, for those who see it and for those who hear it. */
export function MessageView({ message, isLast, mayRepeat }: MessageProps) {
  const chat = useChat();
  const { t, locale } = chat.texts;
  const isOwn = message.author === "user";
  const name = message.person?.name || chat.options.value.displayName;
  const time = formatTime(message.createdAt, locale.value);
  const label = isOwn ? t("a11y.youSaid", { time }) : t("a11y.saidBy", { name, time });
  if (message.change) return <PersonLine change={message.change} person={message.person} t={t as Translate} />;
  if (message.author === "system") {
    return (
      <p class={styles.line}>
        <LinkedText text={textOf(message.parts)} />
      </p>
    );
  }
  return (
    <article class={`${styles.message} ${isOwn ? styles.own : styles.theirs}`} data-state={message.state}>
      <h2 class={styles.hidden}>{label}</h2>
      {isOwn ? <OwnBubble message={message} /> : <AnswerBubble message={message} />}
      <State message={message} mayRepeat={mayRepeat} />
      {isLast && !["queued", "sending", "unsent", "streaming"].includes(message.state) && (
        <p class={styles.meta} aria-hidden="true">
          {!isOwn && <bdi>{name}</bdi>}
          {!isOwn && " · "}
          <bdi>{time}</bdi>
        </p>
      )}
      {message.author === "assistant" && message.state === "complete" && <AnswerActions message={message} mayRepeat={mayRepeat} />}
    </article>
  );
}

function OwnBubble({ message }: { message: Message }) {
  const text = textOf(message.parts);
  return (
    <div class={styles.bubble}>
      {text && (
        <p class={styles.words} dir="auto">
          <LinkedText text={text} />
        </p>
      )}
      <Files files={message.parts.flatMap((part) => (part.kind === "file" ? [part.file] : []))} />
    </div>
  );
}

function AnswerBubble({ message }: { message: Message }) {
  const { parts, state } = message;
  if (state === "streaming" && parts.length === 0) return <Writing />;
  if (parts.length === 0) return null;
  return (
    <div class={styles.bubble}>
      {message.author === "assistant" ? <AnswerParts message={message} /> : <PersonParts message={message} />}
    </div>
  );
}

function PersonParts({ message }: { message: Message }) {
  return (
    <>
      {message.parts.map((part) => {
        if (part.kind === "text") return <RichText key={part.id} text={part.text} />;
        return part.kind === "file" ? <Files key={part.id} files={[part.file]} /> : null;
      })}
    </>
  );
}

/** A greeting: the agent's, and not stored. */
export function Greeting({ text }: { text: string }) {
  const chat = useChat();
  const { t } = chat.texts;
  return (
    <article class={`${styles.message} ${styles.theirs}`}>
      <h2 class={styles.hidden}>{t("a11y.greeting", { name: chat.options.value.displayName })}</h2>
      <div class={styles.bubble}>
        <RichText text={text} />
      </div>
    </article>
  );
}

function Writing() {
  return (
    <span class={styles.writing} aria-hidden="true">
      <i />
      <i />
      <i />
    </span>
  );
}

/** Says of a message what is not as it should be, and what can be done about it. */
function State({ message, mayRepeat }: { message: Message; mayRepeat: boolean }) {
  const chat = useChat();
  const { t } = chat.texts;
  const { key, state, code } = message;
  const retry = (
    <button type="button" class={styles.fix} onClick={() => chat.retry(key)}>
      <AgainIcon size={15} />
      {t("chat.retry")}
    </button>
  );
  const edit = (
    <button type="button" class={styles.fix} onClick={() => chat.takeBack(key)}>
      <EditIcon size={15} />
      {t("chat.edit")}
    </button>
  );
  if (state === "queued") return <p class={styles.state}>{t("chat.queued")} {edit}</p>;
  if (state === "interrupted") return <p class={styles.state}>{t(whyInterrupted(message))} {mayRepeat && retry}</p>;
  if (state !== "failed" && state !== "unsent") return null;
  const { kind } = chat.composer.value;
  const isTaken = kind !== "off" && kind !== "limited"; // the bar says when messages are taken again
  return (
    <p class={`${styles.state} ${styles.fault}`} role="alert">
      <AlertIcon size={15} />
      <span title={code || undefined}>{t(state === "failed" ? "chat.failed" : "chat.unsent")}</span>
      {(state === "unsent" || mayRepeat) && isTaken && retry}
      {state === "unsent" && kind !== "off" && edit}
    </p>
  );
}
