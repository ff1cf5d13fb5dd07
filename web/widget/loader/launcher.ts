// The button that opens and closes the chat.
import { inkOn, top } from "./sheet";

export const gap = 16; // px between the button and the sides of the page
export const size = 55; // px

const chatShape = "M4 3h16a2 2 0 0 1 2 2v11a2 2 0 0 1-2 2H9l-5 4v-4a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2z";
const closeShape = "M4 8.5 5.5 7l6.5 6.5L18.5 7 20 8.5l-8 8z";

export function createLauncher(id: string, windowId: string, onClick: () => void) {
  const button = document.createElement("button");
  const glyph = createGlyph();
  const words = document.createElement("b");
  const badge = document.createElement("i");
  let label = "";
  let count = 0;
  button.type = "button";
  button.id = id;
  button.setAttribute("aria-haspopup", "dialog");
  button.setAttribute("aria-controls", windowId);
  button.append(glyph.element, words, badge);
  button.addEventListener("click", onClick);

  function name(): void {
    const shown = words.textContent!;
    const whole = label.includes(shown) ? label : `${shown} – ${label}`;
    button.setAttribute("aria-label", count ? `${whole} (${count})` : whole);
  }
  const launcher = {
    button,
    setLabel(text: string, shown = "") {
      label = text;
      words.textContent = shown;
      name();
    },
    setUnread(number: number) {
      count = number;
      badge.textContent = count ? (count > 99 ? "99+" : `${count}`) : "";
      name();
    },
    setOpen(isOpen: boolean) {
      button.setAttribute("aria-expanded", `${isOpen}`);
      glyph.draw(isOpen);
    },
    showPicture(address: string) {
      const picture = new Image();
      picture.alt = "";
      picture.onload = () => glyph.element.replaceWith(picture);
      picture.src = address;
    },
  };
  launcher.setOpen(false);
  return launcher;
}

export type Launcher = ReturnType<typeof createLauncher>;

function createGlyph() {
  const space = "http://www.w3.org/2000/svg";
  const element = document.createElementNS(space, "svg");
  const path = document.createElementNS(space, "path");
  element.setAttribute("viewBox", "0 0 24 24");
  element.setAttribute("aria-hidden", "true");
  element.append(path);
  return { element, draw: (isOpen: boolean) => path.setAttribute("d", isOpen ? closeShape : chatShape) };
}

/** The styles of a button, whose color is that of the chat unless one was chosen. `bottom` is the room below it, in px. */
export function launcherStyles(id: string, side = "right", color = "#1f5fbf", bottom: number): string {
  return `#${id}{all:initial;position:fixed;z-index:${top};${side}:calc(${gap}px + env(safe-area-inset-${side}));
bottom:calc(${bottom}px + env(safe-area-inset-bottom));box-sizing:border-box;min-width:${size}px;height:${size}px;border-radius:${size}px;
background:${color};color:${inkOn(color)};display:flex;align-items:center;justify-content:center;cursor:pointer;
font:600 15px system-ui,sans-serif}
#${id}:focus-visible{outline:3px solid Highlight;outline-offset:2px}
#${id} svg{width:26px;height:26px;margin:0 14px;fill:currentColor}
#${id} img{all:unset;width:${size}px;height:${size}px;border-radius:50%;object-fit:cover}
#${id} b{all:unset;padding-inline-end:18px}
#${id} i{all:unset;position:absolute;top:-4px;right:-4px;min-width:20px;padding:0 5px;box-sizing:border-box;border-radius:10px;
background:#c5221f;color:#fff;font:600 12px/20px system-ui;text-align:center}
#${id} :empty:not(path){display:none}
@media(forced-colors:active){#${id}{border:1px solid}}
@media(prefers-reduced-motion:no-preference){#${id}{transition:transform .15s}#${id}:hover{transform:scale(1.05)}}
@media print{#${id}{display:none!important}}`;
}
