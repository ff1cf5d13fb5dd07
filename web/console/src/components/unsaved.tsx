import { useCallback, useEffect, useRef, useState, type ReactNode } from "react";
import { useTexts } from "../i18n";
import { useKeys } from "../shell/keys";
import { useScreenActions } from "../shell/screen-actions";
import { Button } from "./button";
import { Actions, Dialog } from "./dialog";
import { Icon } from "./icon";
import styles from "./unsaved.module.css";

interface Props {
  /** How many settings differ from what is saved; the bar is there if there are any. */
  count: number;
  isSaving: boolean;
  /** Where the screen is: what is below that address is the same screen, and going there asks nobody. */
  within?: string;
  /** What should be known before it is saved. */
  warning?: string | undefined;
  onDiscard: () => void;
  /** Undefined where the person may not save. */
  onSave: (() => void) | undefined;
}

// What asks before the screen is left; null while everything is saved.
let question: (() => Promise<boolean>) | null = null;
let screen: string | undefined; // where it is asked

const isAt = (address: string, place: string) => {
  const path = address.replace(/[?#].*$/, "");
  return path.endsWith(place) || path.includes(`${place}/`);
};

/**
 * Calls `leave` now or, while something is not saved, when the person wants to leave all the same. `address` is where it
 * leads, if that is in the console.
 */
export function leaveScreen(leave: () => void, address = ""): void {
  if (!question || (screen && isAt(address, screen))) return leave();
  void question().then((isLeaving) => isLeaving && leave());
}

/** The bar that says what is not saved. Leaving the screen asks first. */
export function UnsavedBar({ count, isSaving, within, warning, onDiscard, onSave }: Props) {
  const { t } = useTexts();
  const [answer, setAnswer] = useState<(isLeaving: boolean) => void>();
  const isUnsaved = count > 0;
  useKeys({ "mod+s": () => isUnsaved && !isSaving && onSave?.() });
  useScreenActions(
    isUnsaved
      ? [
          ...(onSave ? [{ id: "save", icon: "check" as const, name: t("keys.save"), keys: "mod+s", run: onSave }] : []),
          { id: "discard", icon: "x" as const, name: t("commands.discard"), run: onDiscard },
        ]
      : [],
  );
  useEffect(() => {
    if (!isUnsaved) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    question = () => new Promise((resolve) => setAnswer(() => resolve));
    screen = within;
    addEventListener("beforeunload", ask);
    return () => {
      question = null;
      screen = undefined;
      removeEventListener("beforeunload", ask);
    };
  }, [isUnsaved, within]);
  const close = (isLeaving: boolean) => {
    setAnswer(undefined);
    if (isLeaving) onDiscard();
    answer?.(isLeaving);
  };
  if (!isUnsaved) return null;
  return (
    <div className={styles.bar} role="region" aria-label={t("unsaved.label")}>
      {warning && (
        <p role="status" className={styles.warning}>
          <Icon name="triangle-alert" size={16} />
          {warning}
        </p>
      )}
      <p role="status">{t("unsaved.count", { count })}</p>
      <Button kind="quiet" onPress={onDiscard} isDisabled={isSaving}>
        {t("unsaved.discard")}
      </Button>
      {onSave && (
        <Button kind="primary" onPress={onSave} isPending={isSaving}>
          {t("unsaved.save")}
        </Button>
      )}
      <LeaveDialog title={t("settings.leaveTitle")} isOpen={answer !== undefined} onAnswer={close} />
    </div>
  );
}

/** Sends the form in which somebody types, or the only one. */
function submitForm(box: HTMLElement | null): void {
  const forms = [...(box?.querySelectorAll("form") ?? [])];
  const form = forms.find((one) => one.contains(document.activeElement)) ?? (forms.length === 1 ? forms[0] : undefined);
  form?.requestSubmit();
}

/**
 * Asks before what is typed in it is lost, by leaving the screen or by closing the dialog around it, which is an address
 * of its own. `children` get what says that all of it is saved. The key that saves sends the form.
 */
export function KeepTyped({ children, onChange }: KeepProps) {
  const { t } = useTexts();
  const [answer, setAnswer] = useState<(isLeaving: boolean) => void>();
  const forget = useRef(() => {});
  const box = useRef<HTMLDivElement>(null);
  const isTyped = useRef(false);
  useKeys({ "mod+s": () => isTyped.current && submitForm(box.current) });
  const listener = useRef(onChange);
  listener.current = onChange;
  const saved = useCallback(() => {
    isTyped.current = false;
    forget.current();
    forget.current = () => {};
    listener.current?.(false);
  }, []);
  const typed = useCallback(() => {
    isTyped.current = true;
    if (question) return;
    const own = () => new Promise<boolean>((resolve) => setAnswer(() => resolve));
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    question = own;
    addEventListener("beforeunload", ask);
    forget.current = () => {
      if (question === own) question = null;
      removeEventListener("beforeunload", ask);
    };
    listener.current?.(true);
  }, []);
  useEffect(() => () => forget.current(), []);
  const close = (isLeaving: boolean) => {
    setAnswer(undefined);
    if (isLeaving) saved();
    answer?.(isLeaving);
  };
  return (
    <div ref={box} className={styles.typed} onInput={typed}>
      {children(saved)}
      <LeaveDialog title={t("settings.leaveTitle")} isOpen={answer !== undefined} onAnswer={close} />
    </div>
  );
}

interface KeepProps {
  children: (saved: () => void) => ReactNode;
  /** Is told when something is typed, and when nothing of it is left. */
  onChange?: (isTyped: boolean) => void;
}

function LeaveDialog({ title, isOpen, onAnswer }: { title: string; isOpen: boolean; onAnswer: (isLeaving: boolean) => void }) {
  const { t } = useTexts();
  return (
    <Dialog role="alertdialog" title={title} isOpen={isOpen} onClose={() => onAnswer(false)}>
      <p>{t("settings.leave")}</p>
      <Actions>
        <Button onPress={() => onAnswer(true)}>{t("settings.leaveNow")}</Button>
        <Button kind="primary" autoFocus onPress={() => onAnswer(false)}>
          {t("settings.stay")}
        </Button>
      </Actions>
    </Dialog>
  );
}
