import { useState } from "react";
import { useLocation } from "wouter";
import { kinds, useModelServers, type Kind, type ModelServer, type ModelServers } from "../../api/model-servers";
import { useMay } from "../../api/session";
import { ButtonLink } from "../../components/button";
import { MenuButton } from "../../components/menu-button";
import { Notice } from "../../components/notice";
import { Page } from "../../components/page";
import { RoleNote } from "../../components/role-note";
import { Empty, Failed, Loading } from "../../components/states";
import { useTexts } from "../../i18n";
import { useScreenActions } from "../../shell/screen-actions";
import { kindIcons } from "./kinds";
import { RemoveDialog } from "./remove";
import { Row } from "./row";
import styles from "./models.module.css";

/** The servers of models that answer for the agents of the company. */
export default function ModelsPage() {
  const { t } = useTexts();
  const mayRead = useMay("models:read");
  const servers = useModelServers(mayRead);
  const [removing, setRemoving] = useState<ModelServer | null>(null);
  const add = servers.data && <Add kinds={freeKinds(servers.data)} />;
  const isEmpty = servers.data?.servers.length === 0;
  return (
    <Page title={t("models.title")} actions={!isEmpty && add}>
      <RoleNote needs="models:read" note="role.models" />
      {mayRead && servers.isPending && <Loading rows={4} />}
      {servers.isError && !servers.data && <Failed error={servers.error} onRetry={() => void servers.refetch()} />}
      {servers.data?.canKeepKeys === false && <NoKeys />}
      {isEmpty && (
        <Empty icon="cpu" title={t("models.none")} text={t("models.noneText")}>
          {add}
        </Empty>
      )}
      {servers.data && !isEmpty && kinds.map((kind) => <Group key={kind} kind={kind} all={servers.data} onRemove={setRemoving} />)}
      <RemoveDialog server={removing} onClose={() => setRemoving(null)} onDone={() => setRemoving(null)} />
    </Page>
  );
}

/** The kinds of which another server can be connected. */
const freeKinds = ({ servers }: ModelServers) =>
  kinds.filter((kind) => kind === "chat" || !servers.some((one) => one.kind === kind));

function Add({ kinds }: { kinds: readonly Kind[] }) {
  const { t } = useTexts();
  const [, navigate] = useLocation();
  const open = (kind: string) => navigate(`/workspace/models/new/${kind}`);
  const actions = kinds.map((id) => ({ id, icon: kindIcons[id], name: t(`models.kind.${id}`) }));
  useScreenActions(
    actions.map(({ id, icon, name }) => ({ id: `add ${id}`, icon, name: t("models.addNamed", { kind: name }), run: () => open(id) })),
  );
  return <MenuButton kind="primary" icon="plus" label={t("models.add")} actions={actions} onAction={open} />;
}

/** Says that keys cannot be stored here, before somebody types one. */
function NoKeys() {
  const { t } = useTexts();
  return <Notice isStatus>{t("models.noKeys")}</Notice>;
}

interface GroupProps {
  kind: Kind;
  all: ModelServers;
  onRemove: (server: ModelServer) => void;
}

function Group({ kind, all, onRemove }: GroupProps) {
  const { t } = useTexts();
  const rows = all.servers.filter((one) => one.kind === kind);
  return (
    <section className={styles.group} aria-labelledby={`kind-${kind}`}>
      <div className={styles.about}>
        <h2 id={`kind-${kind}`}>{t(`models.kind.${kind}`)}</h2>
        <p className={styles.detail}>{t(`models.about.${kind}`)}</p>
      </div>
      {rows.length > 0 ? (
        <ul className={styles.list}>
          {rows.map((server) => (
            <Row key={server.modelServerId ?? server.setBy} server={server} names={all.modelNames} creditPrice={all.creditPrice} onRemove={onRemove} />
          ))}
        </ul>
      ) : (
        <div className={styles.missing}>
          <p className={styles.detail}>{t(`models.without.${kind}`)}</p>
          <ButtonLink icon="plus" href={`/workspace/models/new/${kind}`} aria-label={t("models.addNamed", { kind: t(`models.kind.${kind}`) })}>
            {t("models.connect")}
          </ButtonLink>
        </div>
      )}
    </section>
  );
}
