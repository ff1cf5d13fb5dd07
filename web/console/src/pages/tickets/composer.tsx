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
import { useSavedReply } from "../inbox/saved-replies";
import styles from "./ticket.module.css";

interface Draft {
  type: MessageType;
  text: string;
}

// What is written and not sent is kept in the tab, by agent and ticket, also when the page is loaded again.
const draftKey = (place: string) => `parley.ticket ${place}`;

function readDraft(place: string): Draft {
  const stored = sessionStorage.getItem(draftKey(place));
  return stored ? (JSON.parse(stored) as Draft) : { type: "reply", text: "" };
}

function keepDraft(place: string, draft: Draft) {
  if (draft.text) sessionStorage.setItem(draftKey(place), JSON.stringify(draft));
  else sessionStorage.removeItem(draftKey(place));
}

const types = ["reply", "note"] as const;
const notTakenOver = "CONVERSATION_NOT_TAKEN_OVER";

interface Props {
  agentId: string;
  number: number;
  conversationId: string | undefined;
  /** The names of both, as far as they are known. */
  customer: string;
  agent: string;
}

/** Writes a reply to the customer, or a note that only the team reads. */
export function Composer({ agentId, number, conversationId, customer, agent }: Props) {
  const { t } = useTexts();
  const refresh = useTicketsChange(agentId);
  const place = `${agentId} ${number}`;
  const [draft, setDraft] = useState<Draft>(() => readDraft(place));
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const write = (part: Partial<Draft>) => {
    const next = { ...draft, ...part };
    setDraft(next);
    keepDraft(place, next);
  };
  const area = useRef<HTMLTextAreaElement>(null);
  const saved = useSavedReply({ area, text: draft.text, onChange: (text) => write({ text }), customer, agent });
  const files = useReplyFiles(agentId, `ticket ${draft.type} ${place}`);
  const key = useRequestKey();
  const claimKey = useRequestKey();
  const { isBusy, fileIds } = files;
  const isEmpty = !draft.text.trim() && fileIds.length === 0;
  const mayTakeOver = useMay("conversations:write");
  const send = async (prepare?: () => Promise<unknown>) => {
    setPending(true);
    setError(null);
    try {
      await prepare?.();
      const body = ticketMessageBody(draft.type, { text: draft.text, fileIds });
      await writeToTicket(agentId, number, body, key.of({ place, ...body }));
      key.forget();
      files.forget(fileIds);
      write({ text: "" });
      await refresh();
    } catch (thrown) {
      setError(thrown);
    }
    setPending(false);
  };
  const mustTakeOver = error instanceof APIError && error.code === notTakenOver;
  const isClaimed = error instanceof APIError && error.code === claimedCode;
  const reason = mustTakeOver ? t("tickets.mustTakeOver") : isClaimed ? t("tickets.claimed") : "";
  const isNote = draft.type === "note";
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
        value={draft.type}
        options={types.map((id) => ({ id, name: t(`tickets.kind.${id}`) }))}
        onChange={(type) => write({ type })}
      />
      <TextArea
        label={t(isNote ? "tickets.noteText" : "tickets.replyText")}
        hint={t(isNote ? "tickets.noteHint" : "tickets.replyHint")}
        value={draft.text}
        onChange={(text) => write({ text })}
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
      <div>
        <Button kind="primary" type="submit" isPending={isPending} isDisabled={isEmpty || isBusy}>
          {t(isNote ? "tickets.addNote" : "tickets.send")}
        </Button>
      </div>
    </form>
  );
}
