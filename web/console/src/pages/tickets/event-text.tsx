import type { TicketEvent } from "../../api/tickets";
import { useTexts } from "../../i18n";
import { showName } from "../../names";
import { priorityKey, type Names } from "./names";

const programs = ["api", "operator", "agent", "customer", "system"] as const;

interface Props {
  event: TicketEvent;
  /** Of the member who did it, if it was one. */
  name: string | undefined;
  names: Names;
}

/** What has happened, in a sentence. */
export function EventText({ event, name, names }: Props) {
  const { t } = useTexts();
  const { eventType, doneBy = "system" } = event;
  const program = programs.find((one) => one === (doneBy === "visitor" ? "customer" : doneBy));
  const member = name ? showName(name, t) : names.person(doneBy);
  const who = program ? t(`tickets.by.${program}`) : member;
  switch (eventType) {
    case "status_change":
      return t("tickets.event.status", { who, from: names.status(event.statusFrom ?? ""), to: names.status(event.statusTo ?? "") });
    case "assign":
      return t("tickets.event.assign", { who, to: names.person(event.assignedTo) });
    case "team_change":
      return t("tickets.event.team", { who, to: names.team(event.to) });
    case "priority_change":
      return t("tickets.event.priority", { who, to: t(priorityKey(event.to ?? "none")) });
    case "created":
      return t("tickets.event.created", { who });
    case "escalated":
      return t("tickets.event.escalated", { who });
    case "handed_back":
      return t("tickets.event.handedBack", { who });
    case "ended":
      return t("tickets.event.ended", { who });
    default:
      return t("tickets.event.other", { who, what: eventType });
  }
}
