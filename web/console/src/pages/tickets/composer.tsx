import { useState } from "react";
import { APIError } from "../../api/client";
import { claimConversation, claimedCode } from "../../api/inbox";
import { forgetOnLeave, useMay, useSession } from "../../api/session";
import { useTicketsChange, writeToTicket, type MessageType } from "../../api/tickets";
import { Button, ButtonLink } from "../../components/button";
import { Failed } from "../../components/states";
import { Switcher } from "../../components/switcher";
import { TextArea } from "../../components/text-area";
import { useTexts } from "../../i18n";
import styles from "./ticket.module.css";

interface Draft {
  type: MessageType;
  text: string;
}

// What is written and not sent, by agent and ticket: going to another screen and back keeps it.
const drafts = new Map<string, Draft>();
forgetOnLeave(() => drafts.clear());

const types = ["reply", "note"] as const;
const notTakenOver = "CONVERSATION_NOT_TAKEN_OVER";

/** Writes a reply to the customer, or a note that only the team reads. */
export function Composer({ agentId, number, conversationId }: { agentId: string; number: number; conversationId: string | undefined }) {
  const { t } = useTexts();
  const { data: session } = useSession();
  const refresh = useTicketsChange(agentId);
  const place = `${agentId} ${number}`;
  const [draft, setDraft] = useState<Draft>(() => drafts.get(place) ?? { type: "reply", text: "" });
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const write = (part: Partial<Draft>) => {
    const next = { ...draft, ...part };
    setDraft(next);
    drafts.set(place, next);
  };
  const email = session?.user?.email ?? "";
  const mayTakeOver = useMay("conversations:write");
  const send = async (prepare?: () => Promise<unknown>) => {
    setPending(true);
    setError(null);
    try {
      await prepare?.();
      await writeToTicket(agentId, number, draft.type, email, draft.text);
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
        if (draft.text.trim() && !isPending) void send();
      }}
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
      />
      {error !== null && <Failed error={error} text={reason} />}
      {mustTakeOver && mayTakeOver && conversationId && (
        <div>
          <Button onPress={() => void send(() => claimConversation(conversationId))} isDisabled={!draft.text.trim()}>
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
        <Button kind="primary" type="submit" isPending={isPending} isDisabled={!draft.text.trim()}>
          {t(isNote ? "tickets.addNote" : "tickets.send")}
        </Button>
      </div>
    </form>
  );
}
