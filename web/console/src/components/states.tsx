// The states of a list that is not simply there: loading, empty, failed, and read in part.
import { useEffect, useState, type ReactNode } from "react";
import { APIError, isNotFound } from "../api/client";
import { useTexts, type Key } from "../i18n";
import type { IconName } from "../../../shared/icons";
import { Button } from "./button";
import { Icon } from "./icon";
import styles from "./states.module.css";

const patience = 200; // milliseconds before a skeleton is shown: what comes sooner needs none

export function Loading({ rows = 3 }: { rows?: number }) {
  const { t } = useTexts();
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), patience);
    return () => clearTimeout(timer);
  }, []);
  if (!isShown) return null;
  return (
    <div className={styles.skeleton} role="status" aria-label={t("state.loading")}>
      {Array.from({ length: rows }, (_, i) => (
        <div key={i} className={styles.bar} />
      ))}
    </div>
  );
}

/** The whole page while it is not known what it is. */
export function Opening() {
  return (
    <main>
      <h1 className={styles.hidden}>Parley</h1>
      <Loading rows={1} />
    </main>
  );
}

interface EmptyProps {
  icon: IconName;
  title: string;
  text: string;
  /** The one thing to do. */
  children?: ReactNode;
}

export function Empty({ icon, title, text, children }: EmptyProps) {
  return (
    <div className={styles.empty}>
      <Icon name={icon} size={32} />
      <h2>{title}</h2>
      <p>{text}</p>
      {children}
    </div>
  );
}

/**
 * Says that something failed; `text` says it where the form knows more of it than the error. What is not there is not
 * asked for again.
 */
export function Failed({ error, text, onRetry }: { error: unknown; text?: string; onRetry?: () => void }) {
  const { t } = useTexts();
  return (
    <div className={styles.failed} role="alert">
      <Icon name="circle-alert" />
      <div>
        <p>{text || describe(error, t)}</p>
        <RequestID error={error} />
      </div>
      {onRetry && !isNotFound(error) && (
        <Button icon="refresh-cw" onPress={onRetry}>
          {t("state.retry")}
        </Button>
      )}
    </div>
  );
}

interface PartialProps {
  /** How many could not be read, or could not be done. */
  count: number;
  /** What is said of them, where it is not that rows could not be read. */
  text?: string;
  /** Each of them by its name, with the reason. */
  failures?: readonly { name: string; error: unknown }[];
  /** Left out where another button does it. */
  onRetry?: () => void;
}

/** Says how many of a list failed, beside those that did not. */
export function Partial({ count, text, failures = [], onRetry }: PartialProps) {
  const { t } = useTexts();
  if (count === 0) return null;
  return (
    <div className={styles.partial} role="status">
      <Icon name="triangle-alert" />
      <div>
        <p>{text ?? t("state.partial", { count })}</p>
        {failures.length > 0 && (
          <ul>
            {failures.map(({ name, error }, i) => (
              <li key={i}>
                <bdi>{name}</bdi>
                <p>{describe(error, t)}</p>
                <RequestID error={error} />
              </li>
            ))}
          </ul>
        )}
      </div>
      {onRetry && (
        <Button icon="refresh-cw" onPress={onRetry}>
          {failures.length > 0 ? t("state.retryFailed") : t("state.retry")}
        </Button>
      )}
    </div>
  );
}

// The number is for whoever looks into the server's log: of faults of the server, and of what the console cannot explain.
function RequestID({ error }: { error: unknown }) {
  const { t } = useTexts();
  const [isCopied, setCopied] = useState(false);
  if (!(error instanceof APIError) || !error.requestId || isOrdinary(error)) return null;
  const { requestId } = error;
  const copy = () => void navigator.clipboard?.writeText(requestId).then(() => setCopied(true));
  return (
    <p className={styles.request}>
      {t("state.request")} <code dir="ltr">{requestId}</code>
      <Button kind="quiet" icon="copy" onPress={copy}>
        {isCopied ? t("state.copied") : t("state.copy")}
      </Button>
    </p>
  );
}

/** What went wrong, in words. */
export function describe(error: unknown, t: (key: Key, params?: { count: number }) => string): string {
  if (!(error instanceof APIError)) return t("error.unknown");
  if (error.status === 0) return t("error.offline");
  if (error.status === 429) return error.wait ? t("error.wait", { count: error.wait }) : t("error.tooMany");
  if (error.status === 404) return t("error.notFound");
  if (error.status === 500) return t("error.unknown");
  const key = texts[`error.${error.code}`];
  return key ? t(key) : error.message || t("error.unknown");
}

/** Reports whether a failure is a mistake that the console explains, and none of the server. */
const isOrdinary = ({ status, code }: APIError) =>
  status < 500 && (status === 429 || status === 404 || `error.${code}` in texts);

const texts: Readonly<Record<string, Key>> = {
  "error.AUTH_SIGN_IN_FAILED": "error.signInFailed",
  "error.CONVERSATION_CLAIMED": "error.claimed",
  "error.AUTH_INVALID_LINK": "error.invalidLink",
  "error.RECOVERY_CODE_WRONG": "error.codeWrong",
  "error.PASSWORD_WRONG": "error.passwordWrong",
  "error.ALREADY_MEMBER": "members.already",
  "error.AUTH_STEP_UP_REQUIRED": "error.stepUp",
  "error.SOURCE_DUPLICATE": "error.sourceThere",
  "error.SOURCE_SIZE_LIMIT_EXCEEDED": "error.storage",
  "error.SOURCE_PENDING_DELETION": "error.notFound",
  "error.SOURCE_ALREADY_PENDING_DELETION": "error.notFound",
  "error.AGENT_NOT_TRAINED": "error.notTrained",
  "error.PLAN_FEATURE_NOT_AVAILABLE": "error.planFeature",
  "error.REQUEST_TOO_LARGE": "error.tooLarge",
  "error.RESOURCE_ALREADY_EXISTS": "fault.taken",
  "error.AGENT_LIMIT_REACHED": "error.agentLimit",
  "error.CHAT_CREDITS_EXHAUSTED": "error.credits",
  "error.CHAT_AGENT_CREDITS_EXHAUSTED": "error.credits",
  "error.SERVICE_UNDER_MAINTENANCE": "error.maintenance",
  "error.AUTH_PASSKEY_FAILED": "passkey.failed",
  "error.AUTH_SECOND_STEP_REQUIRED": "secondStep.passwordFirst",
  "error.AUTH_OTHER_SIGN_IN_REQUIRED": "error.otherSignIn",
  "error.AUTH_PASSKEY_REQUIRED": "error.passkeyFirst",
  "error.PASSKEY_CANCELLED": "passkey.cancelled",
  "error.PASSKEY_EXISTS": "passkey.exists",
  "error.AUTH_INSUFFICIENT_PERMISSIONS": "error.forbidden",
  "error.VALIDATION_INVALID_BODY": "error.invalid",
  "error.VALIDATION_INVALID_DATE_RANGE": "error.invalid",
  "error.VALIDATION_SEARCH_WINDOW_EXCEEDED": "error.invalid",
  "error.MESSAGE_CONTENT_NOT_RENDERABLE": "error.invalid",
  "error.CONVERSATION_SEARCH_BUSY": "error.tooMany",
  "error.IDEMPOTENCY_KEY_IN_USE": "error.tooMany",
  "error.TICKET_CHANGED": "tickets.changed",
  "error.AGENT_CHANGED": "error.changed",
  "error.MODEL_SERVER_CHANGED": "error.changed",
  "error.CHAT_CONVERSATION_NOT_ONGOING": "error.changed",
  "error.CONVERSATION_ANSWERED": "error.changed",
  "error.CONVERSATION_NOT_TAKEN_OVER": "error.changed",
  "error.TICKET_INVALID_STATUS": "error.changed",
  "error.TICKET_TEAM_NOT_FOUND": "error.changed",
  "error.TICKET_TEAM_MEMBER_NOT_FOUND": "error.changed",
  "error.TEAM_MEMBER_NOT_FOUND": "error.changed",
  "error.CHAT_CONVERSATION_BUSY": "playground.error.busy",
  "error.CHAT_MODEL_NOT_ALLOWED": "playground.error.model",
};
