import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { assignConversation, claimConversation, moveConversation, refreshLists, type InboxRow } from "../../api/inbox";
import { saveMark } from "../../api/read-marks";
import { Button } from "../../components/button";
import { Actions, Dialog } from "../../components/dialog";
import { MenuButton, type MenuAction } from "../../components/menu-button";
import { Partial } from "../../components/states";
import { useTexts } from "../../i18n";
import { runEach, type Failure } from "../sources/bulk";
import { again, nobody, useAssignees } from "./assign";
import { nameOf } from "./customer-name";
import styles from "./inbox.module.css";

type Act = (row: InboxRow) => Promise<unknown>;

const takeOver: Act = ({ conversationId }) => claimConversation(conversationId, crypto.randomUUID());
const assignTo =
  (member: string): Act =>
  ({ conversationId, claimedBy }) =>
    assignConversation(conversationId, member, claimedBy?.userId ?? "");
const end: Act = async ({ conversationId, status }) => status !== "ended" && moveConversation(conversationId, "end");
const markRead: Act = ({ conversationId, lastMessage }) => saveMark(conversationId, { unread: false, seen: lastMessage?.seq ?? 0 });
const markUnread: Act = ({ conversationId }) => saveMark(conversationId, { unread: true });

/** What is done to several conversations at once, and which of them it could not be done to. */
export function useInboxBulk() {
  const client = useQueryClient();
  const [failed, setFailed] = useState<{ act: Act; failures: readonly Failure<InboxRow>[] }>({ act: end, failures: [] });
  const [isPending, setPending] = useState(false);
  const run = async (rows: readonly InboxRow[], act: Act) => {
    setPending(true);
    const failures = await runEach(rows, act);
    // What is done next rests on the rows as they are now.
    await Promise.all([refreshLists(client), client.invalidateQueries({ queryKey: ["conversation"] })]);
    setFailed({ act, failures });
    setPending(false);
    return failures;
  };
  return { ...failed, isPending, run };
}

export type InboxBulk = ReturnType<typeof useInboxBulk>;

/** Names the conversations to which something could not be done, each with its reason. */
export function InboxBulkFailures({ bulk: { failures, act, run } }: { bulk: InboxBulk }) {
  const { t } = useTexts();
  const retry = () => run(failures.map(({ item }) => item), act);
  return (
    <Partial
      count={failures.length}
      text={t("inbox.notChanged", { count: failures.length })}
      failures={failures.map(({ item, error }) => ({ name: nameOf(item, t), error }))}
      onRetry={() => void retry()}
    />
  );
}

interface Props {
  bulk: InboxBulk;
  picked: readonly InboxRow[];
  /** How many rows are shown. */
  count: number;
  /** The id of the conversation that is open. */
  open: string;
  /** The query of the address. */
  search: string;
  onAll: () => void;
  onClear: () => void;
}

/** Does something to all chosen conversations at once. */
export const InboxBulkBar = (props: Props) => (props.picked.length > 0 ? <Bar {...props} /> : null);

function Bar({ bulk, picked, count, open, search, onAll, onClear }: Props) {
  const { t } = useTexts();
  const [, navigate] = useLocation();
  const [isEnding, setEnding] = useState(false);
  const { actions: colleagues, retry } = useAssignees("");
  const run = (act: Act) => void bulk.run(picked, act).then((failures) => failures.length === 0 && onClear());
  const acts: readonly MenuAction[] = [
    { id: "read", icon: "check", name: t("inbox.markRead") },
    { id: "unread", icon: "mail", name: t("inbox.markUnread") },
    { id: "end", icon: "x", name: t("inbox.end") },
  ];
  const act = (id: string) => {
    if (id === "end") return setEnding(true);
    if (id === "unread" && picked.some(({ conversationId }) => conversationId === open)) navigate(`/inbox${search}`); // else it is read again
    run(id === "read" ? markRead : markUnread);
  };
  const assign = (id: string) => (id === again ? retry() : run(assignTo(id === nobody ? "" : id)));
  const chosen = t("inbox.chosen", { count: picked.length });
  return (
    <div className={styles.bulk} role="region" aria-label={chosen}>
      <p role="status">{bulk.isPending ? t("tickets.changing") : chosen}</p>
      {picked.length < count && (
        <Button kind="quiet" onPress={onAll}>
          {t("sources.chooseAll", { count })}
        </Button>
      )}
      <Button kind="quiet" onPress={onClear}>
        {t("tickets.chooseNone")}
      </Button>
      <Button icon="user" onPress={() => run(takeOver)}>
        {t("inbox.takeOver")}
      </Button>
      <MenuButton
        icon="users"
        label={t("inbox.assign")}
        actions={[{ id: nobody, icon: "x", name: t("tickets.nobody") }, ...colleagues]}
        onAction={assign}
      />
      <MenuButton icon="ellipsis" label={t("inbox.more")} actions={acts} onAction={act} />
      <Dialog role="alertdialog" title={t("inbox.endSeveral", { count: picked.length })} isOpen={isEnding} onClose={() => setEnding(false)}>
        <p>{t("inbox.endSeveralText")}</p>
        <Actions>
          <Button onPress={() => setEnding(false)}>{t("dialog.cancel")}</Button>
          <Button
            kind="primary"
            autoFocus
            onPress={() => {
              setEnding(false);
              run(end);
            }}
          >
            {t("inbox.end")}
          </Button>
        </Actions>
      </Dialog>
    </div>
  );
}
