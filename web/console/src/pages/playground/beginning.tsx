import { Button } from "react-aria-components";
import { useQuestionSources, type SuggestingAgent, type Suggestion } from "../../api/playground";
import { Failed } from "../../components/states";
import { useTexts } from "../../i18n";
import styles from "./playground.module.css";

const mostSuggestions = 5;

/** What is shown before the first message: questions to begin with. */
export function Beginning({ agent, onAsk }: { agent: SuggestingAgent; onAsk: (message: string) => void }) {
  const { t } = useTexts();
  const sources = useQuestionSources(agent.id);
  const own = suggestionTexts(agent.suggestedMessages);
  const names = sources.data?.data.map(({ name }) => name) ?? [];
  const questions = [...new Set(own.length > 0 ? own : names)].slice(0, mostSuggestions);
  return (
    <div className={styles.beginning}>
      <h2 dir="auto">{t("playground.begin", { name: agent.name })}</h2>
      <p>{t("playground.beginText")}</p>
      {sources.isError && own.length === 0 && <Failed error={sources.error} onRetry={() => void sources.refetch()} />}
      {questions.length > 0 && (
        <ul className={styles.suggestions} aria-label={t("playground.suggested")}>
          {questions.map((question) => (
            <li key={question}>
              <Button className={styles.suggestion!} onPress={() => onAsk(question)}>
                <bdi>{question}</bdi>
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function suggestionTexts(list: readonly Suggestion[] | null | undefined): string[] {
  const texts = (list ?? []).flatMap((one) => (one.type === "nested" ? one.items.map(({ text }) => text) : [one.text]));
  return texts.filter(Boolean);
}
