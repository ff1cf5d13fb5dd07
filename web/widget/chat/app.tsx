import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { applyTheme, newTheme } from "../../shared/theme";
import { Footer, Notice, StateBar } from "./bars";
import { Composer } from "./composer";
import { useChat } from "./context";
import { Header } from "./header";
import { lazy } from "./lazy";
import { List } from "./list";
import type { UploadedFile } from "./state";
import { Suggestions } from "./suggestions";
import styles from "./app.module.css";

/** The chat as a whole. `children` stand above the messages. */
export function App({ children }: { children?: ComponentChildren }) {
  const chat = useChat();
  const { displayName } = chat.options.value;
  useTheme();
  useEscape();
  useEffect(() => {
    document.title = displayName;
  }, [displayName]);
  const isDialog = chat.mode === "bubble" || chat.mode === "stage";
  const role = isDialog ? { role: "dialog", "aria-modal": chat.mode === "stage" || chat.isSmall.value } : { role: "main" };
  return (
    <div class={styles.chat} {...(role as object)} aria-labelledby="title">
      <Header />
      <Notice />
      {children}
      <List />
      <div class={styles.foot}>
        <StateBar />
        <Suggestions />
        <ComposerArea />
        <Footer />
      </div>
      <Spoken />
    </div>
  );
}

const ComposerTools = lazy(async () => (await import("./composer-tools")).ComposerTools);

interface Attached {
  take: () => UploadedFile[];
  count: number;
  isBusy: boolean;
}

function ComposerArea() {
  const chat = useChat();
  const { kind } = chat.composer.value;
  const [attached, setAttached] = useState<Attached | null>(null);
  const [isSpeaking, setSpeaking] = useState(false);
  if (kind === "closed" || kind === "off") return null;
  const { files, dictation, voice } = chat.config.features;
  const { showAttachments, showDictation, showVoiceMode, dictationOnly } = chat.options.value;
  const hasFiles = files && showAttachments === true && !dictationOnly;
  const hasTools = hasFiles || (dictation && showDictation !== false) || (voice && showVoiceMode === true);
  return (
    <Composer
      tools={hasTools && <ComposerTools onFiles={(take, count, isBusy) => setAttached({ take, count, isBusy })} onSpeaking={setSpeaking} />}
      hasMore={(attached?.count ?? 0) > 0}
      isBusy={attached?.isBusy ?? false}
      isSpeaking={isSpeaking}
      onSend={(text) => chat.send(text, attached?.take())}
      onTyping={() => chat.people.noteTyping()}
    />
  );
}

/** Speaks what has happened, once it has: whole answers, and never their pieces. */
function Spoken() {
  const chat = useChat();
  return (
    <p class={styles.hidden} role="status">
      {chat.spoken.value}
    </p>
  );
}

function useTheme() {
  const chat = useChat();
  const options = chat.options.value;
  const { colorScheme } = chat.page.value;
  const font = options.typography?.fontFamily;
  // Before anything is drawn: the colors and the size of the texts would change under the eyes.
  useLayoutEffect(() => {
    applyTheme(document.documentElement, newTheme(options, colorScheme));
  }, [options, colorScheme]);
  useEffect(() => {
    if (font === "Inter") void import("./inter").catch(() => {}); // the font of the system stays
  }, [font]);
}

/** Esc closes the chat from anywhere in it, but not while something smaller is open or a word is being composed. */
function useEscape() {
  const chat = useChat();
  useEffect(() => {
    if (chat.mode !== "bubble" && chat.mode !== "stage") return;
    const press = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return;
      if (document.querySelector("dialog[open], [aria-expanded=true]")) return;
      chat.close();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}
