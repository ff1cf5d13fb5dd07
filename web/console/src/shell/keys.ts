// Keys for commands: "mod+k" (⌘ or Ctrl), "?", and letters one after the other, as in "g a".
import { useEffect, useRef } from "react";
import { useLooks } from "../looks";

type Commands = Readonly<Record<string, () => unknown>>;

const pause = 1000; // milliseconds in which the second letter follows the first
const isMac = /Mac|iP(hone|ad|od)/.test(navigator.platform);

/** The name of a key as a person knows it. */
export function showKey(key: string): string {
  const [modifier, letter] = key.split("+");
  if (modifier !== "mod" || !letter) return key;
  return isMac ? `⌘${letter.toUpperCase()}` : `Ctrl ${letter.toUpperCase()}`;
}

/** Has keys call commands while the component is there. Keys without ⌘ or Ctrl rest in text fields and dialogs. */
export function useKeys(commands: Commands): void {
  const { hasLetterKeys } = useLooks();
  const current = useRef(commands);
  current.current = commands;
  useEffect(() => {
    const state = { first: "", at: 0 };
    const listen = (event: KeyboardEvent) => {
      const command = current.current[readKeys(event, state, hasLetterKeys)];
      if (!command || event.defaultPrevented) return;
      event.preventDefault();
      command();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, [hasLetterKeys]);
}

/** Puts the focus on what the screen is searched with. Returns false where there is nothing. */
export function focusSearch(): boolean {
  const found = document.querySelector<HTMLElement>('main input[type="search"], main [role="search"] input');
  found?.focus();
  return found !== null;
}

/** Moves the focus to the next row of the screen, or to the one before. */
export function focusRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>("main [role=row]:not(:has([role=columnheader]))")];
  const list = document.querySelector("main [data-rows]") ? "main [data-rows] li" : "main li";
  const items = rows.length > 0 ? rows : [...document.querySelectorAll<HTMLElement>(list)].flatMap(firstOf);
  const present = items.findIndex((item) => (item.closest("[data-rows] li") ?? item).contains(document.activeElement));
  const next = present < 0 ? (step > 0 ? 0 : items.length - 1) : present + step;
  items[next]?.focus();
}

const firstOf = (item: HTMLElement) => item.querySelector<HTMLElement>("a[href], button") ?? [];

// readKeys returns the name of what was pressed, with the letter before it if that began a sequence.
function readKeys(event: KeyboardEvent, state: { first: string; at: number }, hasLetterKeys: boolean): string {
  if (event.isComposing || event.altKey) return "";
  if (event.metaKey || event.ctrlKey) return (isMac ? event.metaKey : event.ctrlKey) ? `mod+${event.key.toLowerCase()}` : "";
  if (!hasLetterKeys || isTyping(event.target)) return "";
  const isSecond = state.first && Date.now() - state.at < pause;
  const name = isSecond ? `${state.first} ${event.key}` : event.key;
  state.first = !isSecond && event.key === "g" ? "g" : "";
  state.at = Date.now();
  return name;
}

function isTyping(target: EventTarget | null): boolean {
  if (document.querySelector('[role="dialog"],[role="alertdialog"],[role="menu"],[role="listbox"]')) return true;
  return isTextField(target);
}

/** Reports whether what has the focus takes letters. */
export const isTextField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input:not([type="checkbox"]), textarea, select, [contenteditable="true"]');
