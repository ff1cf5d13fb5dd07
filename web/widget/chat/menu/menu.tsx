import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { MoreIcon } from "../icons";
import styles from "./menu.module.css";

export interface MenuItem {
  id: string;
  label: string;
  /** Of an item that switches something on and off. */
  isChecked?: boolean | undefined;
  act(): void;
}

interface MenuButtonProps {
  label: string;
  items: readonly MenuItem[];
  className?: string | undefined;
  /** Of a menu that is open as it comes: which of its items has the focus. */
  openAt?: "first" | "last";
  /** A sentence below the items. */
  note?: string;
  children?: ComponentChildren;
}

/** A button with a menu, by the pattern that screen readers and keyboards know: arrows, Home, End, letters, Escape. */
export function MenuButton({ label, items, className, openAt, note, children }: MenuButtonProps) {
  const id = useId();
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState<"closed" | "first" | "last">(openAt ?? "closed");
  const isOpen = open !== "closed";
  const elements = () => [...(root.current?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? [])];
  const close = (keepsFocus: boolean) => {
    setOpen("closed");
    if (keepsFocus) button.current?.focus();
  };

  useLayoutEffect(() => {
    if (open !== "closed")
      elements()
        .at(open === "first" ? 0 : -1)
        ?.focus();
  }, [open]);
  // Before the next event, so that a press right after the one that opened the menu closes it.
  useLayoutEffect(() => (isOpen ? closeOutside(root.current!, () => setOpen("closed")) : undefined), [isOpen]);

  const onButtonKey = (event: KeyboardEvent) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    setOpen(event.key === "ArrowDown" ? "first" : "last");
  };
  const onMenuKey = (event: KeyboardEvent) => {
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation(); // it closes the menu, not the chat
      return close(true);
    }
    if (event.key === "Tab") return setOpen("closed");
    const next = findNext(elements(), event);
    if (!next) return;
    event.preventDefault();
    next.focus();
  };
  const choose = (item: MenuItem) => {
    close(true);
    item.act();
  };

  return (
    <div ref={root} className={styles.root}>
      <button
        ref={button}
        type="button"
        id={`${id}-button`}
        className={className ?? styles.button}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => (isOpen ? close(true) : setOpen("first"))}
        onKeyDown={onButtonKey}
      >
        {children ?? <MoreIcon />}
      </button>
      {isOpen && (
        <div className={styles.popover}>
          <div id={id} role="menu" aria-labelledby={`${id}-button`} className={styles.menu} onKeyDown={onMenuKey}>
            {items.map((item) => (
              <Item key={item.id} item={item} onChoose={() => choose(item)} />
            ))}
          </div>
          {note && <p className={styles.note}>{note}</p>}
        </div>
      )}
    </div>
  );
}

function Item({ item, onChoose }: { item: MenuItem; onChoose(): void }) {
  const isSwitch = item.isChecked !== undefined;
  return (
    <button
      type="button"
      role={isSwitch ? "menuitemcheckbox" : "menuitem"}
      aria-checked={isSwitch ? item.isChecked : undefined}
      tabIndex={-1}
      className={styles.item}
      onClick={onChoose}
    >
      <span>{item.label}</span>
      {isSwitch && <span className={styles.switch} />}
    </button>
  );
}

/** The item that a key leads to; undefined for keys that lead nowhere. */
export function findNext(items: readonly HTMLElement[], { key, ctrlKey, metaKey, altKey }: KeyboardEvent): HTMLElement | undefined {
  const at = items.indexOf(document.activeElement as HTMLElement);
  if (key === "ArrowDown") return items[(at + 1) % items.length];
  if (key === "ArrowUp") return items.at(at <= 0 ? -1 : at - 1);
  if (key === "Home") return items[0];
  if (key === "End") return items.at(-1);
  if ([...key].length !== 1 || key === " " || ctrlKey || metaKey || altKey) return undefined;
  const begins = (item: HTMLElement) => item.textContent!.trim().toLocaleLowerCase().startsWith(key.toLocaleLowerCase());
  return [...items.slice(at + 1), ...items.slice(0, at + 1)].find(begins);
}

function closeOutside(root: HTMLElement, close: () => void): () => void {
  const end = new AbortController();
  const listen = (target: EventTarget, type: string, act: (event: Event) => void) =>
    target.addEventListener(type, act, { signal: end.signal, capture: true });
  listen(document, "pointerdown", (event) => !root.contains(event.target as Node) && close());
  listen(window, "blur", (event) => event.target === window && close()); // a click into the page around the chat
  return () => end.abort();
}
