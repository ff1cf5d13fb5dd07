import { useTicket } from "../../api/tickets";
import { Failed, Loading } from "../../components/states";
import { useNames } from "../tickets/names";
import { Properties } from "../tickets/properties";

interface Props {
  agentId: string;
  number: number;
}

/** What can be changed of the ticket of a conversation. */
export default function TicketForm({ agentId, number }: Props) {
  const ticket = useTicket(agentId, number);
  const names = useNames(agentId);
  if (ticket.data) return <Properties id={agentId} ticket={ticket.data} names={names} mayWrite />;
  return ticket.isError ? <Failed error={ticket.error} onRetry={() => void ticket.refetch()} /> : <Loading rows={4} />;
}
