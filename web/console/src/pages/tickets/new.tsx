import { useLocation } from "wouter";
import { openTicket, useTicketsChange } from "../../api/tickets";
import { Button } from "../../components/button";
import { Actions, Dialog } from "../../components/dialog";
import { Field } from "../../components/field";
import { Form } from "../../components/form";
import { TextArea } from "../../components/text-area";
import { useTexts } from "../../i18n";

interface Props {
  agentId: string;
  isOpen: boolean;
  onClose: () => void;
}

/** Opens a ticket for a customer, and shows it. */
export function NewTicketDialog({ agentId, isOpen, onClose }: Props) {
  const { t } = useTexts();
  return (
    <Dialog title={t("tickets.new")} isOpen={isOpen} onClose={onClose}>
      <NewTicketForm agentId={agentId} onClose={onClose} />
    </Dialog>
  );
}

function NewTicketForm({ agentId, onClose }: Omit<Props, "isOpen">) {
  const { t } = useTexts();
  const [, navigate] = useLocation();
  const refresh = useTicketsChange();
  const send = async ({ email = "", name = "", subject = "", description = "" }: Record<string, string>) => {
    const { ticketNumber } = await openTicket(agentId, { email, subject, description, ...(name && { name }) });
    onClose();
    navigate(`/agents/${agentId}/tickets/${ticketNumber}`);
    await refresh();
  };
  return (
    <Form onSubmit={send}>
      {(isPending) => (
        <>
          <Field name="email" type="email" label={t("tickets.customerEmail")} isRequired maxLength={320} autoFocus />
          <Field name="name" label={t("tickets.customerName")} />
          <Field name="subject" label={t("tickets.subject")} isRequired />
          <TextArea name="description" label={t("tickets.description")} hint={t("tickets.descriptionHint")} rows={5} isRequired />
          <Actions>
            <Button onPress={onClose}>{t("dialog.cancel")}</Button>
            <Button kind="primary" type="submit" isPending={isPending}>
              {t("tickets.open")}
            </Button>
          </Actions>
        </>
      )}
    </Form>
  );
}
