import { useState } from "react";
import { useMay } from "../../api/session";
import { useTicket } from "../../api/tickets";
import { Button } from "../../components/button";
import { Dialog } from "../../components/dialog";
import { Failed, Loading } from "../../components/states";
import { useTexts } from "../../i18n";
import { useKeys } from "../../shell/keys";
import { useScreenActions } from "../../shell/screen-actions";
import { useNames } from "../tickets/labels";
import { Properties } from "../tickets/properties";

interface Props {
  agentId: string;
  number: number;
}

/** Changes who has the ticket of the conversation, its status, team and priority. It is read when somebody wants to. */
export function TicketButton({ agentId, number }: Props) {
  const { t } = useTexts();
  const mayWrite = useMay("tickets:write");
  const [isOpen, setOpen] = useState(false);
  const open = () => setOpen(true);
  useKeys(mayWrite ? { a: open } : {});
  useScreenActions(mayWrite ? [{ id: "inbox ticket", icon: "pencil", name: t("inbox.changeTicket"), keys: "a", run: open }] : []);
  if (!mayWrite) return null;
  return (
    <div>
      <Button icon="pencil" onPress={open}>
        {t("inbox.changeTicket")}
      </Button>
      <Dialog title={`${t("inbox.ticket")} #${number}`} isOpen={isOpen} onClose={() => setOpen(false)}>
        <TicketForm agentId={agentId} number={number} />
      </Dialog>
    </div>
  );
}

function TicketForm({ agentId, number }: Props) {
  const ticket = useTicket(agentId, number);
  const names = useNames(agentId);
  if (ticket.data) return <Properties id={agentId} ticket={ticket.data} names={names} mayWrite />;
  return ticket.isError ? <Failed error={ticket.error} onRetry={() => void ticket.refetch()} /> : <Loading rows={4} />;
}
