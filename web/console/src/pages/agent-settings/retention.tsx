// What of an agent goes because its time is over, before it goes.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { request } from "../../api/client";
import type { components } from "../../api/operator";
import { Failed, Loading } from "../../components/states";
import { formatDate, useTexts } from "../../i18n";
import styles from "./agent-settings.module.css";

type Retention = components["schemas"]["Retention"];
type Part = Retention["parts"][number];

const pause = 400; // milliseconds without another number before what it means is counted

// useSettled returns a value once it has not changed for a moment.
function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pause);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** Says what goes if conversations are kept for so many days; null keeps them. */
export function RetentionPreview({ id, days }: { id: string; days: number | null }) {
  const settled = useSettled(days);
  const preview = useQuery({
    queryKey: ["settings", id, "retention", settled],
    queryFn: ({ signal }) =>
      request<Retention>("GET", `/v1/agents/${encodeURIComponent(id)}/retention${settled ? `?days=${settled}` : ""}`, undefined, signal),
  });
  if (preview.isPending || settled !== days) return <Loading rows={1} />;
  if (preview.isError) return <Failed error={preview.error} onRetry={() => void preview.refetch()} />;
  const parts = preview.data.parts.filter((part) => days !== null || part.kind !== "conversations");
  return <PartList parts={parts.filter((part) => part.count > 0)} />;
}

function PartList({ parts }: { parts: Part[] }) {
  const { t, locale } = useTexts();
  if (parts.length === 0) return <p className={styles.hint}>{t("retention.nothing")}</p>;
  return (
    <>
      <p className={styles.hint}>{t("retention.goes")}</p>
      <ul className={styles.hint}>
        {parts.map((part) => (
          <li key={part.kind}>
            {t(`retention.${part.kind}`, { number: part.count, when: part.oldest ? formatDate(part.oldest, locale) : "" })}
          </li>
        ))}
      </ul>
    </>
  );
}
