import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useAddressParams } from "../../address-params";
import { useChannels } from "../../api/channels";
import { rowsOf } from "../../api/pages";
import { useMay } from "../../api/session";
import { redeliver, useDeliveries, useSentBody, useWebhooks, type Delivery } from "../../api/webhooks";
import { Button, ButtonLink } from "../../components/button";
import { Code } from "../../components/code";
import { Facts } from "../../components/facts";
import { More } from "../../components/more";
import { Page } from "../../components/page";
import { RoleNote } from "../../components/role-note";
import { DeliveryState } from "../../components/status";
import { Empty, Failed, Loading } from "../../components/states";
import { Tabs } from "../../components/tabs";
import { formatDate, useTexts } from "../../i18n";
import styles from "../workspace/workspace.module.css";

/** What was sent to a webhook or a channel, and what became of it. */
export default function DeliveriesPage({ id }: { id: string }) {
  const { t } = useTexts();
  const mayRead = useMay("webhooks:read");
  const webhooks = useWebhooks(mayRead);
  const webhook = webhooks.data?.find(({ webhookId }) => webhookId === id);
  const channels = useChannels("", mayRead && webhooks.isSuccess && !webhook); // of all agents
  const channel = channels.data?.find(({ channelId }) => channelId === id);
  const found = webhook ?? channel;
  const [query, setQuery] = useAddressParams();
  const back = channel ? (
    <ButtonLink href={`/agents/${channel.agentId}/embed`}>{t("channels.title")}</ButtonLink>
  ) : (
    <ButtonLink href="/workspace/webhooks">{t("webhooks.all")}</ButtonLink>
  );
  return (
    <Page title={t("webhooks.deliveries")} actions={found && back}>
      <RoleNote needs="webhooks:read" note="role.webhooks" />
      {mayRead && (webhooks.isPending || channels.isLoading) && <Loading rows={4} />}
      {webhooks.isError && !webhooks.data && <Failed error={webhooks.error} onRetry={() => void webhooks.refetch()} />}
      {channels.isError && !channels.data && <Failed error={channels.error} onRetry={() => void channels.refetch()} />}
      {channels.data && !found && (
        <Empty icon="webhook" title={t("webhooks.gone")} text={t("webhooks.goneText")}>
          {back}
        </Empty>
      )}
      {found && (
        <>
          <p className={styles.code} dir="ltr">
            {found.endpoint}
          </p>
          <Tabs
            label={t("webhooks.deliveries")}
            chosen={query.get("state") === "failed" ? "failed" : "all"}
            tabs={[
              { id: "all", name: t("webhooks.every"), content: <List id={id} areFailed={false} /> },
              { id: "failed", name: t("webhooks.dead"), content: <List id={id} areFailed /> },
            ]}
            onChange={(chosen) => setQuery(chosen === "failed" ? { state: chosen } : {}, { replace: true })}
          />
        </>
      )}
    </Page>
  );
}

function List({ id, areFailed }: { id: string; areFailed: boolean }) {
  const { t } = useTexts();
  const deliveries = useDeliveries(id, areFailed, true);
  const rows = rowsOf(deliveries.data);
  if (deliveries.isPending) return <Loading rows={4} />;
  if (!rows) return <Failed error={deliveries.error} onRetry={() => void deliveries.refetch()} />;
  if (rows.length === 0) return <p className={styles.detail}>{t(areFailed ? "webhooks.noneFailed" : "webhooks.noneSent")}</p>;
  return (
    <div className={styles.group}>
      <ol aria-label={t("webhooks.deliveries")}>
        {rows.map((delivery) => (
          <Row key={delivery.deliveryId} delivery={delivery} />
        ))}
      </ol>
      <More list={deliveries} />
    </div>
  );
}

const duration = (millis: number, locale: string) =>
  new Intl.NumberFormat(locale, { style: "unit", unit: "second", unitDisplay: "short", maximumSignificantDigits: 2 }).format(millis / 1000);

function Row({ delivery }: { delivery: Delivery }) {
  const { t, locale } = useTexts();
  const { event, state, attempts, nextAt, lastStatus, lastError, lastMillis, createdAt } = delivery;
  const when = formatDate(createdAt, locale);
  return (
    <li className={`${styles.row} ${styles.stacked}`}>
      <div className={styles.facts}>
        <div className={styles.head}>
          <h2 className={styles.name}>
            <time dateTime={createdAt}>{when}</time>
          </h2>
          <DeliveryState state={state} />
          <span className={`${styles.badge} ${styles.code}`} dir="ltr">
            {event}
          </span>
        </div>
        <p className={styles.detail}>
          <Facts>
            {t("webhooks.tries", { count: attempts })}
            {lastStatus && t("webhooks.answered", { status: lastStatus })}
            {Boolean(lastMillis) && duration(lastMillis!, locale)}
            {nextAt && t("webhooks.next", { when: formatDate(nextAt, locale) })}
          </Facts>
        </p>
        {lastError && !lastStatus && (
          <p className={styles.code} dir="auto">
            {lastError}
          </p>
        )}
        <Sent delivery={delivery} when={when} />
      </div>
      <Again delivery={delivery} when={when} />
    </li>
  );
}

/** JSON over several lines; any other text as it is. */
function writeOut(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** What is sent and what the other side answered, for whoever wants to see it. */
function Sent({ delivery: { deliveryId, attempts }, when }: { delivery: Delivery; when: string }) {
  const { t } = useTexts();
  const [isOpen, setOpen] = useState(false);
  const sent = useSentBody(deliveryId, attempts, isOpen);
  const name = t("webhooks.sentNamed", { when });
  return (
    <>
      <div className={styles.flush}>
        <Button kind="quiet" icon="chevron-down" aria-expanded={isOpen} aria-label={name} onPress={() => setOpen(!isOpen)}>
          {t("webhooks.sent")}
        </Button>
      </div>
      {isOpen && sent.isPending && <Loading rows={2} />}
      {isOpen && sent.isError && <Failed error={sent.error} onRetry={() => void sent.refetch()} />}
      {isOpen && sent.data && <Code label={name} text={writeOut(sent.data.body)} />}
      {isOpen && sent.data?.answer && (
        <>
          <h3 className={styles.detail}>{t("delivery.answer")}</h3>
          <Code label={t("delivery.answerNamed", { when })} text={writeOut(sent.data.answer)} />
        </>
      )}
    </>
  );
}

/** Sends a delivery that has come to its end once more. */
function Again({ delivery: { deliveryId, state }, when }: { delivery: Delivery; when: string }) {
  const { t } = useTexts();
  const client = useQueryClient();
  const mayWrite = useMay("webhooks:write");
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  if (!mayWrite || state === "pending") return null;
  const send = async () => {
    setPending(true);
    setError(null);
    try {
      await redeliver(deliveryId);
      await client.invalidateQueries({ queryKey: ["deliveries"] });
    } catch (thrown) {
      setError(thrown);
    } finally {
      setPending(false);
    }
  };
  return (
    <div className={styles.facts}>
      <Button icon="refresh-cw" onPress={() => void send()} isPending={isPending} aria-label={t("webhooks.againNamed", { when })}>
        {t("webhooks.again")}
      </Button>
      {error !== null && <Failed error={error} />}
    </div>
  );
}
