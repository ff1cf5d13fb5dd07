// What the conversations of an agent came to: figures, questions without an answer, topics, and the conversations behind.
import { useLocation } from "wouter";
import { useAddressParams } from "../../address-params";
import { useAgent } from "../../api/agents";
import { isNotFound } from "../../api/client";
import { periodOf, useReport } from "../../api/report";
import { Choice } from "../../components/choice";
import { Page } from "../../components/page";
import { Failed, Loading } from "../../components/states";
import { Tabs } from "../../components/tabs";
import { useTexts } from "../../i18n";
import NotFoundPage from "../not-found";
import { Conversation, Conversations } from "./conversations";
import { Export } from "./export";
import { Figures } from "./figures";
import { Questions } from "./questions";
import { Topics } from "./topics";
import styles from "./insights.module.css";

const parts = ["figures", "questions", "topics"] as const;
type Part = (typeof parts)[number];

const lengths = ["7", "30", "90", "365"] as const;
type Length = (typeof lengths)[number];
const usualLength: Length = "30";

interface Props {
  id: string;
  part: string | undefined;
  /** One of the conversations. */
  conversation?: string;
}

export default function InsightsPage({ id, part = "figures", conversation }: Props) {
  const agent = useAgent(id);
  const shown = parts.find((one) => one === part);
  if (!agent.data && isNotFound(agent.error)) return <NotFoundPage isAgent />;
  if (part === "conversations" && conversation) return <Conversation agentId={id} conversationId={conversation} />;
  if (part === "conversations") return <Conversations agentId={id} />;
  return shown ? <Insights id={id} part={shown} /> : <NotFoundPage />;
}

function Insights({ id, part }: { id: string; part: Part }) {
  const { t } = useTexts();
  const [, navigate] = useLocation();
  const [query, setQuery] = useAddressParams();
  const days = lengths.find((one) => one === query.get("days")) ?? usualLength;
  const period = periodOf(Number(days));
  const report = useReport(id, period, "day");
  const before = useReport(id, periodOf(Number(days), 1), "day");
  const addressOf = (next: Part) =>
    `/agents/${id}/insights${next === "figures" ? "" : `/${next}`}${days === usualLength ? "" : `?days=${days}`}`;
  const choose = (next: Length) => setQuery(next === usualLength ? {} : { days: next }, { replace: true });
  return (
    <Page
      title={t("insights.title")}
      actions={
        <div className={styles.actions}>
          <Choice
            label={t("insights.period")}
            value={days}
            options={lengths.map((length) => ({ id: length, name: t("insights.days", { count: Number(length) }) }))}
            onChange={choose}
          />
          {report.data && <Export agentId={id} period={period} report={report.data} />}
        </div>
      }
    >
      {report.isPending && <Loading rows={6} />}
      {report.isError && !report.data && <Failed error={report.error} onRetry={() => void report.refetch()} />}
      {report.data && (
        <Tabs
          label={t("insights.parts")}
          chosen={part}
          tabs={[
            {
              id: "figures",
              name: t("insights.figures"),
              content: <Figures agentId={id} period={period} report={report.data} before={before.data} />,
            },
            { id: "questions", name: t("insights.questions"), content: <Questions agentId={id} period={period} report={report.data} /> },
            { id: "topics", name: t("insights.topics"), content: <Topics agentId={id} report={report.data} /> },
          ]}
          onChange={(next) => navigate(addressOf(next))}
        />
      )}
    </Page>
  );
}
