import { useState } from "react";
import { useAddressParams } from "../../address-params";
import { useKeys, type Key } from "../../api/keys";
import { rowsOf } from "../../api/pages";
import { useMay } from "../../api/session";
import { Button } from "../../components/button";
import { Facts } from "../../components/facts";
import { Icon } from "../../components/icon";
import { More } from "../../components/more";
import { Page } from "../../components/page";
import { RoleNote } from "../../components/role-note";
import { Empty, Failed, Loading } from "../../components/states";
import { Tabs } from "../../components/tabs";
import { formatDate, relativeTime, useTexts } from "../../i18n";
import { showName } from "../../names";
import { useScreenActions } from "../../shell/screen-actions";
import { NewKeyDialog, RevokeDialog } from "./key-dialogs";
import { Allowed } from "./scopes";
import styles from "./workspace.module.css";

/** The API keys of the company. */
export default function KeysPage() {
  const { t } = useTexts();
  const mayRead = useMay("keys:read");
  const mayWrite = useMay("keys:write");
  const [query, setQuery] = useAddressParams();
  const [isAdding, setAdding] = useState(false);
  const [revoking, setRevoking] = useState<Key | null>(null);
  const open = () => setAdding(true);
  useScreenActions(mayWrite ? [{ id: "new key", icon: "plus", name: t("apiKeys.new"), run: open }] : []);
  const add = (
    <Button kind="primary" icon="plus" onPress={open}>
      {t("apiKeys.new")}
    </Button>
  );
  const list = (areRevoked: boolean) => <List areRevoked={areRevoked} add={mayWrite && add} onRevoke={setRevoking} />;
  return (
    <Page title={t("apiKeys.title")} actions={mayWrite && add}>
      <RoleNote needs="keys:read" note="role.keys" />
      {mayRead && (
        <Tabs
          label={t("apiKeys.title")}
          chosen={query.get("list") === "revoked" ? "revoked" : "inForce"}
          tabs={[
            { id: "inForce", name: t("apiKeys.inForce"), content: list(false) },
            { id: "revoked", name: t("apiKeys.revoked"), content: list(true) },
          ]}
          onChange={(id) => setQuery(id === "revoked" ? { list: id } : {}, { replace: true })}
        />
      )}
      <NewKeyDialog isOpen={isAdding} onClose={() => setAdding(false)} />
      <RevokeDialog apiKey={revoking} onClose={() => setRevoking(null)} />
    </Page>
  );
}

interface ListProps {
  areRevoked: boolean;
  add: React.ReactNode;
  onRevoke: (key: Key) => void;
}

function List({ areRevoked, add, onRevoke }: ListProps) {
  const { t } = useTexts();
  const keys = useKeys(areRevoked, true);
  const rows = rowsOf(keys.data);
  if (keys.isPending) return <Loading rows={3} />;
  if (!rows) return <Failed error={keys.error} onRetry={() => void keys.refetch()} />;
  if (rows.length === 0 && areRevoked) return <p className={styles.detail}>{t("apiKeys.noneRevoked")}</p>;
  if (rows.length === 0) {
    return (
      <Empty icon="key-round" title={t("apiKeys.none")} text={t("apiKeys.noneText")}>
        {add}
      </Empty>
    );
  }
  return (
    <div className={styles.group}>
      <ul aria-label={t(areRevoked ? "apiKeys.revoked" : "apiKeys.inForce")}>
        {rows.map((key) => (
          <Row key={key.keyId} apiKey={key} onRevoke={() => onRevoke(key)} />
        ))}
      </ul>
      <More list={keys} />
    </div>
  );
}

function Row({ apiKey, onRevoke }: { apiKey: Key; onRevoke: () => void }) {
  const { t, locale } = useTexts();
  const mayWrite = useMay("keys:write");
  const { begins, scopes, createdBy, createdAt, lastUsedAt, revokedAt } = apiKey;
  const name = showName(apiKey.name, t);
  const who = createdBy === "operator" ? t("members.operator") : createdBy;
  return (
    <li className={`${styles.row} ${styles.stacked}`}>
      <div className={styles.facts}>
        <div className={styles.head}>
          <h2 className={styles.name} dir="auto">
            {name}
          </h2>
          <span className={styles.code} dir="ltr">
            {begins}…
          </span>
          <Scopes scopes={scopes} isValid={!revokedAt && !isOver(apiKey)} />
        </div>
        <Allowed scopes={scopes} />
        <p className={styles.detail}>
          <Facts>
            {lastUsedAt ? t("apiKeys.used", { when: relativeTime(lastUsedAt, locale) }) : t("apiKeys.unused")}
            {who ? t("apiKeys.madeBy", { who, when: formatDate(createdAt, locale) }) : t("apiKeys.made", { when: formatDate(createdAt, locale) })}
            <End apiKey={apiKey} />
          </Facts>
        </p>
      </div>
      {mayWrite && !revokedAt && (
        <Button onPress={onRevoke} aria-label={t("apiKeys.revokeNamed", { name })}>
          {t("apiKeys.revoke")}
        </Button>
      )}
    </li>
  );
}

interface ScopesProps {
  scopes: readonly string[] | null;
  isValid: boolean;
}

/** What the key may do, in the words of the API. One that may do everything is marked as long as it is valid. */
function Scopes({ scopes, isValid }: ScopesProps) {
  const { t } = useTexts();
  if (!scopes) {
    return (
      <span className={`${styles.badge} ${isValid ? styles.marked : ""}`}>
        {isValid && <Icon name="triangle-alert" size={14} />}
        {t("apiKeys.everything")}
      </span>
    );
  }
  return scopes.map((scope) => (
    <span key={scope} className={`${styles.badge} ${styles.code}`} dir="ltr">
      {scope}
    </span>
  ));
}

const isOver = ({ expiresAt }: Key) => expiresAt !== null && Date.parse(expiresAt) <= Date.now();

/** Until when the key is valid, or since when it is not. */
function End({ apiKey }: { apiKey: Key }) {
  const { t, locale } = useTexts();
  const { revokedAt, expiresAt } = apiKey;
  if (revokedAt) return t("apiKeys.revokedAt", { when: formatDate(revokedAt, locale) });
  if (!expiresAt) return t("apiKeys.noEnd");
  const when = formatDate(expiresAt, locale);
  return isOver(apiKey) ? <span className={styles.warning}>{t("apiKeys.expired", { when })}</span> : t("members.until", { when });
}
