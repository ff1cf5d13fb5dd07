// The script that puts an agent's button on a page. What the button opens is in window.ts.
import type { Config } from "../chat/config";
import { launcherStyles } from "./launcher";
import { awaitsPerson, openLater, wantsFloating } from "./later";
import { stayClear } from "./screen";
import { start } from "./script";
import { adopt, hasSheets, offerLink } from "./sheet";
import { Shell } from "./shell";
import { read } from "./storage";

function begin(config: Config, shell: Shell): boolean {
  const { launcher: { button, setLabel, showPicture }, script, commands, key, bottom, elements, endings } = shell;
  const { displayName, alignChatButton, buttonColor, headerColor } = config.styles.chat;
  setLabel(displayName || config.name);
  if (!hasSheets) {
    elements.push(offerLink(button, `${script.base}/${script.agentId}/help`));
    return true;
  }
  elements.push(button);
  endings.push(adopt(launcherStyles(button.id, alignChatButton, buttonColor || headerColor, bottom)), stayClear(button));
  if (config.icon) showPicture(new URL(config.icon, script.base).href);
  const openQuietly = (again?: boolean) => void commands.open!({ focus: false, again });
  if (read("sessionStorage", `${key}:open`)) openQuietly(true);
  else if (awaitsPerson(key)) shell.load();
  endings.push(openLater(config, key, openQuietly));
  if (wantsFloating(key)) shell.loadModule();
  return true;
}

const names = { name: "chatbase", buttonId: "chatbase-bubble-button", frameId: "chatbase-bubble-window" };
const plan = { ...names, mode: "bubble", module: __WINDOW_MODULE__, begin };
start(plan.name, "embed.min.js", (agent, script) => new Shell(agent, script, plan));
