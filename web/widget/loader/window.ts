// The window that the button opens, with the chat frame. It is loaded when the chat is first used, or the page wants
// what the button alone cannot show.
import { createBubbles, floatMessages } from "./bubbles";
import type { Commands } from "./global";
import { gap, size } from "./launcher";
import { Opening } from "./opening";
import { followScreen } from "./place";
import { smallScreen } from "./screen";
import { adopt, top } from "./sheet";
import type { Shell } from "./shell";
import { isDark } from "./scheme";

export function begin(shell: Shell): Commands {
  const { agent, endings } = shell;
  let bubbles: ReturnType<typeof createBubbles> | undefined;
  const opening: Opening = new Opening(shell, {
    show() {
      bubbles?.clear();
      return followScreen(shell.frame, opening.connection);
    },
    isKept: true,
    announce: (label) => bubbles?.say(label),
    isDark: () => isDark(agent.config?.styles.chat.theme),
    displayName: () => agent.config?.styles.chat.displayName || agent.config?.name || "",
  });
  const { connection } = opening;

  /** Does what takes the looks of the agent, which the frame may have to be asked for first. */
  function prepare(): void {
    opening.onOptions();
    const list = createBubbles(shell, `chatbase-message-bubbles${shell.suffix}`, agent.config!.styles.chat, () => opening.show(true));
    bubbles = list;
    endings.push(adopt(windowStyles(shell)));
    shell.attach();
    floatMessages(shell, () => connection.options.initialMessages, (texts) => shell.isOpen || list.show(texts));
  }
  if (agent.config) prepare();
  else agent.waiting.push(prepare);
  connection.readInbox();
  return opening.commands;
}

function windowStyles({ agent, bottom, frame: { id } }: Shell): string {
  const side = agent.config!.styles.chat.alignChatButton ?? "right";
  const room = bottom + size + gap;
  return `#${id}{all:initial;position:fixed;z-index:${top + 1};bottom:calc(${room}px + env(safe-area-inset-bottom));
${side}:calc(${gap}px + env(safe-area-inset-${side}));width:448px;max-width:calc(100vw - ${2 * gap}px);
height:min(704px,100vh - ${room + gap}px);border-radius:16px;box-shadow:0 6px 40px rgb(0 0 0/.25)}
@media ${smallScreen}{#${id}{top:0;left:0;bottom:auto;right:auto;width:100%;height:100%;max-width:none;border-radius:0}}
@media print{#${id}{display:none!important}}`;
}
