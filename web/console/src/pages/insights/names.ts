import { useTexts, type Key } from "../../i18n";
import { showName } from "../../names";

const sentiments: Readonly<Record<string, Key>> = {
  positive: "insights.positive",
  neutral: "insights.neutral",
  negative: "insights.negative",
  unspecified: "insights.unspecified",
};

/** What a group of conversations is called; channels have the names of the API. */
export function useGroupName() {
  const { t } = useTexts();
  return (filter: "topic" | "sentiment" | "source", key: string) => {
    const known = filter === "sentiment" ? sentiments[key] : undefined;
    if (known) return t(known);
    return key === "unspecified" ? t("insights.noTopic") : showName(key, t);
  };
}
