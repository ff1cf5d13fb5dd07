import { useState } from "preact/hooks";
import { useChat } from "./context";
import { BackIcon, OpenIcon } from "./icons";
import styles from "./suggestions.module.css";

interface Single {
  text: string;
}
interface Group {
  name: string;
  items: Single[];
}

/** Reads suggestions as REST has them; a text alone is one as well. */
export function readSuggestions(list: readonly unknown[]): (Single | Group)[] {
  const ordered = [...list].sort((a, b) => orderOf(a) - orderOf(b));
  return ordered.flatMap((one): (Single | Group)[] => {
    if (typeof one === "string") return one.trim() ? [{ text: one }] : [];
    const { text, name, items } = (one ?? {}) as Record<string, unknown>;
    if (typeof text === "string" && text.trim()) return [{ text }];
    if (typeof name !== "string" || !Array.isArray(items)) return [];
    const singles = readSuggestions(items).filter((item): item is Single => "text" in item);
    return singles.length > 0 ? [{ name, items: singles }] : [];
  });
}

const orderOf = (one: unknown) => Number((one as { order?: unknown } | null)?.order ?? 0) || 0;

/** What the customer may ask, until they have asked something. */
export function Suggestions() {
  const chat = useChat();
  const { t } = chat.texts;
  const [open, setOpen] = useState<string | null>(null);
  const all = readSuggestions(chat.options.value.suggestedMessages);
  const isUsed = chat.messages.value.length > 0 || chat.isLoading.value;
  if (isUsed || all.length === 0 || chat.composer.value.kind !== "idle") return null;
  const group = all.find((one): one is Group => "items" in one && one.name === open);
  return (
    <ul class={styles.list} aria-label={group?.name ?? t("a11y.suggestions")}>
      {group && (
        <li>
          <button type="button" class={styles.back} aria-label={t("chat.back")} onClick={() => setOpen(null)}>
            <BackIcon size={16} />
          </button>
        </li>
      )}
      {(group?.items ?? all).map((one) => (
        <li key={"text" in one ? one.text : one.name}>
          {"text" in one ? (
            <button type="button" class={styles.chip} dir="auto" onClick={() => chat.send(one.text)}>
              {one.text}
            </button>
          ) : (
            <button type="button" class={styles.chip} dir="auto" aria-expanded="false" onClick={() => setOpen(one.name)}>
              {one.name}
              <OpenIcon size={14} />
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
