import { useRef, useState } from "react";
import { APIError } from "../../api/client";
import { claimConversation, claimedCode } from "../../api/inbox";
import { useRequestKey } from "../../api/request-key";
import { useMay } from "../../api/session";
import { ticketMessageBody, useTicketsChange, writeToTicket, type MessageType } from "../../api/tickets";
import { Button, ButtonLink } from "../../components/button";
import { Failed } from "../../components/states";
import { Switcher } from "../../components/switcher";
import { TextArea } from "../../components/text-area";
import { useTexts } from "../../i18n";
import { useReplyFiles } from "../inbox/files";
import { useKeptText } from "../inbox/kept-text";
import { useSavedReply } from "../inbox/saved-replies";
import styles from "./ticket.module.css";

const types = ["reply", "note"] as const;
const notTakenOver = "CONVERSATION_NOT_TAKEN_OVER";

interface Props {
  agentId: string;
  number: number;
  conversationId: string | undefined;
  /** The number of the newest message that is shown. */
  lastSeq: number;
  /** The names of both, as far as they are known. */
  customer: string;
  agent: string;
}

/** Writes a reply to the customer, or a note that only the team reads. */
export function Composer({ agentId, number, conversationId = "", lastSeq, customer, agent }: Props) {
  const { t } = useTexts();
  const refresh = useTicketsChange();
  const place = `${agentId} ${number}`;
  const [type, setType] = useState<MessageType>("reply");
  const mayTakeOver = useMay("conversations:write"); // and so keep drafts of conversations
  const seen = useRef(lastSeq); // when the person began to write
  const [text, write, kept] = useKeptText({ conversation: mayTakeOver ? conversationId : "", other: conversationId || place }, type, seen);
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const change = (next: string) => {
    if (!text) seen.current = lastSeq;
    write(next);
  };
  const area = useRef<HTMLTextAreaElement>(null);
  const saved = useSavedReply({ area, text, onChange: change, customer, agent });
  const files = useReplyFiles(agentId, `ticket ${type} ${place}`);
  const key = useRequestKey();
  const claimKey = useRequestKey();
  const { isBusy, fileIds } = files;
  const isEmpty = !text.trim() && fileIds.length === 0;
  const send = async (prepare?: () => Promise<unknown>) => {
    setPending(true);
    setError(null);
    try {
      await prepare?.();
      const body = ticketMessageBody(type, { text, fileIds });
      await writeToTicket(agentId, number, body, key.of({ place, ...body }));
      key.forget();
      files.forget(fileIds);
      write("");
      await refresh();
    } catch (thrown) {
      setError(thrown);
    }
    setPending(false);
  };
  const mustTakeOver = error instanceof APIError && error.code === notTakenOver;
  const isClaimed = error instanceof APIError && error.code === claimedCode;
  const reason = mustTakeOver ? t("tickets.mustTakeOver") : isClaimed ? t("tickets.claimed") : "";
  const isNote = type === "note";
  return (
    <form
      className={`${styles.composer} ${isNote ? styles.noting : ""}`}
      aria-label={t("tickets.write")}
      onKeyDown={(event) => event.key === "Enter" && (event.metaKey || event.ctrlKey) && event.currentTarget.requestSubmit()}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isEmpty && !isPending && !isBusy) void send();
      }}
      {...files.zone}
    >
      <Switcher
        label={t("tickets.kind")}
        value={type}
        options={types.map((id) => ({ id, name: t(`tickets.kind.${id}`) }))}
        onChange={setType}
      />
      <TextArea
        label={t(isNote ? "tickets.noteText" : "tickets.replyText")}
        hint={t(isNote ? "tickets.noteHint" : "tickets.replyHint")}
        value={text}
        onChange={change}
        areaRef={area}
        onKeyDown={saved.onKeyDown}
        onPaste={files.onPaste}
      />
      {files.list}
      <div className={styles.tools}>
        {files.button}
        {saved.button}
      </div>
      {error !== null && <Failed error={error} text={reason} />}
      {mustTakeOver && mayTakeOver && conversationId && (
        <div>
          <Button onPress={() => void send(() => claimConversation(conversationId, claimKey.of({ conversationId })))} isDisabled={isEmpty || isBusy}>
            {t("tickets.takeOver")}
          </Button>
        </div>
      )}
      {isClaimed && conversationId && (
        <div>
          <ButtonLink icon="inbox" href={`/inbox/${conversationId}`}>
            {t("tickets.openInInbox")}
          </ButtonLink>
        </div>
      )}
      <div className={`${styles.tools} ${styles.send}`}>
        <span className={styles.detail}>{text.trim() && t(kept === "server" ? "inbox.keptInServer" : "inbox.kept")}</span>
        <Button kind="primary" type="submit" isPending={isPending} isDisabled={isEmpty || isBusy}>
          {t(isNote ? "tickets.addNote" : "tickets.send")}
        </Button>
      </div>
    </form>
  );
}
