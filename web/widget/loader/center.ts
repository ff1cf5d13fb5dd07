// The chat over the middle of the page. It is loaded when the chat is first used.
import { createBubbles } from "./bubbles";
import type { Commands } from "./global";
import { Opening } from "./opening";
import { followScreen, holdPage } from "./place";
import { smallScreen } from "./screen";
import { adopt, top } from "./sheet";
import type { Shell } from "./shell";
import { noteKey, read, write } from "./storage";
import { isDark } from "./scheme";

const widths = { small: 360, medium: 420, large: 520 }; // px

export function begin(shell: Shell): Commands {
  const { agent, frame, endings, suffix, launcher } = shell;
  const looks = () => agent.config?.styles.centerStage ?? {};
  let bubbles: ReturnType<typeof createBubbles> | undefined;
  /** Whoever has closed the message or opened the chat is called no more in this tab. */
  const noteRead = () => write("sessionStorage", noteKey(shell.key), "1");
  const opening: Opening = new Opening(shell, {
    show() {
      launcher.setUnread(0);
      bubbles?.clear();
      noteRead();
      return cover(shell, opening, backdrop);
    },
    isDark: () => isDark(looks().theme),
    displayName: () => looks().displayName || agent.config?.name || "",
  });
  const backdrop = document.createElement("div");
  backdrop.id = `chatbase-center-stage-backdrop${suffix}`;
  backdrop.addEventListener("click", () => looks().closeOnOutsideClick !== false && opening.close());

  /** Does what takes the looks of the agent, which the frame may have to be asked for first. */
  function prepare(): void {
    const { notificationMessage: note, showChatBubble, width = "medium", theme } = looks();
    opening.onOptions();
    endings.push(adopt(stageStyles(frame.id, backdrop.id, widths[width])));
    if (!note?.enabled || !note.text || showChatBubble === false || shell.isOpen || read("sessionStorage", noteKey(shell.key))) return;
    const open = () => opening.show(true);
    bubbles = createBubbles(shell, `chatbase-center-stage-message${suffix}`, { ...(theme && { theme }) }, open, noteRead);
    shell.attach();
    bubbles.show([note.text]);
  }
  if (agent.config) prepare();
  else agent.waiting.push(prepare);
  opening.connection.readInbox();
  const sendMessage = (message: string, options?: object) => opening.open({ ...options, message, focus: true });
  return { ...opening.commands, sendMessage };
}

/** Covers the page behind the chat until it is called what is returned. */
function cover({ frame }: Shell, opening: Opening, backdrop: HTMLElement): () => void {
  const closeOnEscape = ({ key }: KeyboardEvent) => key === "Escape" && opening.close();
  frame.before(backdrop);
  const release = holdPage(frame, backdrop);
  const stop = followScreen(frame, opening.connection);
  addEventListener("keydown", closeOnEscape);
  return () => {
    stop();
    release();
    removeEventListener("keydown", closeOnEscape);
    backdrop.remove();
  };
}

function stageStyles(id: string, backdropId: string, width: number): string {
  return `#${id}{all:initial;position:fixed;z-index:${top + 3};inset:0;margin:auto;width:${width}px;max-width:calc(100vw - 32px);
height:min(704px,100vh - 32px);border-radius:16px;box-shadow:0 6px 40px rgb(0 0 0/.35)}
#${backdropId}{all:initial;position:fixed;z-index:${top + 2};inset:0;background:rgb(0 0 0/.45)}
@media ${smallScreen}{#${id}{inset:0 auto auto 0;margin:0;width:100%;height:100%;max-width:none;border-radius:0}}
@media print{#${id},#${backdropId}{display:none!important}}`;
}
