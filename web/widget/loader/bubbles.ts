// The first messages of a chat, which float above the button.
import type { ChatStyles } from "../chat/config";
import { gap, size } from "./launcher";
import { wantsFloating } from "./later";
import { isSmall } from "./screen";
import { globals } from "./script";
import { adopt, top } from "./sheet";
import type { Shell } from "./shell";
import { write } from "./storage";
import { isDark } from "./scheme";

// "Close" in the languages of the chat: the button has no other word, and texts are not loaded for it.
const closeWords: Record<string, string> = {
  de: "Schließen", fr: "Fermer", es: "Cerrar", pt: "Fechar", it: "Chiudi", nl: "Sluiten", pl: "Zamknij", sv: "Stäng", tr: "Kapat",
  ru: "Закрыть", uk: "Закрити", ar: "إغلاق", he: "סגירה", hi: "बंद करें", id: "Tutup", vi: "Đóng", ja: "閉じる", ko: "닫기",
  zh: "关闭",
};

type Looks = Pick<ChatStyles, "alignChatButton" | "theme">;

/** Makes the list, empty, for the page: what comes into it later is announced. */
export function createBubbles({ bottom, elements, endings }: Shell, id: string, looks: Looks, onClick: () => void, onDismiss = () => {}) {
  const element = document.createElement("div");
  element.id = id;
  element.setAttribute("role", "status");
  elements.push(element);
  endings.push(adopt(styles(id, looks.alignChatButton ?? "right", isDark(looks.theme), bottom)));

  function add(text: string, run: () => void): HTMLElement {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.addEventListener("click", run);
    element.append(button);
    return button;
  }
  const clear = () => element.replaceChildren();
  return {
    clear,
    show(texts: string[]) {
      clear();
      add("×", () => (clear(), onDismiss())).setAttribute("aria-label", closeWords[document.documentElement.lang.slice(0, 2)] ?? "Close");
      texts.forEach((text) => add(text, onClick));
    },
    /** Has a text read to those who do not see the button. */
    say(text: string) {
      const words = document.createElement("span");
      words.textContent = text;
      element.querySelector("span")?.remove();
      element.append(words);
    },
  };
}

function styles(id: string, side: "left" | "right", isDark: boolean, bottom: number): string {
  return `#${id}{all:initial;position:fixed;z-index:${top};${side}:calc(${gap}px + env(safe-area-inset-${side}));
bottom:calc(${bottom + size + gap}px + env(safe-area-inset-bottom));max-width:min(320px,100vw - ${2 * gap}px);
display:flex;flex-direction:column;gap:8px;
align-items:${side === "left" ? "start" : "end"};font:15px/1.4 system-ui,sans-serif}
#${id} button{all:unset;box-sizing:border-box;min-width:28px;min-height:28px;padding:10px 14px;border-radius:14px;
cursor:pointer;overflow-wrap:anywhere;
${isDark ? "background:#26262a;color:#fff" : "background:#fff;color:#111"};box-shadow:0 1px 8px rgb(0 0 0/.25)}
#${id} button:first-child{padding:0;text-align:center;line-height:28px}
#${id} button:focus-visible{outline:3px solid Highlight;outline-offset:2px}
#${id} span{all:unset;position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
@media(pointer:coarse){#${id} button:first-child{min-width:44px;line-height:44px}}
@media(forced-colors:active){#${id} button{border:1px solid}}
@media print{#${id}{display:none!important}}`;
}

/** Shows the first messages after a while, if the page wants it. `given` are those that the page has set. */
export function floatMessages({ agent, key, endings }: Shell, given: () => string[] | undefined, show: (texts: string[]) => void): void {
  if (!wantsFloating(key)) return;
  const seconds = Number(globals.chatbaseConfig!.floatingInitialMessagesDelay ?? 2);
  const timer = setTimeout(() => {
    const { initialMessages, styles: { chat } } = agent.config!;
    const mobile = chat.mobile?.initialMessages;
    const texts = given() ?? (mobile?.enabled && isSmall() ? mobile.value : initialMessages);
    if (!texts.length) return;
    write("sessionStorage", `${key}:floated`, "1");
    show(texts);
  }, Math.max(0, seconds) * 1000);
  endings.push(() => clearTimeout(timer));
}
