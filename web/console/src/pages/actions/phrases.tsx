// The phrases by which the built-in model knows when an action is meant: a line each.
import { useId, useRef, type ClipboardEvent, type KeyboardEvent } from "react";
import { Input, TextField } from "react-aria-components";
import { IconButton } from "../../components/button";
import { FaultRow, useFault } from "../../components/fault";
import { useTexts } from "../../i18n";
import { useEditor } from "./fields";
import field from "../../components/field.module.css";
import styles from "./actions.module.css";

const toRows = (text: string) => (text === "" ? [] : text.split("\n"));

/** Each phrase in a field of its own, and an empty one below for the next. */
export function Phrases() {
  const { t } = useTexts();
  const { values, change } = useEditor();
  const fault = useFault("triggers");
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const rows = toRows(values.triggers);
  const set = (next: readonly string[]) => change("triggers", next.join("\n").replace(/\n+$/, ""));
  const focus = (at: number) => requestAnimationFrame(() => list.current?.querySelectorAll("input")[at]?.focus());
  const press = (at: number, event: KeyboardEvent) => {
    if (event.key !== "Enter") return;
    event.preventDefault(); // of a form: it would be sent
    focus(at + 1);
  };
  const paste = (at: number, event: ClipboardEvent<HTMLInputElement>) => {
    const lines = event.clipboardData.getData("text/plain").split(/\r?\n/).map((line) => line.trim()).filter(Boolean);
    if (lines.length < 2) return;
    event.preventDefault();
    set(rows[at] ? rows.toSpliced(at + 1, 0, ...lines) : rows.toSpliced(at, 1, ...lines));
  };
  const remove = (at: number) => {
    set(rows.toSpliced(at, 1));
    focus(Math.max(0, at - 1));
  };
  return (
    <div role="group" aria-labelledby={`${id}-label`} aria-describedby={`${id}-hint`} className={field.field}>
      <span id={`${id}-label`} className={field.label}>
        {t("actions.field.triggers")}
      </span>
      <div ref={list} className={styles.phrases}>
        {[...rows, ""].map((phrase, i) => (
          <div key={i} className={styles.phrase}>
            <TextField
              aria-label={t("actions.phrase", { number: i + 1 })}
              value={phrase}
              onChange={(text) => set([...rows.slice(0, i), text, ...rows.slice(i + 1)])}
              autoComplete="off"
            >
              <Input
                className={field.input!}
                dir="auto"
                placeholder={i === rows.length ? t("actions.addPhrase") : undefined}
                onKeyDown={(event) => press(i, event)}
                onPaste={(event) => paste(i, event)}
              />
            </TextField>
            {i < rows.length && (
              <IconButton icon="x" label={t("actions.removeNamed", { name: phrase || t("actions.field.triggers") })} onPress={() => remove(i)} />
            )}
          </div>
        ))}
      </div>
      <span id={`${id}-hint`} className={field.hint}>
        {t("actions.field.triggersHint")}
      </span>
      <FaultRow id={`${id}-fault`} fault={fault} />
    </div>
  );
}
