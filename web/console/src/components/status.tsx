import type { Agent, AgentStatus } from "../api/agents";
import type { ModelServer } from "../api/model-servers";
import { shareRead, useReading } from "../api/sources";
import { formatDate, useTexts, type Key } from "../i18n";
import type { IconName } from "../../../shared/icons";
import { Facts } from "./facts";
import { Icon } from "./icon";
import styles from "./status.module.css";

export type PartKind = "good" | "busy" | "bad" | "none";
type Look = readonly [IconName, Key, PartKind];

const agentLooks: Record<AgentStatus, Look> = {
  trained: ["circle-check", "status.trained", "good"],
  training: ["loader-circle", "status.training", "busy"],
  failed: ["circle-alert", "status.failed", "bad"],
  untrained: ["circle-dashed", "status.untrained", "none"],
};

const sourceLooks: Readonly<Record<string, Look>> = {
  trained: ["circle-check", "sources.state.trained", "good"],
  untrained: ["loader-circle", "sources.state.untrained", "busy"],
  updated: ["refresh-cw", "sources.state.updated", "busy"],
  failed: ["circle-alert", "sources.state.failed", "bad"],
  toBeDeleted: ["trash", "sources.state.toBeDeleted", "none"],
};

/** The word for the state of a source. */
export const sourceStateKey = (status: string): Key => (sourceLooks[status] ?? sourceLooks["untrained"]!)[1];

interface WordProps {
  look: Look;
  since?: string | null;
  /** How much is done, from 0 to 1; null where that is not known. */
  share?: number | null;
}

function StateWord({ look: [icon, word, kind], since, share = null }: WordProps) {
  const { t, locale } = useTexts();
  const text = t(word, since ? { when: formatDate(since, locale) } : {});
  return (
    <span className={`${styles.status} ${styles[kind]}`}>
      <Icon name={icon} size={16} />
      {share === null ? (
        text
      ) : (
        <Facts>
          {text}
          {new Intl.NumberFormat(locale, { style: "percent" }).format(share)}
        </Facts>
      )}
    </span>
  );
}

const partIcons: Readonly<Record<PartKind, IconName>> = { good: "circle-check", busy: "clock", bad: "circle-alert", none: "circle-dashed" };

/** How a part of the server does. */
export const PartState = ({ kind, word }: { kind: PartKind; word: string }) => (
  <span className={`${styles.status} ${styles[kind]}`}>
    <Icon name={partIcons[kind]} size={16} />
    {word}
  </span>
);

/** The state of an agent: an icon, a colour and a word. */
export const Status = ({ status }: { status: AgentStatus | null }) => <StateWord look={agentLooks[status ?? "untrained"]} />;

/** The state of an agent, and while it is being trained how much of that is done. */
export function AgentState({ agent: { id, status } }: { agent: Pick<Agent, "id" | "status"> }) {
  const { rows } = useReading(id, status === "training");
  return <StateWord look={agentLooks[status ?? "untrained"]} share={shareRead(rows)} />;
}

/** The state of a source. */
export const SourceStatus = ({ status }: { status: string }) => (
  <StateWord look={sourceLooks[status] ?? sourceLooks["untrained"]!} />
);

/** Whether a server of models works, and since when. */
export function ModelServerState({ server: { checkedAt, failingSince } }: { server: ModelServer }) {
  if (failingSince) return <StateWord look={["circle-alert", "models.failingSince", "bad"]} since={failingSince} />;
  if (checkedAt) return <StateWord look={["circle-check", "models.worksSince", "good"]} since={checkedAt} />;
  return <StateWord look={["circle-dashed", "models.notAsked", "none"]} />;
}

const deliveryLooks: Readonly<Record<string, Look>> = {
  delivered: ["circle-check", "webhooks.delivered", "good"],
  pending: ["clock", "webhooks.pending", "busy"],
  dead: ["circle-alert", "webhooks.dead", "bad"],
};

/** What became of a delivery. */
export const DeliveryState = ({ state }: { state: string }) => <StateWord look={deliveryLooks[state] ?? deliveryLooks["pending"]!} />;
