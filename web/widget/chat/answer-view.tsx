import { useMemo, useRef } from "preact/hooks";
import { Blocks } from "../../shared/markdown/blocks";
import type { Block } from "../../shared/markdown/nodes";
import { CitationMark } from "./citation";
import { citedTexts, numberOf } from "./citations";
import { useChat } from "./context";
import { AlertIcon, BusyIcon, CheckIcon } from "./icons";
import { lazy } from "./lazy";
import { lex, Markdown, type DrawMark } from "./markdown";
import { Files } from "./message-files";
import type { Message, ToolPart } from "./state";
import styles from "./message.module.css";

export { AnswerActions } from "./answer-actions";
export { spokenText } from "./spoken-text";

const FormCall = lazy(async () => (await import("./form-call")).FormCall);

/**
 * The parts of an answer. When it is finished, the same elements get the marks of its citations: making all of a long
 * answer anew would take longer than a frame.
 */
export function AnswerParts({ message }: { message: Message }) {
  const chat = useChat();
  const { showDataSource } = chat.options.value;
  const { parts, citations, state } = message;
  const isDone = state === "complete" && showDataSource && citations.length > 0;
  const cited = useMemo(() => (isDone ? citedTexts(parts, citations) : []), [isDone, parts, citations]);
  const drawMark = useMemo<DrawMark>(() => {
    return (index) => {
      const citation = citations[index];
      return citation ? <CitationMark number={numberOf(citations, index)} citation={citation} /> : null;
    };
  }, [citations]);
  return (
    <>
      {parts.map((part, i) => {
        if (part.kind === "text") {
          return <TextPart key={i} text={part.text} isWhole={state !== "streaming"} cited={cited[i]} drawMark={drawMark} />;
        }
        if (part.kind === "file") return <Files key={i} files={[part.file]} />;
        const isLast = chat.messages.value.at(-1)?.key === message.key;
        return <ToolCall key={part.id} part={part} isOver={state !== "streaming"} isLast={isLast} />;
      })}
    </>
  );
}

interface TextPartProps {
  text: string;
  /** More of it is not to come. */
  isWhole?: boolean;
  /** The same when it is finished, with its citations. */
  cited?: readonly Block[] | undefined;
  drawMark?: DrawMark;
}

/** A text. Of one that is still written only the end is read anew. */
export function TextPart({ text, isWhole = true, cited, drawMark }: TextPartProps) {
  const grown = useRef<{ blocks: Blocks; text: string } | null>(null);
  if (cited) return <Markdown blocks={cited} drawMark={drawMark} />;
  let state = grown.current;
  if (!state || !text.startsWith(state.text)) state = { blocks: new Blocks(lex), text: "" };
  if (text.length > state.text.length) state.blocks.append(text.slice(state.text.length));
  state.text = text;
  grown.current = state;
  return <Markdown blocks={state.blocks.all(isWhole)} />;
}

/** What a tool does, in words; or the form that a call asks for. */
function ToolCall({ part, isOver, isLast }: { part: ToolPart; isOver: boolean; isLast: boolean }) {
  const chat = useChat();
  void chat.handlersCount.value;
  const { t } = chat.texts;
  const isForm = chat.rounds.isForm(part.name);
  if (isForm && !part.isFailed) return isOver && !part.isDone && !isLast ? null : <FormCall part={part} />;
  const isRunning = !part.isDone && !isOver;
  const key = isRunning ? "chat.toolRuns" : part.isFailed ? "chat.toolFailed" : "chat.toolDone";
  const name = part.name.replaceAll(/[_-]+/g, " ").trim();
  return (
    <p class={styles.tool}>
      <span class={isRunning ? styles.spin : undefined}>
        {isRunning ? <BusyIcon size={16} /> : part.isFailed ? <AlertIcon size={16} /> : <CheckIcon size={16} />}
      </span>
      <bdi>{isForm ? t("form.notSent") : t(key, { name })}</bdi>
    </p>
  );
}
