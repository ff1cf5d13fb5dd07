import { Link } from "react-aria-components";
import { useLocation } from "wouter";
import { tryStoredModelServer, type ModelName, type ModelServer } from "../../api/model-servers";
import { Button } from "../../components/button";
import { Facts } from "../../components/facts";
import { Icon } from "../../components/icon";
import { MenuButton } from "../../components/menu-button";
import { Failed } from "../../components/states";
import { ModelServerState } from "../../components/status";
import { formatCost, type CreditPrice } from "../../costs";
import { useTexts } from "../../i18n";
import { Reason, TestResult } from "./reason";
import { useTesting } from "./testing";
import styles from "./models.module.css";

interface Props {
  server: ModelServer;
  names: readonly ModelName[];
  creditPrice: CreditPrice;
  onRemove: (server: ModelServer) => void;
}

/** A server of models: whose it is, for what it answers and at what price, and how it does. */
export function Row({ server, names, creditPrice, onRemove }: Props) {
  const { t } = useTexts();
  const { modelServerId: id = "", setBy, failingSince, lastError = "" } = server;
  const testing = useTesting(() => tryStoredModelServer(id));
  const { outcome } = testing;
  const isAsked = server.modelNames.length > 0; // if not, a line of its own says so
  return (
    <li className={styles.row}>
      <div className={styles.facts}>
        <div className={styles.head}>
          <Name server={server} />
          <ModelServerState server={server} />
        </div>
        <p className={styles.detail}>
          <Facts>
            {Boolean(server.name && server.model) && <bdi>{server.model}</bdi>}
            <span dir="ltr">{server.url}</span>
            {server.kind === "chat" && !setBy && isAsked && t("models.agents", { count: server.agents })}
          </Facts>
        </p>
        <Prices server={server} names={names} creditPrice={creditPrice} />
        {setBy && <Locked by={setBy} />}
        {failingSince && !outcome && <Reason report={lastError} />}
        {testing.error !== null && <Failed error={testing.error} />}
        <TestResult outcome={outcome} />
      </div>
      {!setBy && <Actions server={server} isTesting={testing.isPending} onTest={testing.run} onRemove={() => onRemove(server)} />}
    </li>
  );
}

function Locked({ by }: { by: string }) {
  const { t } = useTexts();
  return (
    <p className={styles.locked}>
      <Icon name="lock" size={16} />
      <span>
        {t("models.locked")} <code dir="ltr">{by}</code>
      </span>
    </p>
  );
}

function Name({ server: { modelServerId, name, model, kind } }: { server: ModelServer }) {
  const { t } = useTexts();
  if (!modelServerId) {
    return (
      <h3 className={styles.name} dir="auto">
        {model || t(`models.kind.${kind}`)}
      </h3>
    );
  }
  return (
    <h3 className={styles.name}>
      <Link href={`/workspace/models/${modelServerId}`} dir="auto">
        {name}
      </Link>
    </h3>
  );
}

const mostShown = 6; // model names of a row

function Prices({ server, names, creditPrice }: Pick<Props, "server" | "names" | "creditPrice">) {
  const { t, locale } = useTexts();
  const price = (credits: number) => <Facts>{[t("playground.credits", { count: credits }), formatCost(credits, creditPrice, locale)]}</Facts>;
  const all = server.modelNames;
  if (server.kind !== "chat") return null;
  if (all.length === 0) return <p className={styles.detail}>{t(server.setBy ? "models.namesBySetting" : "models.noNames")}</p>;
  const credits = new Map(names.map((one) => [one.name, one.credits]));
  return (
    <ul className={styles.prices} aria-label={t("models.names")}>
      {all.slice(0, mostShown).map((name) => (
        <li key={name}>
          <bdi>{name}</bdi> {credits.has(name) && <span>{price(credits.get(name)!)}</span>}
        </li>
      ))}
      {all.length > mostShown && <li>{t("sources.andMore", { count: all.length - mostShown })}</li>}
    </ul>
  );
}

interface ActionsProps {
  server: ModelServer;
  isTesting: boolean;
  onTest: () => void;
  onRemove: () => void;
}

function Actions({ server: { modelServerId, name }, isTesting, onTest, onRemove }: ActionsProps) {
  const { t } = useTexts();
  const [, navigate] = useLocation();
  const actions = [
    { id: "change", icon: "pencil", name: t("models.change") },
    { id: "remove", icon: "trash", name: t("models.remove") },
  ] as const;
  const run = (id: string) => (id === "remove" ? onRemove() : navigate(`/workspace/models/${modelServerId}`));
  return (
    <div className={styles.actions}>
      <Button onPress={onTest} isPending={isTesting} aria-label={t("models.testNamed", { name })}>
        {t("models.test")}
      </Button>
      <MenuButton isIcon icon="ellipsis" label={t("models.more", { name })} actions={actions} onAction={run} />
    </div>
  );
}
