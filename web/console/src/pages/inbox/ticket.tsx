import { Suspense, useState } from "react";
import { useMay } from "../../api/session";
import { Button } from "../../components/button";
import { Dialog } from "../../components/dialog";
import { lazyPage } from "../../components/lazy-page";
import { Loading } from "../../components/states";
import { useTexts } from "../../i18n";
import { useKeys } from "../../shell/keys";
import { useScreenActions } from "../../shell/screen-actions";

const TicketForm = lazyPage(() => import("./ticket-form"));

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
        <Suspense fallback={<Loading rows={4} />}>
          <TicketForm agentId={agentId} number={number} />
        </Suspense>
      </Dialog>
    </div>
  );
}
