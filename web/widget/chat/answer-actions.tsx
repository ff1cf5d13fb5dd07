import { useEffect, useState } from "preact/hooks";
import { textOf } from "./answer";
import { useChat } from "./context";
import { CopyIcon, DislikeIcon, LikeIcon } from "./answer-icons";
import { AgainIcon, CheckIcon } from "./icons";
import { lazy } from "./lazy";
import type { Message, Rating } from "./state";
import styles from "./message.module.css";

const RatingComment = lazy(async () => (await import("./rating/comment")).RatingComment);

/** What can be done with a finished answer. */
export function AnswerActions({ message, mayRepeat }: { message: Message; mayRepeat: boolean }) {
  const chat = useChat();
  const { t } = chat.texts;
  const { showFeedback, showCopyButton } = chat.options.value;
  const [isCommented, setCommented] = useState(false);
  const text = textOf(message.parts);
  if (!text || !message.id) return null;
  const rate = (wanted: Rating) => {
    const rating = message.feedback === wanted ? null : wanted;
    setCommented(rating === "negative");
    void chat.rate(message.id, rating);
  };
  return (
    <>
      <div class={styles.actions}>
        {showFeedback !== false && (
          <>
            <Action label={t("chat.like")} isPressed={message.feedback === "positive"} onClick={() => rate("positive")}>
              <LikeIcon size={16} />
            </Action>
            <Action label={t("chat.dislike")} isPressed={message.feedback === "negative"} onClick={() => rate("negative")}>
              <DislikeIcon size={16} />
            </Action>
          </>
        )}
        {showCopyButton && <Copy text={text} />}
        {mayRepeat && (
          <Action label={t("chat.again")} onClick={() => chat.retry(message.key)}>
            <AgainIcon size={16} />
          </Action>
        )}
      </div>
      {isCommented && <RatingComment messageId={message.id} onClose={() => setCommented(false)} />}
    </>
  );
}

interface ActionProps {
  label: string;
  isPressed?: boolean;
  onClick: () => void;
  children: preact.ComponentChildren;
}

function Action({ label, isPressed, onClick, children }: ActionProps) {
  return (
    <button type="button" class={styles.action} aria-label={label} title={label} aria-pressed={isPressed} onClick={onClick}>
      {children}
    </button>
  );
}

function Copy({ text }: { text: string }) {
  const { t } = useChat().texts;
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = () => void copyText(text).then(setCopied);
  return (
    <Action label={t(isCopied ? "chat.copied" : "chat.copy")} onClick={copy}>
      {isCopied ? <CheckIcon size={16} /> : <CopyIcon size={16} />}
    </Action>
  );
}

/** Puts a text into the clipboard, and reports whether that was done. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyField(text);
  }
}

/** Copies in the older way, which also works in a frame that its page does not let write to the clipboard, and without https. */
function copyField(text: string): boolean {
  const before = document.activeElement;
  const field = document.createElement("textarea");
  field.value = text;
  field.readOnly = true; // no keyboard comes up
  field.style.position = "fixed";
  field.style.opacity = "0";
  document.body.append(field);
  field.select();
  const isDone = document.execCommand("copy");
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  return isDone;
}
