import { useEffect, useRef, useState } from "react";
import { Link } from "react-aria-components";
import { windowOf } from "../../api/pages";
import { readLeads, useLeads, type Lead, type PersonErased } from "../../api/people";
import { Button } from "../../components/button";
import { writeCSV } from "../../components/csv";
import { download } from "../../components/download";
import { Facts } from "../../components/facts";
import { KeepPlace } from "../../components/keep-place";
import { placesIn, type PlaceInList } from "../../components/list-places";
import { More } from "../../components/more";
import { Empty, Failed, Loading } from "../../components/states";
import { formatDate, useTexts } from "../../i18n";
import { useScreenActions } from "../../shell/screen-actions";
import { useCustomerName } from "./names";
import { PrivacyActions } from "./privacy";
import styles from "./people.module.css";

/** The contact details that customers have left, the newest first. */
export function Leads({ agentId }: { agentId: string }) {
  const { t } = useTexts();
  const list = useLeads(agentId);
  const [erased, setErased] = useState<PersonErased | null>(null);
  const part = windowOf(list.data, ({ leadId }) => leadId);
  const said = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (erased && document.activeElement === document.body) said.current?.focus(); // its row had the focus, and is gone
  }, [erased, list.data]);
  if (list.isPending) return <Loading rows={6} />;
  if (!part) return <Failed error={list.error} onRetry={() => void list.refetch()} />;
  const placeOf = placesIn(part);
  return (
    <div className={styles.group}>
      <p ref={said} tabIndex={-1} role="status" className={`${styles.hint} ${styles.said}`}>
        {erased && `${t("people.erased", { count: erased.conversations })} ${erased.isComplete ? "" : t("people.eraseSoon")}`}
      </p>
      {part.rows.length === 0 && <Empty icon="users" title={t("people.noLeads")} text={t("people.noLeadsText")} />}
      <More list={list} isBack />
      <KeepPlace isStartKept={part.count > 0}>
        <ol className={styles.rows} aria-label={t("people.leads")}>
          {part.rows.map((lead, i) => (
            <Row key={lead.leadId} agentId={agentId} lead={lead} place={placeOf(i)} onErased={setErased} />
          ))}
        </ol>
      </KeepPlace>
      <More list={list} />
    </div>
  );
}

interface RowProps {
  agentId: string;
  lead: Lead;
  place: PlaceInList | undefined;
  onErased: (erased: PersonErased) => void;
}

function Row({ agentId, lead, place, onErased }: RowProps) {
  const { t, locale } = useTexts();
  const nameOf = useCustomerName();
  const { name, email, phoneNumber, fields, createdAt, conversationId } = lead;
  return (
    <li data-row={lead.leadId} {...place}>
      <h2 className={styles.name}>
        <bdi>{nameOf(lead)}</bdi>
      </h2>
      <p className={styles.hint}>
        <Facts>
          {name && email && <bdi>{email}</bdi>}
          {phoneNumber && <bdi>{phoneNumber}</bdi>}
          {fields.map((one) => (
            <bdi key={one.name}>
              {one.name}: {one.value}
            </bdi>
          ))}
          <time dateTime={createdAt}>{formatDate(createdAt, locale)}</time>
        </Facts>
      </p>
      {conversationId && (
        <Link href={`/inbox/${conversationId}?view=all`}>{t("people.showConversation")}</Link>
      )}
      <PrivacyActions agentId={agentId} person={lead} onErased={onErased} isInList />
    </li>
  );
}

/** Saves all leads as a table. */
export function ExportLeads({ agentId }: { agentId: string }) {
  const { t } = useTexts();
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const save = async () => {
    setError(null);
    setPending(true);
    try {
      download(writeLeads(await readLeads(agentId)), "leads.csv");
    } catch (thrown) {
      setError(thrown);
    } finally {
      setPending(false);
    }
  };
  useScreenActions([{ id: "export", icon: "download", name: t("people.export"), run: () => void save() }]);
  return (
    <div className={styles.actions}>
      {error !== null && <Failed error={error} />}
      <Button icon="download" isPending={isPending} onPress={() => void save()}>
        {t("people.export")}
      </Button>
    </div>
  );
}

// A row for each lead, and a column for each field that one of them has.
function writeLeads(leads: readonly Lead[]): Blob {
  const names = [...new Set(leads.flatMap(({ fields }) => fields.map(({ name }) => name)))].sort();
  const rows = leads.map(({ createdAt, name = "", email = "", phoneNumber = "", conversationId = "", fields }) => [
    createdAt, name, email, phoneNumber, conversationId, ...names.map((one) => fields.find((field) => field.name === one)?.value ?? ""),
  ]);
  return writeCSV([["createdAt", "name", "email", "phoneNumber", "conversationId", ...names], ...rows]);
}
