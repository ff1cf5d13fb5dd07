import { useAddressParams } from "../../address-params";
import type { Insights } from "../../api/insights";
import type { Period } from "../../api/report";
import { useMay } from "../../api/session";
import { Button } from "../../components/button";
import { Facts } from "../../components/facts";
import { Empty } from "../../components/states";
import { RoleNote } from "../../components/role-note";
import { relativeTime, useTexts } from "../../i18n";
import { AddDialog } from "../sources/add";
import { addressOfFound } from "./address";
import { NamedLink } from "./named-link";
import styles from "./insights.module.css";

const noFiles = () => {};

/** What customers asked and no source answers, by likeness, with a way to answer it. */
export function Questions({ agentId, period, report }: { agentId: string; period: Period; report: Insights }) {
  const { t, locale } = useTexts();
  const [query, setQuery] = useAddressParams();
  const mayAnswer = useMay("sources:write");
  const { groups, withheld, questions } = report.unanswered;
  const answered = mayAnswer ? query.get("answer") : null;
  const setAnswered = (question: string | null) =>
    setQuery((before) => {
      question === null ? before.delete("answer") : before.set("answer", question);
      return before;
    });
  return (
    <>
      <RoleNote needs="sources:write" note="role.questions" />
      <p className={styles.hint}>{t("insights.questionsMean", { count: questions })}</p>
      {withheld && <p className={styles.hint}>{t("insights.withheld")}</p>}
      {groups.length === 0 && !withheld && (
        <Empty icon="message-circle-question-mark" title={t("insights.allAnswered")} text={t("insights.allAnsweredText")} />
      )}
      {groups.length > 0 && (
        <ol className={`${styles.days} ${styles.rows}`} aria-label={t("insights.questions")}>
          {groups.map(({ example, count, lastAsked }) => (
            <li key={example + lastAsked} className={styles.question}>
              <div>
                <p dir="auto">{example}</p>
                <p className={styles.hint}>
                  <Facts>
                    {t("insights.asked", { count })}
                    {relativeTime(new Date(lastAsked * 1000).toISOString(), locale)}
                  </Facts>
                </p>
              </div>
              <NamedLink
                href={addressOfFound(agentId, period, { figure: "question", askedAt: `${lastAsked}` })}
                text={t("insights.show")}
                name={example}
              />
              {mayAnswer && <Button onPress={() => setAnswered(example)}>{t("insights.answer")}</Button>}
            </li>
          ))}
        </ol>
      )}
      <AddDialog
        agentId={agentId}
        kind={answered === null ? null : "qna"}
        question={answered ?? ""}
        onFiles={noFiles}
        onClose={() => setAnswered(null)}
      />
    </>
  );
}
