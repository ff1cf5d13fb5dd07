import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { createPortal } from "react-dom";
import {
  assignConversation, claimConversation, claimedCode, leaveEarlier, moveConversation, refreshLists, snoozeConversation, type WholeThread,
} from "../../api/inbox";
import { APIError, hooks } from "../../api/client";
import { usePresence } from "../../api/presence";
import { useInboxMembers } from "../../api/saved";
import { useRequestKey } from "../../api/request-key";
import { useMay } from "../../api/session";
import { Button } from "../../components/button";
import { Actions, Dialog } from "../../components/dialog";
import { Failed } from "../../components/states";
import { useTexts } from "../../i18n";
import { showName } from "../../names";
import { useKeys } from "../../shell/keys";
import { useScreenActions } from "../../shell/screen-actions";
import { AssignMenu } from "./assign";
import { Composer } from "./composer";
import { SnoozeMenu, SnoozeNote } from "./snooze";
import styles from "./inbox.module.css";

interface Props {
  thread: WholeThread;
  /** Where the steps of the conversation are shown, above what was said: what is written has the space below. */
  head: HTMLElement | null;
  onSent: () => void;
}

/** Who has the conversation, and what the person can do in it. */
export function Hand({ thread, head, onSent }: Props) {
  const mayWrite = useMay("conversations:write");
  const [isTyping, setTyping] = useState(false);
  const others = usePresence("conversation", thread.conversationId, isTyping ? "typing" : "looking");
  return (
    <div className={styles.hand}>
      <Others others={others} />
      {mayWrite && <Steps thread={thread} head={head} onSent={onSent} onTyping={setTyping} />}
    </div>
  );
}

/** Who else is here. The customer is somebody without an id. */
function Others({ others }: { others: ReturnType<typeof usePresence> }) {
  const { t, locale } = useTexts();
  const colleagues = [...others].filter(([id]) => id !== "");
  const members = useInboxMembers(colleagues.length > 0).data ?? [];
  const nameOf = (id: string) => showName(members.find(({ userId }) => userId === id)?.name ?? t("inbox.colleague"), t);
  const list = new Intl.ListFormat(locale, { type: "conjunction" });
  const say = (wanted: string, key: "inbox.othersType" | "inbox.othersLook") => {
    const names = colleagues.filter(([, state]) => state === wanted).map(([id]) => nameOf(id));
    return names.length > 0 && <span>{t(key, { count: names.length, names: list.format(names) })}</span>;
  };
  return (
    <p role="status" className={styles.others}>
      {others.get("") === "typing" && <span>{t("inbox.customerTypes")}</span>}
      {say("typing", "inbox.othersType")}
      {say("looking", "inbox.othersLook")}
    </p>
  );
}

type Step = "claim" | "take" | "assign" | "snooze" | "handback" | "end";

function Steps({ thread, head, onSent, onTyping }: Props & { onTyping: (isTyping: boolean) => void }) {
  const { t } = useTexts();
  const client = useQueryClient();
  const [pending, setPending] = useState<Step | "">("");
  const [error, setError] = useState<unknown>(null);
  const [isEnding, setEnding] = useState(false);
  const [isSending, setSending] = useState(false);
  const { conversationId: id, status, claimedBy } = thread;
  const isTaken = status === "taken_over" && claimedBy !== null;
  const isMine = isTaken && claimedBy.userId === hooks.person?.id;
  const wasMine = useRef(isMine);
  if (isMine) wasMine.current = true;
  const given = useRef(""); // the member to whom the person has given it
  const read = () => Promise.all([client.invalidateQueries({ queryKey: ["conversation", id] }), refreshLists(client)]);
  const readNewest = async () => {
    leaveEarlier(client, id);
    await read();
    onSent();
  };
  const run = async (step: Step, send: () => Promise<unknown>) => {
    if (pending) return;
    setPending(step);
    setError(null);
    try {
      await send();
    } catch (thrown) {
      setError(thrown);
    }
    await read().catch(() => {}); // the thread says itself that it could not be read
    setPending("");
  };
  const key = useRequestKey();
  const claimFrom = async (former?: string) => {
    try {
      await claimConversation(id, key.of({ id, former }), former);
    } catch (thrown) {
      if (!(thrown instanceof APIError) || thrown.status > 0) key.forget(); // it was refused, and not lost
      throw thrown;
    }
    key.forget();
  };
  const claim = () => void run("claim", () => claimFrom());
  const take = () => void run("take", () => claimFrom(claimedBy?.userId));
  const assign = (member: string) => {
    given.current = member;
    void run("assign", () => assignConversation(id, member, claimedBy?.userId ?? ""));
  };
  const snooze = (until: string | null) => void run("snooze", () => snoozeConversation(id, until));
  const handBack = () => {
    wasMine.current = false;
    void run("handback", () => moveConversation(id, "handback"));
  };
  const end = () => {
    wasMine.current = false;
    setEnding(false);
    void run("end", () => moveConversation(id, "end"));
  };
  const mayClaim = status !== "ended" && !isMine;
  useKeys({ ...(mayClaim && !claimedBy && { t: claim }), ...(isMine && { e: () => setEnding(true) }) });
  useScreenActions([
    ...(mayClaim ? [{ id: "inbox claim", icon: "user" as const, name: t("inbox.takeOver"), keys: "t", run: claimedBy ? take : claim }] : []),
    ...(isMine ? [{ id: "inbox hand back", icon: "bot" as const, name: t("inbox.handBack"), run: handBack }] : []),
    ...(isMine ? [{ id: "inbox end", icon: "check" as const, name: t("inbox.end"), keys: "e", run: () => setEnding(true) }] : []),
  ]);
  const isLost = error instanceof APIError && error.code === claimedCode && isTaken && !isMine;
  const name = claimedBy ? showName(claimedBy.name, t) : "";
  return (
    <>
      {isLost && (
        <p role="alert" className={styles.lost}>
          {t("inbox.lost", { name })}
        </p>
      )}
      {!isLost && wasMine.current && isTaken && !isMine && claimedBy.userId !== given.current && (
        <p role="alert" className={styles.lost}>
          {t("inbox.taken", { name })}
        </p>
      )}
      {error !== null && !(error instanceof APIError && error.code === claimedCode) && <Failed error={error} />}
      {status === "ended" && <p className={styles.detail}>{t("inbox.hasEnded")}</p>}
      {thread.snoozedUntil && <SnoozeNote until={thread.snoozedUntil} isPending={pending === "snooze"} onWake={() => snooze(null)} />}
      {mayClaim && (
        <div className={styles.claim}>
          <p>{claimedBy ? t("inbox.othersHave", { name }) : t(status === "taken_over" ? "inbox.nobodyHas" : "inbox.agentHas")}</p>
          {claimedBy ? (
            <Button isPending={pending === "take"} onPress={take}>
              {t("inbox.takeFrom", { name })}
            </Button>
          ) : (
            <Button kind="primary" icon="user" isPending={pending === "claim"} onPress={claim}>
              {t("inbox.takeOver")}
            </Button>
          )}
        </div>
      )}
      {(isMine || isSending) && (
        <Composer
          key={id}
          thread={thread}
          onSent={readNewest}
          onStep={(step) => (step === "end" ? end() : handBack())}
          onTyping={onTyping}
          onSending={setSending}
        />
      )}
      {status !== "ended" &&
        head &&
        createPortal(
          <>
            {isMine && (
              <>
                <Button icon="bot" isPending={pending === "handback"} onPress={handBack}>
                  {t("inbox.handBack")}
                </Button>
                <Button icon="check" isPending={pending === "end"} onPress={() => setEnding(true)}>
                  {t("inbox.end")}
                </Button>
              </>
            )}
            <AssignMenu former={claimedBy?.userId ?? ""} onAssign={assign} />
            {status === "taken_over" && <SnoozeMenu onSnooze={snooze} />}
          </>,
          head,
        )}
      <Dialog role="alertdialog" title={t("inbox.endTitle")} isOpen={isEnding} onClose={() => setEnding(false)}>
        <p>{t("inbox.endText")}</p>
        <Actions>
          <Button onPress={() => setEnding(false)}>{t("dialog.cancel")}</Button>
          <Button kind="primary" autoFocus onPress={end}>
            {t("inbox.end")}
          </Button>
        </Actions>
      </Dialog>
    </>
  );
}
