import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { useChat } from "./context";
import { SendIcon, StopIcon } from "./icons";
import { preloadAnswers } from "./rich-text";
import styles from "./composer.module.css";

const maxCharacters = 10_000;
const countFrom = 9_000;

interface Props {
  /** Buttons beside the one that sends. */
  tools?: ComponentChildren;
  /** There is something to send without words. */
  hasMore?: boolean;
  /** What is to be sent along is not there yet. */
  isBusy?: boolean;
  /** Somebody dictates: the field makes room. */
  isSpeaking?: boolean;
  onSend(text: string): void;
  onTyping(): void;
}

/** Where a message is written. Enter sends it where there is a keyboard, and begins a line where there is none. */
export function Composer({ tools, hasMore = false, isBusy = false, isSpeaking = false, onSend, onTyping }: Props) {
  const chat = useChat();
  const { t } = chat.texts;
  const { kind } = chat.composer.value;
  const field = useRef<HTMLTextAreaElement>(null);
  const text = chat.draft.text.value;
  useGrowth(field, text);
  useFocus(field);
  const isWriting = kind === "streaming" || kind === "sending" || kind === "waiting";
  const hasContent = (text.trim() !== "" || hasMore) && text.length <= maxCharacters;
  const maySend = !isBusy && hasContent && ["idle", "person", "offline"].includes(kind);
  const send = () => {
    if (!maySend) return;
    onSend(text);
    field.current?.focus();
  };
  const press = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    if (matchMedia("(pointer: coarse)").matches) return;
    event.preventDefault();
    send();
  };
  const placeholder = kind === "person" ? t("chat.writePerson") : chat.options.value.messagePlaceholder || t("chat.placeholder");
  return (
    <form class={styles.composer} onSubmit={(event) => (event.preventDefault(), send())}>
      <textarea
        ref={field}
        class={styles.field}
        rows={1}
        dir={text ? "auto" : undefined} // an empty field begins where the chat does
        maxLength={maxCharacters}
        value={text}
        hidden={isSpeaking}
        placeholder={placeholder}
        aria-label={placeholder}
        enterkeyhint={matchMedia("(pointer: coarse)").matches ? "enter" : "send"}
        onInput={(event) => {
          void preloadAnswers();
          chat.draft.set(event.currentTarget.value);
          onTyping();
        }}
        onKeyDown={press}
      />
      <div class={styles.tools}>
        {tools}
        {text.length >= countFrom && (
          <span class={styles.count} role={text.length >= maxCharacters ? "alert" : undefined}>
            {t("chat.charactersLeft", { count: maxCharacters - text.length })}
          </span>
        )}
        {isWriting ? (
          <button
            type="button"
            class={`${styles.send} ${styles.stop}`}
            aria-label={t("chat.stop")}
            title={t("chat.stop")}
            disabled={kind !== "streaming"}
            onClick={() => chat.stop()}
          >
            <StopIcon size={20} />
          </button>
        ) : (
          <button type="submit" class={styles.send} aria-label={t("chat.send")} title={t("chat.send")} aria-disabled={!maySend}>
            <SendIcon size={18} />
          </button>
        )}
      </div>
    </form>
  );
}

/** Makes the field as high as its text, up to what the style allows. */
function useGrowth(field: { current: HTMLTextAreaElement | null }, text: string) {
  useLayoutEffect(() => {
    const element = field.current!;
    if (CSS.supports("field-sizing", "content")) return;
    element.style.blockSize = "auto";
    element.style.blockSize = `${element.scrollHeight}px`;
  }, [text]);
}

function useFocus(field: { current: HTMLTextAreaElement | null }) {
  const { focusCount } = useChat();
  const count = focusCount.value;
  useEffect(() => {
    if (count > 0) field.current?.focus();
  }, [count]);
}
