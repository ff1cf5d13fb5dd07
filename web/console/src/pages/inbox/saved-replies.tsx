import { useRef, useState, type KeyboardEvent, type RefObject } from "react";
import { Autocomplete, Input, Menu, MenuItem, SearchField, useFilter } from "react-aria-components";
import { useMay, useSession } from "../../api/session";
import { useSavedReplies, type SavedReply } from "../../api/saved";
import { Button } from "../../components/button";
import { Dialog } from "../../components/dialog";
import { useFirstByEnter } from "../../components/first-by-enter";
import { Failed, Loading } from "../../components/states";
import { useTexts } from "../../i18n";
import { fillPlaceholders } from "./placeholders";
import field from "../../components/field.module.css";
import menu from "../../components/menu.module.css";
import styles from "./inbox.module.css";

interface Props {
  /** Where the reply is put. */
  area: RefObject<HTMLTextAreaElement | null>;
  text: string;
  /** Takes the whole text with the reply in it. */
  onChange: (text: string) => void;
  /** The names that placeholders stand for, as far as they are known. */
  customer: string;
  agent: string;
}

/**
 * A button that opens the saved replies, and what a slash at the beginning of a line does: the same. Whoever chooses none
 * has the slash.
 */
export function useSavedReply({ area, text, onChange, customer, agent }: Props) {
  const { t } = useTexts();
  const mayRead = useMay("helpdesk:read");
  const replies = useSavedReplies(mayRead);
  const { data: session } = useSession();
  const [isOpen, setOpen] = useState(false);
  const start = useRef({ from: 0, to: 0, hasSlash: false });
  const open = (hasSlash: boolean) => {
    const from = area.current?.selectionStart ?? text.length;
    start.current = { from, to: area.current?.selectionEnd ?? from, hasSlash };
    setOpen(true);
  };
  const put = (words: string) => {
    const { from, to } = start.current;
    onChange(text.slice(0, from) + words + text.slice(to));
    setTimeout(() => {
      area.current?.focus();
      area.current?.setSelectionRange(from + words.length, from + words.length);
    });
  };
  const close = () => {
    setOpen(false);
    if (start.current.hasSlash) put("/");
  };
  const choose = (reply: SavedReply) => {
    setOpen(false);
    const names = { "customer.name": customer, "agent.name": agent, "member.name": session?.user?.name ?? "" };
    put(fillPlaceholders(reply.text, names));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const { selectionStart, value } = event.currentTarget;
    const isPlain = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !event.nativeEvent.isComposing;
    const beginsLine = selectionStart === 0 || value[selectionStart - 1] === "\n";
    if (!isPlain || !beginsLine || !replies.data?.length) return;
    event.preventDefault();
    open(true);
  };
  const button = mayRead && (
    <>
      <Button kind="quiet" icon="scroll-text" onPress={() => open(false)}>
        {t("saved.replies")}
      </Button>
      <Dialog place="top" title={t("saved.replies")} isOpen={isOpen} onClose={close}>
        {replies.isPending && <Loading rows={3} />}
        {replies.isError && !replies.data && <Failed error={replies.error} onRetry={() => void replies.refetch()} />}
        {replies.data && <Replies replies={replies.data} onChoose={choose} />}
      </Dialog>
    </>
  );
  return { button, onKeyDown };
}

const mostShown = 50; // whoever looks for more types more

function Replies({ replies, onChoose }: { replies: readonly SavedReply[]; onChoose: (reply: SavedReply) => void }) {
  const { t } = useTexts();
  const { contains } = useFilter({ sensitivity: "base" });
  const [words, setWords] = useState("");
  const parts = words.split(/\s+/).filter(Boolean);
  const named = replies.filter(({ name }) => parts.every((part) => contains(name, part)));
  const others = replies.filter((reply) => !named.includes(reply) && parts.every((part) => contains(`${reply.name} ${reply.text}`, part)));
  const found = [...named, ...others].slice(0, mostShown);
  const run = (key: unknown) => {
    const reply = found.find(({ savedReplyId }) => savedReplyId === key);
    if (reply) onChoose(reply);
  };
  const first = useFirstByEnter(() => found[0] && onChoose(found[0]));
  const write = (text: string) => {
    first.onTyped();
    setWords(text);
  };
  if (replies.length === 0) return <p className={styles.detail}>{t("saved.noReplies")}</p>;
  return (
    <div onKeyDownCapture={first.onKeyDown} onPointerMove={first.onMoved}>
      <Autocomplete inputValue={words} onInputChange={write}>
        <SearchField autoFocus aria-label={t("saved.findReply")}>
          <Input className={field.input!} placeholder={t("saved.findReply")} />
        </SearchField>
        <Menu
          className={`${menu.menu} ${styles.replies}`}
          aria-label={t("saved.replies")}
          items={found}
          onAction={run}
          renderEmptyState={() => <p className={styles.detail}>{t("saved.noneFound")}</p>}
        >
          {({ savedReplyId, name, text }) => (
            <MenuItem id={savedReplyId} className={menu.item!} textValue={name}>
              <span className={styles.savedReply}>
                <bdi className={styles.name}>{name}</bdi>
                <span className={styles.text} dir="auto">
                  {text}
                </span>
              </span>
            </MenuItem>
          )}
        </Menu>
      </Autocomplete>
    </div>
  );
}
