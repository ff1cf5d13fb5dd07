import type { InboxRow } from "../../api/inbox";
import { PartState, type PartKind } from "../../components/status";
import { formatDate, useTexts } from "../../i18n";
import { showName } from "../../names";

type Known = Pick<InboxRow, "status" | "paused" | "claimedBy" | "lastMessage" | "snoozedUntil">;

/** What a conversation waits for: a colour, an icon and a word. */
export function ConversationState({ row, isAnswering = false }: { row: Known; isAnswering?: boolean }) {
  const { t, locale } = useTexts();
  const aside = row.snoozedUntil ? t("inbox.snoozedUntil", { time: formatDate(row.snoozedUntil, locale) }) : "";
  const [kind, word] = aside ? (["none", aside] as const) : stateOf(row, isAnswering, t);
  return <PartState kind={kind} word={word} />;
}

/** Reports whether somebody has the conversation, and the customer has written since. */
export const isUnanswered = ({ status, claimedBy, lastMessage }: Known): boolean =>
  status === "taken_over" && claimedBy !== null && lastMessage?.author === "user";

function stateOf({ status, paused, claimedBy, lastMessage }: Known, isAnswering: boolean, t: ReturnType<typeof useTexts>["t"]): [PartKind, string] {
  if (status === "ended") return ["none", t("inbox.state.ended")];
  if (status === "taken_over" && claimedBy) return ["good", t("inbox.state.with", { name: showName(claimedBy.name, t) })];
  if (status === "taken_over") return ["bad", t("inbox.state.waiting")];
  if (paused) return ["none", t("inbox.state.paused")];
  if (isAnswering) return ["none", t("inbox.state.answering")];
  return lastMessage?.author === "assistant" ? ["good", t("inbox.state.answered")] : ["none", t("inbox.state.open")];
}
