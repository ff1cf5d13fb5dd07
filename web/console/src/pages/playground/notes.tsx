import { Button } from "../../components/button";
import { Icon } from "../../components/icon";
import { useTexts } from "../../i18n";
import styles from "./answer.module.css";

/** What is to be said of an answer, in a line. */
export function Note({ icon, text }: { icon: "square" | "triangle-alert" | "circle-alert"; text: string }) {
  return (
    <p className={styles.note}>
      <Icon name={icon} size={16} />
      {text}
    </p>
  );
}

/** The model has failed. Its own words are in the explanation, for whoever runs the server. */
export function NoAnswer({ onRetry }: { onRetry?: () => void }) {
  const { t } = useTexts();
  return (
    <div role="alert" className={styles.noAnswer}>
      <Note icon="circle-alert" text={t("playground.noAnswer")} />
      {onRetry && (
        <Button icon="refresh-cw" onPress={onRetry}>
          {t("state.retry")}
        </Button>
      )}
    </div>
  );
}
