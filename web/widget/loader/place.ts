// Where the chat's window is: beside its button on large screens, and all that the keyboard leaves of small ones.
import type { Connection } from "./connection";
import { smallScreen } from "./screen";

/** Keeps the page behind the chat from being scrolled and reached, and returns what ends that. */
export function holdPage(...kept: Element[]): () => void {
  const root = document.documentElement;
  const { scrollX: left, scrollY: top } = window;
  const { overflow } = root.style;
  const isOther = (e: Element): e is HTMLElement => e instanceof HTMLElement && !e.inert && !kept.includes(e);
  const others = [...document.body.children].filter(isOther);
  root.style.overflow = "hidden";
  others.forEach((other) => (other.inert = true));
  return () => {
    root.style.overflow = overflow;
    others.forEach((other) => (other.inert = false));
    scrollTo({ left, top, behavior: "instant" });
  };
}

/** Keeps the open window in its place until it is called what is returned. */
export function followScreen(frame: HTMLElement, connection: Connection): () => void {
  const view = window.visualViewport!;
  const list = matchMedia(smallScreen);
  let release: (() => void) | undefined;

  function fit(): void {
    const isSmall = list.matches;
    const box = { left: view.offsetLeft, top: view.offsetTop, width: view.width, height: view.height };
    for (const [name, value] of Object.entries(box)) frame.style.setProperty(name, isSmall ? `${value}px` : null);
    if (isSmall) release ??= holdPage(frame);
    else end();
    connection.tell("size", { isSmall, height: Math.round(view.height) });
  }
  function end(): void {
    release?.();
    release = undefined;
  }

  const changes = [[view, "resize"], [view, "scroll"], [list, "change"]] as const;
  changes.forEach(([target, type]) => target.addEventListener(type, fit));
  fit();
  return () => {
    changes.forEach(([target, type]) => target.removeEventListener(type, fit));
    end();
  };
}
