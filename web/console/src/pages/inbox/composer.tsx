import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { answeredCode, replyBody, sendReply, tellTyping, type WholeThread } from "../../api/inbox";
import { APIError } from "../../api/client";
import { useRequestKey } from "../../api/request-key";
import { useMay } from "../../api/session";
import { ticketMessageBody, writeToTicket } from "../../api/tickets";
import { Button } from "../../components/button";
import { Actions, Dialog } from "../../components/dialog";
import { MenuButton, type MenuAction } from "../../components/menu-button";
import { Failed } from "../../components/states";
import { Switcher } from "../../components/switcher";
import { useTexts } from "../../i18n";
import { useKeys } from "../../shell/keys";
import { lastSeq } from "./entries";
import { useReplyFiles } from "./files";
import { draftKey, useKeptText, type Kind } from "./kept-text";
import { useSavedReply } from "./saved-replies";
import { Suggest } from "./suggest";
import styles from "./inbox.module.css";

/** What is done with the conversation once the reply is sent. */
type Step = "handback" | "end";

interface Props {
  thread: WholeThread;
  /** Has what is shown read again. */
  onSent: () => Promise<unknown>;
  onStep: (step: Step) => void;
  onTyping: (isTyping: boolean) => void;
  /** Tells whether something is being sent, or waits for the person's word: until then the composer stays. */
  onSending: (isSending: boolean) => void;
}

const tellInterval = 3_000; // milliseconds: the customer sees for a few seconds that somebody writes
const typingEnds = 5_000;

/** Tells the others and the customer that somebody writes, now and then, and that they have stopped. */
function useTyping(id: string, onTyping: (isTyping: boolean) => void) {
  const told = useRef(0);
  const timer = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (isForCustomer: boolean) => {
    onTyping(true);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => onTyping(false), typingEnds);
    if (!isForCustomer || Date.now() - told.current < tellInterval) return;
    told.current = Date.now();
    void tellTyping(id).catch(() => {}); // the next one is soon
  };
}

/** Where a reply or a note is written. Ctrl and Enter send it, with Shift they end the conversation as well. */
export function Composer({ thread, onSent, onStep, onTyping, onSending }: Props) {
  const { t } = useTexts();
  const { conversationId: id, agentId, ticketNumber } = thread;
  const mayNote = useMay("tickets:write") && Boolean(ticketNumber);
  const [chosen, setKind] = useState<Kind>("reply");
  const kind: Kind = mayNote ? chosen : "reply";
  const seen = useRef(lastSeq(thread)); // when the person began to write
  const [text, write, kept] = useKeptText({ conversation: id }, kind, seen);
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [isOvertaken, setOvertaken] = useState(false);
  const isSending = isPending || isOvertaken;
  useEffect(() => onSending(isSending), [isSending, onSending]);
  const area = useRef<HTMLTextAreaElement>(null);
  const tell = useTyping(id, onTyping);
  const message = text.trim();
  const files = useReplyFiles(agentId, draftKey(id, kind));
  const key = useRequestKey();
  const { isBusy, fileIds } = files;
  const isEmpty = !message && fileIds.length === 0;
  const writeAs = (next: Kind) => {
    setKind(next);
    area.current?.focus();
  };
  useKeys({ r: () => writeAs("reply"), ...(mayNote && { n: () => writeAs("note") }) });
  const post = async () => {
    const written = { text: message, fileIds };
    if (kind === "note") {
      const body = ticketMessageBody("note", written);
      await writeToTicket(agentId, ticketNumber!, body, key.of({ id, ...body }));
    } else {
      const body = replyBody(written, seen.current);
      await sendReply(id, body, key.of({ id, ...body }));
    }
    key.forget();
    files.forget(fileIds);
  };
  const nextStep = useRef<Step>(undefined);
  const send = async (step?: Step) => {
    if (isEmpty || isPending || isBusy) return;
    nextStep.current = step;
    setPending(true);
    setError(null);
    let isLate = false;
    let isSent = false;
    try {
      await post();
      if ((sessionStorage.getItem(draftKey(id, kind)) ?? text).trim() === message) write("");
      onTyping(false);
      isSent = true;
    } catch (thrown) {
      isLate = thrown instanceof APIError && thrown.code === answeredCode;
      if (!isLate) setError(thrown);
    }
    await onSent().catch(() => {}); // the thread says itself that it could not be read
    setPending(false);
    if (isLate) setOvertaken(true);
    else if (isSent && step) onStep(step);
    else area.current?.focus();
  };
  const sendAnyway = () => {
    setOvertaken(false);
    seen.current = lastSeq(thread); // which has what the colleague wrote
    void send(nextStep.current);
  };
  const change = (next: string) => {
    if (!text) seen.current = lastSeq(thread);
    write(next);
    tell(kind === "reply");
  };
  const add = (suggested: string) => {
    const present = sessionStorage.getItem(draftKey(id, "reply")) ?? text; // which was typed while the agent was asked
    change(present ? `${present}\n\n${suggested}` : suggested);
  };
  const customer = thread.person?.name ?? "";
  const saved = useSavedReply({ area, text, onChange: change, customer, agent: thread.agentName });
  const press = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    saved.onKeyDown(event);
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void send(event.shiftKey && kind === "reply" ? "end" : undefined);
  };
  const steps: MenuAction<Step>[] = [
    { id: "handback", icon: "bot", name: t("inbox.sendAndHandBack") },
    { id: "end", icon: "check", name: t("inbox.sendAndEnd") },
  ];
  const kinds = [
    { id: "reply" as const, name: t("inbox.reply") },
    { id: "note" as const, name: t("inbox.note") },
  ];
  return (
    <div className={`${styles.composer} ${kind === "note" ? styles.isNote : ""}`} {...files.zone}>
      <div className={styles.buttons}>
        {mayNote && <Switcher label={t("inbox.kind")} value={kind} options={kinds} onChange={setKind} />}
        {files.button}
        {saved.button}
        {kind === "reply" && <Suggest thread={thread} onSuggest={add} />}
      </div>
      {error !== null && <Failed error={error} />}
      <textarea
        ref={area}
        className={styles.write}
        rows={2}
        dir="auto"
        maxLength={20_000}
        value={text}
        aria-label={t(kind === "note" ? "inbox.writeNote" : "inbox.writeReply")}
        placeholder={t(kind === "note" ? "inbox.writeNote" : "inbox.writeReply")}
        onChange={(event) => change(event.target.value)}
        onKeyDown={press}
        onPaste={files.onPaste}
      />
      {files.list}
      <div className={styles.send}>
        <span className={styles.detail}>{message && t(kept === "server" ? "inbox.keptInServer" : "inbox.kept")}</span>
        <span className={styles.sendButtons}>
          <Button kind="primary" isDisabled={isEmpty || isBusy} isPending={isPending} onPress={() => void send()}>
            {t(kind === "note" ? "inbox.saveNote" : "inbox.send")}
          </Button>
          {kind === "reply" && !isEmpty && (
            <MenuButton isIcon icon="chevron-down" label={t("inbox.sendAnd")} actions={steps} onAction={(step) => void send(step)} />
          )}
        </span>
      </div>
      <Dialog role="alertdialog" title={t("inbox.overtakenTitle")} isOpen={isOvertaken} onClose={() => setOvertaken(false)}>
        <p>{t("inbox.overtaken")}</p>
        <Actions>
          <Button autoFocus onPress={() => setOvertaken(false)}>
            {t("inbox.readFirst")}
          </Button>
          <Button kind="primary" onPress={sendAnyway}>
            {t("inbox.sendAnyway")}
          </Button>
        </Actions>
      </Dialog>
    </div>
  );
}
