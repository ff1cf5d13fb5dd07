import { APIError } from "../../api/client";
import { Button } from "../../components/button";
import { Empty, Failed } from "../../components/states";
import { useTexts } from "../../i18n";
import type { Change } from "./place";

const noWordsCode = "CONVERSATION_SEARCH_UNAVAILABLE"; // the agent keeps no personal data, or the company is under HIPAA

const codes: Readonly<Record<string, "agent" | "member">> = { AGENT_NOT_FOUND: "agent", TEAM_MEMBER_NOT_FOUND: "member" };

interface Props {
  error: unknown;
  move: (change: Change) => void;
  onRetry: () => void;
}

/** Says why a list cannot be read. What it is narrowed by may be gone: then the rest can be shown. */
export function ListFailed({ error, move, onRetry }: Props) {
  const { t } = useTexts();
  const part = error instanceof APIError ? codes[error.code] : undefined;
  if (error instanceof APIError && error.code === noWordsCode) {
    return (
      <Empty icon="circle-alert" title={t("inbox.noWords")} text={t("inbox.noWordsText")}>
        <Button onPress={() => move({ query: "" })}>{t("saved.leaveOut")}</Button>
      </Empty>
    );
  }
  if (!part) return <Failed error={error} onRetry={onRetry} />;
  return (
    <Empty icon="circle-alert" title={t(`saved.gone.${part}`)} text={t("saved.goneText")}>
      <Button onPress={() => move({ [part]: "" })}>{t("saved.leaveOut")}</Button>
    </Empty>
  );
}
