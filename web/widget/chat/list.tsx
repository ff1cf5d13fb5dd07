import { Component } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useChat } from "./context";
import { DownIcon } from "./icons";
import { Greeting, MessageView, type MessageProps } from "./message";
import { Away, PersonTyping } from "./person/lines";
import type { Message } from "./state";
import type { Translate } from "./translate";
import styles from "./list.module.css";

const nearEnd = 40; // pixels
const nearStart = 400;

/** The messages, of which the last one stays in view unless somebody reads what is above. */
export function List() {
  const chat = useChat();
  const { t } = chat.texts;
  const { area, inner, isAtEnd, hasNews, toEnd } = useFollowedEnd(chat.messages.value);
  const shown = chat.messages.value.filter(({ isHidden }) => !isHidden);
  return (
    <div class={styles.frame}>
      <div
        ref={area}
        class={styles.area}
        role="log"
        aria-live="off"
        aria-label={t("a11y.messages")}
        aria-busy={chat.isLoading.value}
        tabIndex={0}
      >
        <div ref={inner} class={styles.inner}>
          {chat.hasEarlier.value ? (
            <button type="button" class={styles.earlier} onClick={() => void chat.loadEarlier()}>
              {t("chat.earlier")}
            </button>
          ) : (
            <Greetings />
          )}
          <Messages messages={shown} />
          {chat.people.isAway.value && <Away />}
          <Typing />
        </div>
      </div>
      {!isAtEnd && (
        <button type="button" class={styles.toEnd} onClick={toEnd}>
          <DownIcon size={16} />
          <span class={hasNews ? undefined : styles.hidden}>{t(hasNews ? "chat.newMessages" : "chat.toEnd")}</span>
        </button>
      )}
    </div>
  );
}

function Greetings() {
  const chat = useChat();
  if (chat.isLoading.value) return null;
  return (
    <>
      {chat.options.value.initialMessages.map((text, i) => (
        <Greeting key={i} text={text} />
      ))}
    </>
  );
}

function Messages({ messages }: { messages: readonly Message[] }) {
  const chat = useChat();
  const isIdle = ["idle", "closed", "offline"].includes(chat.composer.value.kind) && chat.conversation.value?.status !== "ended";
  return (
    <>
      {messages.map((message, i) => {
        const next = messages[i + 1];
        return (
          <SameMessage
            key={message.key}
            message={message}
            isLast={!next || next.author !== message.author}
            mayRepeat={isIdle && (next ? chat.mayAskAnew(message.key) : message.author === "assistant" || message.state === "failed")}
          />
        );
      })}
    </>
  );
}

/** A message that is drawn again only when it has changed: while one is written, the others are not. */
class SameMessage extends Component<MessageProps> {
  override shouldComponentUpdate({ message, isLast, mayRepeat }: MessageProps) {
    const before = this.props;
    return message !== before.message || isLast !== before.isLast || mayRepeat !== before.mayRepeat;
  }

  override render() {
    return <MessageView {...this.props} />;
  }
}

function Typing() {
  const chat = useChat();
  if (!chat.typingUntil.value) return null;
  return <PersonTyping person={chat.personShown.value} until={chat.typingUntil.value} t={chat.texts.t as Translate} />;
}

/** Keeps the end in view, and the place of what is read when earlier messages come before it. */
function useFollowedEnd(messages: readonly Message[]) {
  const chat = useChat();
  const area = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const [isAtEnd, setAtEnd] = useState(true);
  const [hasNews, setNews] = useState(false);
  const first = messages[0]?.key;
  const last = messages.at(-1);
  const before = useRef({ first, last: last?.key, height: 0 });

  const toEnd = () => {
    follows.current = true;
    const element = area.current!;
    element.scrollTop = element.scrollHeight;
    setNews(false);
  };
  useEffect(() => {
    const element = area.current!;
    let lastTop = element.scrollTop;
    const note = () => {
      const isNear = element.scrollHeight - element.scrollTop - element.clientHeight < nearEnd;
      // Only what moves up leaves the end: what has grown meanwhile is followed.
      if (isNear) follows.current = true;
      else if (element.scrollTop < lastTop - 2) follows.current = false;
      lastTop = element.scrollTop;
      setAtEnd(isNear || follows.current);
      if (isNear) setNews(false);
      if (element.scrollTop < nearStart && chat.hasEarlier.peek()) void chat.loadEarlier();
    };
    element.addEventListener("scroll", note, { passive: true });
    const watch = new ResizeObserver(() => {
      if (follows.current) element.scrollTop = element.scrollHeight;
      before.current.height = element.scrollHeight;
      note();
    });
    watch.observe(inner.current!);
    watch.observe(element);
    return () => {
      element.removeEventListener("scroll", note);
      watch.disconnect();
    };
  }, []);
  useLayoutEffect(() => {
    const element = area.current!;
    const { first: firstBefore, last: lastBefore, height } = before.current;
    const isNew = last?.key !== lastBefore;
    if (isNew && last?.author === "user" && last.state !== "complete") follows.current = true;
    // What grows is followed when it has been laid out: to ask for its height here would lay it out twice.
    if (isNew && follows.current) element.scrollTop = element.scrollHeight;
    else if (isNew) setNews(true);
    else if (first !== firstBefore && !follows.current) element.scrollTop += element.scrollHeight - height;
    before.current = { first, last: last?.key, height };
  }, [messages]);
  return { area, inner, isAtEnd, hasNews, toEnd };
}
