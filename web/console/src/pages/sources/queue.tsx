import { useEffect, useState } from "react";
import { IconButton, Button } from "../../components/button";
import { Icon } from "../../components/icon";
import { Progress } from "../../components/progress";
import { describe } from "../../components/states";
import { APIError } from "../../api/client";
import { explainFault } from "../../faults";
import { formatSize, useTexts } from "../../i18n";
import { showName } from "../../names";
import { isWorthRetrying, type Upload, type Uploads } from "./uploads";
import styles from "./queue.module.css";

/** The files on their way, a bar each. What has arrived is in the list below. */
export function Queue({ uploads }: { uploads: Uploads }) {
  const { t } = useTexts();
  const shown = uploads.list.filter(({ state }) => state !== "done");
  const sent = uploads.list.length - shown.length;
  if (shown.length === 0) return null;
  const count = uploads.list.length;
  const hasEnded = shown.every(({ state }) => state === "failed");
  return (
    <section className={styles.queue} aria-label={t("sources.queue")}>
      <p role="status">
        {hasEnded
          ? t("sources.queueEnded", { failed: shown.length, count })
          : t("sources.queueCount", { count, done: sent })}
      </p>
      <ul>
        {shown.map((one) => (
          <Line key={one.id} upload={one} uploads={uploads} />
        ))}
      </ul>
    </section>
  );
}

function Line({ upload, uploads }: { upload: Upload; uploads: Uploads }) {
  const { t, locale } = useTexts();
  const { id, file, state } = upload;
  const name = showName(file.name, t);
  return (
    <li className={styles.line}>
      <Icon name="file-text" size={16} />
      <span className={styles.name}>
        <bdi>{name}</bdi> <span className={styles.detail}>{formatSize(file.size, locale)}</span>
      </span>
      {state === "failed" ? (
        <span className={styles.fault} role="alert">
          <Fault error={upload.error} />
        </span>
      ) : (
        <span className={styles.sending}>
          <Progress label={t("sources.sendingNamed", { name })} share={upload.sent} />
          <span className={styles.detail}>
            {state === "paused" ? <Wait until={upload.until} /> : t(`sources.upload.${state}`)}
          </span>
        </span>
      )}
      {state === "failed" && isWorthRetrying(upload.error) && (
        <Button onPress={() => uploads.retry(id)} aria-label={t("sources.retryNamed", { name })}>
          {t("state.retry")}
        </Button>
      )}
      {state !== "sending" && (
        <IconButton icon="x" label={t("sources.removeNamed", { name })} onPress={() => uploads.remove(id)} />
      )}
    </li>
  );
}

function Fault({ error }: { error: unknown }) {
  const { t, locale } = useTexts();
  const said = error instanceof APIError ? Object.values(error.details) : [];
  return said.length > 0 ? said.map((text) => explainFault(text, t, locale)).join(" ") : describe(error, t);
}

// The server takes ten files a minute; the rest come by themselves.
function Wait({ until }: { until: number }) {
  const { t } = useTexts();
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return t("sources.paused", { count: Math.max(1, Math.ceil((until - now) / 1000)) });
}
