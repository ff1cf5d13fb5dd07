// How the server does: what it is, what its jobs wait for, and whether what it needs works.
import type { ReactNode } from "react";
import { Link } from "react-aria-components";
import { useServerState, isLate, isNearlyFull, type ServerState } from "../../api/server";
import { useMay } from "../../api/session";
import { Button } from "../../components/button";
import { Facts } from "../../components/facts";
import { Page } from "../../components/page";
import { Progress } from "../../components/progress";
import { RoleNote } from "../../components/role-note";
import { Failed, Loading } from "../../components/states";
import { ModelServerState, PartState, type PartKind } from "../../components/status";
import { formatDate, formatSize, useTexts, type Key, type Texts } from "../../i18n";
import { useScreenActions } from "../../shell/screen-actions";
import styles from "./workspace.module.css";

export default function ServerPage() {
  const { t } = useTexts();
  const mayRead = useMay("state:read");
  const server = useServerState(mayRead);
  const look = () => void server.refetch();
  useScreenActions(mayRead ? [{ id: "look", icon: "refresh-cw", name: t("server.look"), run: look }] : []);
  const again = (
    <Button icon="refresh-cw" onPress={look} isPending={server.isFetching && !server.isPending}>
      {t("server.look")}
    </Button>
  );
  return (
    <Page title={t("server.title")} actions={server.data && again}>
      <RoleNote needs="state:read" note="role.server" />
      {mayRead && server.isPending && <Loading rows={6} />}
      {server.isError && <Failed error={server.error} onRetry={look} />}
      {server.data && (
        <>
          <Parts server={server.data} />
          <BackEnds server={server.data} />
        </>
      )}
    </Page>
  );
}

interface Part {
  name: Key;
  kind: PartKind;
  word: string;
  detail: ReactNode;
}

function formatTime(millis: number, locale: string): string {
  return new Intl.NumberFormat(locale, { style: "unit", unit: "millisecond", unitDisplay: "short", maximumFractionDigits: 1 }).format(millis);
}

const formatHours = (hours: number, locale: string) =>
  new Intl.NumberFormat(locale, { style: "unit", unit: "hour", unitDisplay: "long", maximumFractionDigits: 2 }).format(hours);

const databases: Readonly<Record<ServerState["database"]["kind"], string>> = { sqlite: "SQLite", postgres: "PostgreSQL" };

function programPart({ version, startedAt }: ServerState, { t, locale }: Texts): Part {
  return {
    name: "server.program",
    kind: "good",
    word: t("server.runs"),
    detail: <Facts>{[version || t("server.noVersion"), t("server.since", { when: formatDate(startedAt, locale) })]}</Facts>,
  };
}

function databasePart({ database: { kind, version, bytes, millis } }: ServerState, { t, locale }: Texts): Part {
  return {
    name: "server.database",
    kind: "good",
    word: t("server.answers", { time: formatTime(millis, locale) }),
    detail: <Facts>{[`${databases[kind]} ${version}`, formatSize(bytes, locale)]}</Facts>,
  };
}

function queuePart({ queue }: ServerState, { t }: Texts): Part {
  const { waiting, running, dead } = queue;
  const isIdle = waiting + running === 0;
  return {
    name: "server.queue",
    kind: dead > 0 ? "bad" : isLate(queue) ? "busy" : "good",
    word: dead > 0 ? t("server.dead", { number: dead }) : isLate(queue) ? t("server.late") : t(isIdle ? "server.idle" : "server.working"),
    detail: (
      <Facts>
        {[t("server.waiting", { number: waiting }), t("server.running", { number: running })]}
        {dead > 0 && t("server.deadHint")}
      </Facts>
    ),
  };
}

function diskPart({ disk }: ServerState, { t, locale }: Texts): Part {
  if (!disk) return { name: "server.disk", kind: "none", word: t("server.unknown"), detail: t("server.diskUnknown") };
  const { freeBytes, bytes } = disk;
  return {
    name: "server.disk",
    kind: isNearlyFull(disk) ? "bad" : "good",
    word: t(isNearlyFull(disk) ? "server.nearlyFull" : "server.hasSpace"),
    detail: (
      <>
        {t("server.free", { free: formatSize(freeBytes, locale), all: formatSize(bytes, locale) })}
        <Progress label={t("server.diskUsed")} share={1 - freeBytes / bytes} />
      </>
    ),
  };
}

/** What is not set up, with the setting that would. */
const withSetting = (text: string, name: string) => (
  <>
    {text}{" "}
    <code className={styles.code} dir="ltr">
      {name}
    </code>
  </>
);

function mailPart({ mails, mailState }: ServerState, { t }: Texts): Part {
  if (mails && mailState?.failing) {
    const detail = t("mails.failing", { number: mailState.failing, reason: mailState.reason });
    return { name: "server.mail", kind: "bad", word: t("mails.fail"), detail };
  }
  if (mails) return { name: "server.mail", kind: "good", word: t("server.isSet"), detail: t("server.mails") };
  return { name: "server.mail", kind: "none", word: t("server.notSet"), detail: withSetting(t("server.noMail"), "PARLEY_SMTP_URL") };
}

function keyPart({ canKeepSecrets }: ServerState, { t }: Texts): Part {
  if (canKeepSecrets) return { name: "server.secrets", kind: "good", word: t("server.isSet"), detail: t("server.seals") };
  return { name: "server.secrets", kind: "none", word: t("server.notSet"), detail: withSetting(t("server.noKey"), "PARLEY_SECRET_KEY") };
}

function voicePart({ speech: { mediaServer, speaks, understands, warnings } }: ServerState, { t }: Texts): Part {
  const isWhole = mediaServer && speaks && understands;
  return {
    name: "server.voice",
    kind: isWhole ? "good" : "none",
    word: t(isWhole ? "server.isSet" : mediaServer && (speaks || understands) ? "server.half" : "server.notSet"),
    detail: (
      <>
        <Facts>
          {t(mediaServer ? "server.media" : "server.noMedia")}
          {t(speaks ? "server.speaks" : "server.silent")}
          {t(understands ? "server.understands" : "server.deaf")}
        </Facts>
        {warnings.map((warning) => (
          <p key={warning} className={styles.warning} lang="en">
            <bdi>{warning}</bdi>
          </p>
        ))}
      </>
    ),
  };
}

function backupPart({ backups }: ServerState, { t, locale }: Texts): Part {
  const name = "server.backups";
  if (!backups) return { name, kind: "none", word: t("server.notSet"), detail: withSetting(t("server.noBackups"), "PARLEY_BACKUP_TO") };
  const { everyHours, keep, inBucket, lastAt, bytes, dueAt, failedAt, reason } = backups;
  const last = lastAt && t("server.lastBackup", { when: formatDate(lastAt, locale) });
  return {
    name,
    kind: failedAt ? "bad" : lastAt ? "good" : "busy",
    word: failedAt ? t("server.backupFailed", { when: formatDate(failedAt, locale) }) : (last ?? t("server.noBackupYet")),
    detail: (
      <>
        <Facts>
          {failedAt && (last ?? t("server.noBackupYet"))}
          {bytes > 0 && formatSize(bytes, locale)}
          {!failedAt && dueAt && t("server.nextBackup", { when: formatDate(dueAt, locale) })}
          {t("server.backupEvery", { time: formatHours(everyHours, locale) })}
          {t("server.backupKeep", { number: keep })}
          {t(inBucket ? "server.backupBucket" : "server.backupFolder")}
        </Facts>
        {failedAt && (
          <p className={styles.warning} lang="en">
            <bdi>{reason}</bdi>
          </p>
        )}
      </>
    ),
  };
}

const parts = [programPart, databasePart, queuePart, diskPart, backupPart, mailPart, keyPart, voicePart];

function Parts({ server }: { server: ServerState }) {
  const texts = useTexts();
  const { t } = texts;
  return (
    <section className={styles.group} aria-labelledby="parts">
      <h2 id="parts">{t("server.parts")}</h2>
      <ul>
        {parts.map((describe) => {
          const { name, kind, word, detail } = describe(server, texts);
          return (
            <li key={name} className={`${styles.row} ${styles.part}`}>
              <h3 className={styles.name}>{t(name)}</h3>
              <div className={styles.facts}>
                <PartState kind={kind} word={word} />
                <div className={styles.detail}>{detail}</div>
              </div>
            </li>
          );
        })}
      </ul>
      <p className={styles.detail}>{t("server.shared")}</p>
    </section>
  );
}

function BackEnds({ server: { modelServers } }: { server: ServerState }) {
  const { t } = useTexts();
  return (
    <section className={styles.group} aria-labelledby="models">
      <h2 id="models">{t("server.models")}</h2>
      {modelServers.length === 0 && <p className={styles.detail}>{t("server.builtIn")}</p>}
      <ul>
        {modelServers.map((server) => (
          <li key={server.modelServerId ?? server.setBy} className={`${styles.row} ${styles.part}`}>
            <h3 className={styles.name} dir="auto">
              {server.name || server.model || t(`models.kind.${server.kind}`)}
            </h3>
            <div className={styles.facts}>
              <ModelServerState server={server} />
              <p className={styles.detail}>
                <Facts>
                  {t(`models.kind.${server.kind}`)}
                  <span dir="ltr">{server.url}</span>
                  {server.lastError && <bdi>{server.lastError}</bdi>}
                </Facts>
              </p>
            </div>
          </li>
        ))}
      </ul>
      <p>
        <Link href="/workspace/models">{t("server.toModels")}</Link>
      </p>
    </section>
  );
}
