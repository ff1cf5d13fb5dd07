import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { CheckboxGroup, Label } from "react-aria-components";
import { useAllAgents } from "../../api/agents";
import { addWebhook, changeWebhook, events, removeWebhook, rotateSecret, submissions, type Webhook } from "../../api/webhooks";
import { Button } from "../../components/button";
import { Check } from "../../components/check";
import { Choice } from "../../components/choice";
import { Code } from "../../components/code";
import { Actions, Dialog } from "../../components/dialog";
import { FaultRow, useFault } from "../../components/fault";
import { Field } from "../../components/field";
import { useTexts } from "../../i18n";
import { Ask } from "../workspace/ask";
import field from "../../components/field.module.css";
import styles from "../workspace/workspace.module.css";

/** Adds a webhook, and shows its secret, this once. */
export function NewWebhookDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useTexts();
  const [secret, setSecret] = useState("");
  const close = () => {
    setSecret("");
    onClose();
  };
  return (
    <Dialog title={t(secret ? "webhooks.created" : "webhooks.add")} isOpen={isOpen} onClose={close} isDismissable={!secret}>
      {secret ? <Created secret={secret} onClose={close} /> : <NewWebhookForm onDone={setSecret} onClose={close} />}
    </Dialog>
  );
}

function Created({ secret, onClose }: { secret: string; onClose: () => void }) {
  const { t } = useTexts();
  return (
    <>
      <p role="status">{t("webhooks.once")}</p>
      <Code label={t("webhooks.secret")} text={secret} />
      <Actions>
        <Button kind="primary" onPress={onClose} autoFocus>
          {t("dialog.done")}
        </Button>
      </Actions>
    </>
  );
}

const all = "all"; // an option may not be empty

function NewWebhookForm({ onDone, onClose }: { onDone: (secret: string) => void; onClose: () => void }) {
  const { t } = useTexts();
  const client = useQueryClient();
  const agents = useAllAgents(true);
  const [agent, setAgent] = useState(all);
  const [chosen, setChosen] = useState<string[]>([...submissions]);
  const add = async ({ endpoint = "" }: Record<string, string>) => {
    const { secret } = await addWebhook({ endpoint, events: chosen, ...(agent !== all && { agentId: agent }) });
    onDone(secret);
    await client.invalidateQueries({ queryKey: ["webhooks"] });
  };
  const options = [{ id: all, name: t("usage.allAgents") }, ...(agents.data ?? []).map(({ id, name }) => ({ id, name }))];
  return (
    <Ask submit={t("webhooks.addIt")} onSubmit={add} onClose={onClose}>
      <Field name="endpoint" type="url" label={t("webhooks.endpoint")} hint={t("webhooks.endpointHint")} autoComplete="off" isRequired autoFocus />
      <Events chosen={chosen} onChange={setChosen} />
      <Choice label={t("webhooks.agent")} value={agent} options={options} onChange={setAgent} />
    </Ask>
  );
}

function Events({ chosen, onChange }: { chosen: string[]; onChange: (events: string[]) => void }) {
  const { t } = useTexts();
  const fault = useFault("events");
  return (
    <CheckboxGroup className={field.field!} value={chosen} onChange={onChange}>
      <Label className={field.label!}>{t("webhooks.events")}</Label>
      {events.map((event) => (
        <Check key={event} value={event}>
          <span>
            {t(`webhooks.event.${event}`)}{" "}
            <span className={styles.code} dir="ltr">
              {event}
            </span>
          </span>
        </Check>
      ))}
      <FaultRow id="events-fault" fault={fault} />
    </CheckboxGroup>
  );
}

interface Props {
  /** The dialog is open if there is one. */
  webhook: Webhook | null;
  onClose: () => void;
}

/** Changes the address and the events of a webhook. */
export function ChangeDialog({ webhook, onClose }: Props) {
  const { t } = useTexts();
  return (
    <Dialog title={t("webhooks.changeTitle")} isOpen={webhook !== null} onClose={onClose}>
      {webhook && <ChangeForm webhook={webhook} onClose={onClose} />}
    </Dialog>
  );
}

function ChangeForm({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { t } = useTexts();
  const client = useQueryClient();
  const [endpoint, setEndpoint] = useState(webhook.endpoint);
  const [chosen, setChosen] = useState<string[]>(webhook.events);
  const change = async () => {
    await changeWebhook(webhook.webhookId, { endpoint, events: chosen });
    onClose();
    await client.invalidateQueries({ queryKey: ["webhooks"] });
  };
  return (
    <Ask submit={t("webhooks.save")} onSubmit={change} onClose={onClose}>
      <Field name="endpoint" type="url" label={t("webhooks.endpoint")} hint={t("webhooks.endpointHint")} value={endpoint} onChange={setEndpoint} isRequired autoFocus />
      <Events chosen={chosen} onChange={setChosen} />
    </Ask>
  );
}

/** Asks before a webhook gets another secret, and shows it, this once. */
export function SecretDialog({ webhook, onClose }: Props) {
  const { t } = useTexts();
  const client = useQueryClient();
  const [secret, setSecret] = useState("");
  const close = () => {
    setSecret("");
    onClose();
  };
  const rotate = async (id: string) => {
    setSecret((await rotateSecret(id)).secret);
    await client.invalidateQueries({ queryKey: ["webhooks"] });
  };
  return (
    <Dialog title={t("webhooks.rotate")} isOpen={webhook !== null} onClose={close} isDismissable={!secret}>
      {webhook && secret && <Created secret={secret} onClose={close} />}
      {webhook && !secret && (
        <Ask submit={t("webhooks.rotate")} isDangerous onSubmit={() => rotate(webhook.webhookId)} onClose={close}>
          <p className={styles.code} dir="ltr">
            {webhook.endpoint}
          </p>
          <p>{t("webhooks.rotateText")}</p>
        </Ask>
      )}
    </Dialog>
  );
}

/** Asks before a webhook goes. */
export function RemoveDialog({ webhook, onClose }: Props) {
  const { t } = useTexts();
  const client = useQueryClient();
  const remove = async (id: string) => {
    await removeWebhook(id);
    onClose();
    await client.invalidateQueries({ queryKey: ["webhooks"] });
  };
  return (
    <Dialog role="alertdialog" title={t("webhooks.removeTitle")} isOpen={webhook !== null} onClose={onClose}>
      {webhook && (
        <Ask submit={t("webhooks.remove")} isDangerous onSubmit={() => remove(webhook.webhookId)} onClose={onClose}>
          <p className={styles.code} dir="ltr">
            {webhook.endpoint}
          </p>
          <p>{t("webhooks.removeText")}</p>
        </Ask>
      )}
    </Dialog>
  );
}
