// The messengers that programs of the company connect to the agent.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { addChannel, changeChannel, removeChannel, sources, useChannels, type Channel, type CreatedChannel, type Source } from "../../api/channels";
import { useMay } from "../../api/session";
import { rotateSecret, tryWebhook } from "../../api/webhooks";
import { Button, ButtonLink } from "../../components/button";
import { Choice } from "../../components/choice";
import { Code } from "../../components/code";
import { Actions, Dialog } from "../../components/dialog";
import { Facts } from "../../components/facts";
import { Field } from "../../components/field";
import { MenuButton } from "../../components/menu-button";
import { Section } from "../../components/page";
import { Failed, Loading } from "../../components/states";
import { formatDate, useTexts } from "../../i18n";
import { Ask } from "../workspace/ask";
import styles from "../workspace/workspace.module.css";

type Act = "change" | "secret" | "remove";

export function Channels({ id, origin }: { id: string; origin: string }) {
  const { t } = useTexts();
  const mayRead = useMay("webhooks:read");
  const mayWrite = useMay("webhooks:write");
  const channels = useChannels(id, mayRead);
  const [isAdding, setAdding] = useState(false);
  const [asked, setAsked] = useState<{ act: Act; channel: Channel } | null>(null);
  if (!mayRead) return null;
  const of = (act: Act) => (asked?.act === act ? asked.channel : null);
  const close = () => setAsked(null);
  return (
    <Section title={t("channels.title")}>
      <p>{t("channels.text")}</p>
      {channels.isPending && <Loading rows={1} />}
      {channels.isError && !channels.data && <Failed error={channels.error} onRetry={() => void channels.refetch()} />}
      {channels.data && channels.data.length > 0 && (
        <ul className={styles.group} aria-label={t("channels.title")}>
          {channels.data.map((channel) => (
            <Row key={channel.channelId} channel={channel} origin={origin} onAsk={(act) => setAsked({ act, channel })} />
          ))}
        </ul>
      )}
      {mayWrite && (
        <div className={styles.buttons}>
          <Button icon="plus" onPress={() => setAdding(true)}>
            {t("channels.add")}
          </Button>
        </div>
      )}
      <NewDialog agentId={id} origin={origin} isOpen={isAdding} onClose={() => setAdding(false)} />
      <ChangeDialog channel={of("change")} onClose={close} />
      <SecretDialog channel={of("secret")} onClose={close} />
      <RemoveDialog channel={of("remove")} onClose={close} />
    </Section>
  );
}

interface RowProps {
  channel: Channel;
  origin: string;
  onAsk: (act: Act) => void;
}

function Row({ channel, origin, onAsk }: RowProps) {
  const { t, locale } = useTexts();
  const mayWrite = useMay("webhooks:write");
  const { channelId, name, source, endpoint, path, createdAt, disabledAt } = channel;
  return (
    <li className={`${styles.row} ${styles.stacked}`}>
      <div className={styles.facts}>
        <div className={styles.head}>
          <h3 className={styles.name}>
            <bdi>{name}</bdi>
          </h3>
          {disabledAt && <span className={styles.warning}>{t("channels.off")}</span>}
          <span className={styles.badge}>{sourceName(source, t)}</span>
        </div>
        <p className={`${styles.detail} ${styles.code}`} dir="ltr">
          {origin + path}
        </p>
        <p className={styles.detail}>
          <Facts>
            <bdi dir="ltr">{endpoint}</bdi>
            {t("webhooks.added", { when: formatDate(createdAt, locale) })}
          </Facts>
        </p>
      </div>
      <div className={styles.buttons}>
        <ButtonLink href={`/workspace/webhooks/${channelId}`} aria-label={t("webhooks.deliveriesNamed", { name })}>
          {t("webhooks.deliveries")}
        </ButtonLink>
        {mayWrite && <Menu channel={channel} onAsk={onAsk} />}
      </div>
    </li>
  );
}

/** Messengers are called as they call themselves. */
const sourceName = (source: string, t: ReturnType<typeof useTexts>["t"]) => (source === "Unspecified" ? t("channels.another") : source);

function Menu({ channel: { channelId, name, disabledAt }, onAsk }: Pick<RowProps, "channel" | "onAsk">) {
  const { t } = useTexts();
  const client = useQueryClient();
  const [error, setError] = useState<unknown>(null);
  const actions = [
    { id: "change", icon: "pencil", name: t("channels.change") },
    { id: "test", icon: "arrow-up", name: t("webhooks.test") },
    { id: "switch", icon: disabledAt ? "check" : "x", name: t(disabledAt ? "webhooks.switchOn" : "webhooks.switchOff") },
    { id: "secret", icon: "key-round", name: t("webhooks.rotate") },
    { id: "remove", icon: "trash", name: t("webhooks.remove") },
  ] as const;
  const run = (act: string) => {
    setError(null);
    if (act === "test") void tryWebhook(channelId).catch(setError);
    else if (act === "switch") {
      void changeChannel(channelId, { enabled: Boolean(disabledAt) })
        .then(() => client.invalidateQueries({ queryKey: ["channels"] }))
        .catch(setError);
    } else onAsk(act as Act);
  };
  return (
    <>
      <MenuButton isIcon icon="ellipsis" label={t("webhooks.more", { name })} actions={actions} onAction={run} />
      {error !== null && <Failed error={error} />}
    </>
  );
}

interface NewProps {
  agentId: string;
  origin: string;
  isOpen: boolean;
  onClose: () => void;
}

/** Adds a channel, and shows its secret, this once. */
function NewDialog({ agentId, origin, isOpen, onClose }: NewProps) {
  const { t } = useTexts();
  const [created, setCreated] = useState<CreatedChannel | null>(null);
  const close = () => {
    setCreated(null);
    onClose();
  };
  return (
    <Dialog title={t("channels.add")} isOpen={isOpen} onClose={close} isDismissable={!created}>
      {created ? (
        <>
          <Code label={t("channels.address")} text={origin + created.path} />
          <Secret secret={created.secret} onClose={close} />
        </>
      ) : (
        <NewForm agentId={agentId} onDone={setCreated} onClose={close} />
      )}
    </Dialog>
  );
}

function Secret({ secret, onClose }: { secret: string; onClose: () => void }) {
  const { t } = useTexts();
  return (
    <>
      <p role="status">{t("channels.once")}</p>
      <Code label={t("webhooks.secret")} text={secret} />
      <Actions>
        <Button kind="primary" onPress={onClose} autoFocus>
          {t("dialog.done")}
        </Button>
      </Actions>
    </>
  );
}

function NewForm({ agentId, onDone, onClose }: { agentId: string; onDone: (created: CreatedChannel) => void; onClose: () => void }) {
  const { t } = useTexts();
  const client = useQueryClient();
  const [source, setSource] = useState<Source>("Slack");
  const add = async ({ name = "", endpoint = "" }: Record<string, string>) => {
    onDone(await addChannel({ agentId, name, source, endpoint }));
    await client.invalidateQueries({ queryKey: ["channels"] });
  };
  const options = sources.map((one) => ({ id: one, name: sourceName(one, t) }));
  return (
    <Ask submit={t("webhooks.addIt")} onSubmit={add} onClose={onClose}>
      <Field name="name" label={t("channels.name")} maxLength={100} autoComplete="off" isRequired autoFocus />
      <Choice<Source> label={t("channels.source")} value={source} options={options} onChange={setSource} />
      <Field name="endpoint" type="url" label={t("channels.endpoint")} hint={t("webhooks.endpointHint")} autoComplete="off" isRequired />
    </Ask>
  );
}

interface Props {
  /** The dialog is open if there is one. */
  channel: Channel | null;
  onClose: () => void;
}

function ChangeDialog({ channel, onClose }: Props) {
  const { t } = useTexts();
  return (
    <Dialog title={t("channels.change")} isOpen={channel !== null} onClose={onClose}>
      {channel && <ChangeForm channel={channel} onClose={onClose} />}
    </Dialog>
  );
}

function ChangeForm({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const { t } = useTexts();
  const client = useQueryClient();
  const [name, setName] = useState(channel.name);
  const [endpoint, setEndpoint] = useState(channel.endpoint);
  const change = async () => {
    await changeChannel(channel.channelId, { name, endpoint });
    onClose();
    await client.invalidateQueries({ queryKey: ["channels"] });
  };
  return (
    <Ask submit={t("webhooks.save")} onSubmit={change} onClose={onClose}>
      <Field name="name" label={t("channels.name")} maxLength={100} value={name} onChange={setName} isRequired autoFocus />
      <Field name="endpoint" type="url" label={t("channels.endpoint")} hint={t("webhooks.endpointHint")} value={endpoint} onChange={setEndpoint} isRequired />
    </Ask>
  );
}

/** Asks before a channel gets another secret, and shows it, this once. */
function SecretDialog({ channel, onClose }: Props) {
  const { t } = useTexts();
  const [secret, setSecret] = useState("");
  const close = () => {
    setSecret("");
    onClose();
  };
  const rotate = async (id: string) => setSecret((await rotateSecret(id)).secret);
  return (
    <Dialog title={t("webhooks.rotate")} isOpen={channel !== null} onClose={close} isDismissable={!secret}>
      {channel && secret && <Secret secret={secret} onClose={close} />}
      {channel && !secret && (
        <Ask submit={t("webhooks.rotate")} isDangerous onSubmit={() => rotate(channel.channelId)} onClose={close}>
          <p>{t("channels.rotateText")}</p>
        </Ask>
      )}
    </Dialog>
  );
}

/** Asks before a channel goes. */
function RemoveDialog({ channel, onClose }: Props) {
  const { t } = useTexts();
  const client = useQueryClient();
  const remove = async (id: string) => {
    await removeChannel(id);
    onClose();
    await client.invalidateQueries({ queryKey: ["channels"] });
  };
  return (
    <Dialog role="alertdialog" title={t("channels.removeTitle", { name: channel?.name ?? "" })} isOpen={channel !== null} onClose={onClose}>
      {channel && (
        <Ask submit={t("webhooks.remove")} isDangerous onSubmit={() => remove(channel.channelId)} onClose={onClose}>
          <p>{t("channels.removeText")}</p>
        </Ask>
      )}
    </Dialog>
  );
}
