import { Button } from "../components/button";
import { useLiveState, type Live } from "../api/events";
import { useTexts } from "../i18n";
import styles from "./live-indicator.module.css";

/** Says whether what is on the screen is as it is in the server. */
export function LiveIndicator({ live }: { live: Live | null }) {
  const { t, locale } = useTexts();
  const state = useLiveState(live);
  if (!live) return null;
  const time = (at: number) => new Intl.DateTimeFormat(locale, { timeStyle: "short" }).format(at);
  const words = {
    live: () => t("live.live"),
    catchingUp: () => t("live.catchingUp"),
    offline: () => t("live.offline", { time: "since" in state ? time(state.since) : "" }),
    refused: () => t("live.refused", { time: "since" in state ? time(state.since) : "" }),
    none: () => t("live.none"),
  };
  return (
    <div className={`${styles.live} ${styles[state.name === "refused" ? "offline" : state.name] ?? ""}`}>
      <span role="status" className={styles.words}>
        <span aria-hidden="true" className={styles.mark} />
        <span className={styles.text}>{words[state.name]()}</span>
      </span>
      {"since" in state && (
        <Button kind="quiet" onPress={live.tryNow}>
          {t("live.now")}
        </Button>
      )}
    </div>
  );
}
