import { useState } from "react";
import { useAddressParams } from "../../address-params";
import { exportAudit, useAudit, useAuditChoices, type Act, type Actor, type AuditFilter } from "../../api/audit";
import { rowsOf } from "../../api/pages";
import { useMay } from "../../api/session";
import { Button } from "../../components/button";
import { Choice } from "../../components/choice";
import { download } from "../../components/download";
import { Field } from "../../components/field";
import { MenuButton } from "../../components/menu-button";
import { More } from "../../components/more";
import { Page } from "../../components/page";
import { RoleNote } from "../../components/role-note";
import { Empty, Failed, Loading } from "../../components/states";
import { formatDate, useTexts, type Texts } from "../../i18n";
import { useScreenActions } from "../../shell/screen-actions";
import { nameOfAction, sayAct } from "./acts";
import { Verify } from "./verify";
import styles from "./workspace.module.css";

const names = ["actor", "action", "from", "to"] as const;

/** What the address narrows the list to. */
function useFilter(): [AuditFilter, (change: Partial<AuditFilter>) => void] {
  const [query, setQuery] = useAddressParams();
  const [actor, action, from, to] = names.map((name) => query.get(name) ?? "") as [string, string, string, string];
  const change = (part: Partial<AuditFilter>) =>
    setQuery(
      (before) => {
        const next = new URLSearchParams(before);
        for (const [key, value] of Object.entries(part)) value ? next.set(key, value) : next.delete(key);
        return next;
      },
      { replace: true },
    );
  return [{ actor, action, from, to }, change];
}

/** What was done to the company, by whom and when. */
export default function AuditPage() {
  const { t } = useTexts();
  const mayRead = useMay("audit:read");
  const [filter, change] = useFilter();
  const acts = useAudit(filter, mayRead);
  const rows = rowsOf(acts.data);
  const isNarrow = names.some((name) => filter[name]);
  const clear = () => change({ actor: "", action: "", from: "", to: "" });
  return (
    <Page title={t("audit.title")} actions={mayRead && <Export filter={filter} />}>
      <RoleNote needs="audit:read" note="role.audit" />
      {mayRead && (
        <>
          <p className={styles.intro}>{t("audit.intro")}</p>
          <Verify />
          <Filters filter={filter} change={change} onClear={isNarrow ? clear : undefined} />
          {acts.isPending && <Loading rows={6} />}
          {acts.isError && !rows && <Failed error={acts.error} onRetry={() => void acts.refetch()} />}
        </>
      )}
      {rows?.length === 0 && (
        <Empty icon="scroll-text" title={t(isNarrow ? "audit.noMatch" : "audit.none")} text={t(isNarrow ? "audit.noMatchText" : "audit.noneText")}>
          {isNarrow && <Button onPress={clear}>{t("audit.clear")}</Button>}
        </Empty>
      )}
      {rows && rows.length > 0 && (
        <div className={styles.group}>
          <ol aria-label={t("audit.title")}>
            {rows.map((act) => (
              <Entry key={act.seq} act={act} />
            ))}
          </ol>
          <More list={acts} />
        </div>
      )}
    </Page>
  );
}

const formats = ["jsonl", "csv"] as const;

/** Saves what the filter leaves as a file. */
function Export({ filter }: { filter: AuditFilter }) {
  const { t } = useTexts();
  const [error, setError] = useState<unknown>(null);
  const save = async (format: (typeof formats)[number]) => {
    setError(null);
    try {
      download(await exportAudit(filter, format), `audit.${format}`);
    } catch (thrown) {
      setError(thrown);
    }
  };
  const actions = formats.map((id) => ({ id, icon: "download" as const, name: t(`audit.${id}`) }));
  useScreenActions(actions.map(({ id, icon, name }) => ({ id: `export ${id}`, icon, name: `${t("audit.export")}: ${name}`, run: () => void save(id) })));
  return (
    <div className={styles.buttons}>
      {error !== null && <Failed error={error} />}
      <MenuButton icon="download" label={t("audit.export")} actions={actions} onAction={(format) => void save(format)} />
    </div>
  );
}

interface FiltersProps {
  filter: AuditFilter;
  change: (part: Partial<AuditFilter>) => void;
  onClear: (() => void) | undefined;
}

const all = "all"; // an option may not be empty

function Filters({ filter, change, onClear }: FiltersProps) {
  const texts = useTexts();
  const { t } = texts;
  const { data } = useAuditChoices(true);
  const nameOf = (actor: Actor) => describe(actor, t);
  const actors = withChosen((data?.actors ?? []).map((one) => ({ id: one.actor, name: nameOf(one) })), filter.actor);
  const actions = withChosen((data?.actions ?? []).map((id) => ({ id, name: nameOfAction(id, texts) })), filter.action);
  const orNothing = (value: string) => (value === all ? "" : value);
  return (
    <div className={styles.filters} role="search">
      <Choice
        label={t("audit.who")}
        value={filter.actor || all}
        options={[{ id: all, name: t("audit.anybody") }, ...actors]}
        onChange={(actor) => change({ actor: orNothing(actor) })}
      />
      <Choice
        label={t("audit.what")}
        value={filter.action || all}
        options={[{ id: all, name: t("audit.anything") }, ...actions]}
        onChange={(action) => change({ action: orNothing(action) })}
      />
      <Field type="date" label={t("audit.from")} value={filter.from} onChange={(from) => change({ from })} />
      <Field type="date" label={t("audit.to")} value={filter.to} onChange={(to) => change({ to })} />
      {onClear && (
        <Button icon="x" onPress={onClear}>
          {t("audit.clear")}
        </Button>
      )}
    </div>
  );
}

interface Option {
  id: string;
  name: string;
}

// What the address names is an option, whatever the server knows.
const withChosen = (options: Option[], chosen: string) =>
  !chosen || options.some(({ id }) => id === chosen) ? options : [...options, { id: chosen, name: chosen }];

function describe({ actor, name, email }: Actor, t: Texts["t"]): string {
  if (actor === "operator") return t("members.operator");
  if (actor === "system") return t("audit.system");
  if (actor === "unknown") return t("audit.unknown");
  const key = /^key[: ](.*)$/.exec(actor);
  if (key) return t("audit.byKey", { name: name || key[1] || "" });
  return name ? `${name} (${email})` : actor;
}

/** A fact of an entry: texts and lists of them as they are, and anything else as JSON. */
function show(value: unknown): string {
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value.join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

function Entry({ act }: { act: Act }) {
  const texts = useTexts();
  const { t, locale } = texts;
  const { seq, at, by, action, subject, details, requestId, address } = act;
  const facts = Object.entries((details ?? {}) as Record<string, unknown>);
  return (
    <li className={styles.entry}>
      <p className={styles.detail}>
        <time dateTime={at}>{formatDate(at, locale)}</time>
      </p>
      <div className={styles.facts}>
        <p dir="auto">{sayAct(act, texts)}</p>
        <p className={styles.detail}>
          <bdi>{describe(by, t)}</bdi>
        </p>
        <details className={styles.detail}>
          <summary>{t("audit.number", { seq })}</summary>
          <dl className={styles.plain}>
            <Fact name={t("audit.code")} value={action} />
            {subject && <Fact name={t("audit.subject")} value={subject} />}
            {requestId && <Fact name={t("audit.requestId")} value={requestId} />}
            {address && <Fact name={t("audit.address")} value={address} />}
            {facts.map(([name, value]) => (
              <Fact key={name} name={name} value={show(value)} />
            ))}
          </dl>
        </details>
      </div>
    </li>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>
        <bdi>{name}</bdi>
      </dt>
      <dd>
        <bdi className={styles.code}>{value}</bdi>
      </dd>
    </div>
  );
}
