import { LinkedText } from "./linked-text";
import { lazy } from "./lazy";
import type { Message } from "./state";
import styles from "./message.module.css";

/** An answer as it is written, until what reads Markdown is there. */
function PlainParts({ message }: { message: Message }) {
  return (
    <>
      {message.parts.map((part) => part.kind === "text" && <PlainText key={part.id} text={part.text} />)}
    </>
  );
}

function PlainText({ text }: { text: string }) {
  return (
    <p class={styles.words} dir="auto">
      <LinkedText text={text} />
    </p>
  );
}

const load = () => import("./answer-view");

// What reads Markdown is a third of the chat. It is loaded when somebody begins to write, or when there is something to
// read that needs it.

/** The parts of an answer. */
export const AnswerParts = lazy(async () => (await load()).AnswerParts, PlainParts);
const TextPart = lazy(async () => (await load()).TextPart, PlainText);
/** What can be done with an answer. */
export const AnswerActions = lazy(async () => (await load()).AnswerActions);

/** Loads what shows answers. */
export const preloadAnswers = () => Promise.all([AnswerParts, TextPart, AnswerActions].map((part) => part.preload()));

const markup = /[*_`~#<>|\\&[\]]|^\s*(?:[-+]|\d+[.)])\s|\n\s*\n|^\s{4}|^[-=]{2,}/m;

/** Whether a text looks otherwise as Markdown. */
export const hasMarkup = (text: string) => markup.test(text);

/** The words of a text in Markdown, as they are read out. */
export async function readOut(text: string): Promise<string> {
  return hasMarkup(text) ? load().then(({ spokenText }) => spokenText(text), () => text) : text;
}

/** A text in Markdown. */
export function RichText({ text }: { text: string }) {
  return hasMarkup(text) ? <TextPart text={text} /> : <PlainText text={text} />;
}
