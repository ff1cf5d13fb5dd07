// The script that puts an agent's chat over the middle of a page. What it opens is in center.ts.
import type { Config } from "../chat/config";
import { launcherStyles } from "./launcher";
import { stayClear } from "./screen";
import { start } from "./script";
import { adopt, hasSheets, offerLink } from "./sheet";
import { Shell } from "./shell";
import { noteKey, read } from "./storage";

function begin(config: Config, shell: Shell): boolean {
  const { launcher: { button, setLabel, showPicture, setUnread }, script, key, bottom, elements, endings } = shell;
  const { centerStage: stage, chat } = config.styles;
  if (!stage?.enabled) return false;
  setLabel(stage.displayName || config.name);
  if (stage.showChatBubble === false) return true;
  if (!hasSheets) {
    elements.push(offerLink(button, `${script.base}/${script.agentId}/help`));
    return true;
  }
  elements.push(button);
  endings.push(adopt(launcherStyles(button.id, chat.alignChatButton, stage.buttonColor || stage.headerColor, bottom)), stayClear(button));
  if (config.icon) showPicture(new URL(config.icon, script.base).href);
  if (read("sessionStorage", noteKey(key))) return true;
  if (stage.notificationIndicator?.enabled) setUnread(stage.notificationIndicator.number);
  if (stage.notificationMessage?.enabled) shell.loadModule();
  return true;
}

const names = { name: "chatbaseCenterStage", buttonId: "chatbase-center-stage-button", frameId: "chatbase-center-stage-iframe" };
const plan = { ...names, mode: "stage", module: __CENTER_MODULE__, begin };
start(plan.name, "center-stage-embed.min.js", (agent, script) => new Shell(agent, script, plan));
