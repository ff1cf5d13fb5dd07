// What of an agent goes because its time is over, before it goes.
import { useQuery } from "@tanstack/react-query";
import { request } from "../../api/client";
import type { components } from "../../api/operator";
import { Failed, Loading } from "../../components/states";
import { formatDate, useTexts } from "../../i18n";
import styles from "./agent-settings.module.css";

type Retention = components["schemas"]["Retention"];
type Part = Retention["parts"][number];

/** Says what goes if conversations are kept for so many days; null keeps them. */
export function RetentionPreview({ id, days }: { id: string; days: number | null }) {
  const preview = useQuery({
    queryKey: ["settings", id, "retention", days],
    queryFn: ({ signal }) =>
      request<Retention>("GET", `/v1/agents/${encodeURIComponent(id)}/retention${days ? `?days=${days}` : ""}`, undefined, signal),
  });
  if (preview.isPending) return <Loading rows={1} />;
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
