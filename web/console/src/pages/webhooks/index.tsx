import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { useAllAgents } from "../../api/agents";
import { useMay } from "../../api/session";
import { changeWebhook, tryWebhook, useWebhooks, type Webhook } from "../../api/webhooks";
import { Button, ButtonLink } from "../../components/button";
import { Facts } from "../../components/facts";
import { MenuButton } from "../../components/menu-button";
import { Page } from "../../components/page";
import { RoleNote } from "../../components/role-note";
import { Empty, Failed, Loading } from "../../components/states";
import { formatDate, useTexts } from "../../i18n";
import { useScreenActions } from "../../shell/screen-actions";
import { ChangeDialog, NewWebhookDialog, RemoveDialog, SecretDialog } from "./dialogs";
import { Sparkline } from "../agents/sparkline";
import styles from "../workspace/workspace.module.css";

/** The addresses to which the events of the company are sent. */
export default function WebhooksPage() {
  const { t } = useTexts();
  const mayRead = useMay("webhooks:read");
  const mayWrite = useMay("webhooks:write");
  const webhooks = useWebhooks(mayRead);
  const [isAdding, setAdding] = useState(false);
  const [asked, setAsked] = useState<{ act: Act; webhook: Webhook } | null>(null);
  const of = (act: Act) => (asked?.act === act ? asked.webhook : null);
  const close = () => setAsked(null);
  const open = () => setAdding(true);
  useScreenActions(mayWrite ? [{ id: "new webhook", icon: "plus", name: t("webhooks.add"), run: open }] : []);
  const add = mayWrite && (
    <Button kind="primary" icon="plus" onPress={open}>
      {t("webhooks.add")}
    </Button>
  );
  const isEmpty = webhooks.data?.length === 0;
  return (
    <Page title={t("webhooks.title")} actions={!isEmpty && add}>
      <RoleNote needs="webhooks:read" note="role.webhooks" />
      {mayRead && webhooks.isPending && <Loading rows={3} />}
      {webhooks.isError && !webhooks.data && <Failed error={webhooks.error} onRetry={() => void webhooks.refetch()} />}
      {isEmpty && (
        <Empty icon="webhook" title={t("webhooks.none")} text={t("webhooks.noneText")}>
          {add}
        </Empty>
      )}
      {webhooks.data && !isEmpty && (
        <div className={styles.group}>
          <ul aria-label={t("webhooks.title")}>
            {webhooks.data.map((webhook) => (
              <Row key={webhook.webhookId} webhook={webhook} onAsk={(act) => setAsked({ act, webhook })} />
            ))}
          </ul>
        </div>
      )}
      <NewWebhookDialog isOpen={isAdding} onClose={() => setAdding(false)} />
      <ChangeDialog webhook={of("change")} onClose={close} />
      <SecretDialog webhook={of("secret")} onClose={close} />
      <RemoveDialog webhook={of("remove")} onClose={close} />
    </Page>
  );
}

/** What a dialog asks about. */
type Act = "change" | "secret" | "remove";

function Row({ webhook, onAsk }: { webhook: Webhook; onAsk: (act: Act) => void }) {
  const { t, locale } = useTexts();
  const mayWrite = useMay("webhooks:write");
  const { webhookId, agentId = "", endpoint, events, keyId, createdAt, disabledAt } = webhook;
  const agents = useAllAgents(agentId !== "");
  const agent = agents.data?.find(({ id }) => id === agentId)?.name ?? agentId;
  return (
    <li className={`${styles.row} ${styles.stacked}`}>
      <div className={styles.facts}>
        <div className={styles.head}>
          <h2 className={styles.name} dir="ltr">
            {endpoint}
          </h2>
          {disabledAt && <span className={styles.warning}>{t("webhooks.off")}</span>}
          {events.map((event) => (
            <span key={event} className={`${styles.badge} ${styles.code}`} dir="ltr">
              {event}
            </span>
          ))}
        </div>
        <p className={styles.detail}>
          <Facts>
            {agentId ? <bdi>{agent}</bdi> : t("usage.allAgents")}
            {t("webhooks.added", { when: formatDate(createdAt, locale) })}
            {keyId && t("webhooks.byKey")}
          </Facts>
        </p>
        <LastDay day={webhook.lastDay} />
      </div>
      <div className={styles.buttons}>
        <ButtonLink href={`/workspace/webhooks/${webhookId}`} aria-label={t("webhooks.deliveriesNamed", { name: endpoint })}>
          {t("webhooks.deliveries")}
        </ButtonLink>
        {mayWrite && <Actions webhook={webhook} onAsk={onAsk} />}
      </div>
    </li>
  );
}

/** How many deliveries there were in the last 24 hours, by hour. */
function LastDay({ day }: { day: Webhook["lastDay"] | undefined }) {
  const { t } = useTexts();
  if (!day || day.deliveries === 0) return <p className={styles.detail}>{t("delivery.noneOfDay")}</p>;
  return (
    <p className={styles.head}>
      <span className={styles.detail}>{t("delivery.ofDay", { count: day.deliveries })}</span>
      <Sparkline values={day.hours} />
      {day.failed > 0 && <span className={styles.warning}>{t("delivery.failedOfDay", { count: day.failed })}</span>}
    </p>
  );
}

function Actions({ webhook: { webhookId: id, endpoint, disabledAt }, onAsk }: { webhook: Webhook; onAsk: (act: Act) => void }) {
  const { t } = useTexts();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [error, setError] = useState<unknown>(null);
  const actions = [
    { id: "change", icon: "pencil", name: t("webhooks.change") },
    { id: "test", icon: "arrow-up", name: t("webhooks.test") },
    { id: "switch", icon: disabledAt ? "check" : "x", name: t(disabledAt ? "webhooks.switchOn" : "webhooks.switchOff") },
    { id: "secret", icon: "key-round", name: t("webhooks.rotate") },
    { id: "remove", icon: "trash", name: t("webhooks.remove") },
  ] as const;
  const attempt = async (run: () => Promise<unknown>) => {
    setError(null);
    try {
      await run();
    } catch (thrown) {
      setError(thrown);
    }
  };
  const change = () => changeWebhook(id, { enabled: Boolean(disabledAt) }).then(() => client.invalidateQueries({ queryKey: ["webhooks"] }));
  const test = () => tryWebhook(id).then(() => navigate(`/workspace/webhooks/${id}`));
  const run = (act: string) => {
    if (act === "test") void attempt(test);
    else if (act === "switch") void attempt(change);
    else onAsk(act as Act);
  };
  return (
    <>
      <MenuButton isIcon icon="ellipsis" label={t("webhooks.more", { name: endpoint })} actions={actions} onAction={run} />
      {error !== null && <Failed error={error} />}
    </>
  );
}
