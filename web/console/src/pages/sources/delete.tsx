import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { APIError } from "../../api/client";
import { deleteSource, invalidateSources, type KnowledgeUse, type SourceRow } from "../../api/sources";
import { Button } from "../../components/button";
import { Actions, Dialog } from "../../components/dialog";
import { Notice } from "../../components/notice";
import { Partial } from "../../components/states";
import { formatSize, useTexts } from "../../i18n";
import { runEach, type Failure } from "./bulk";
import styles from "./delete.module.css";

interface Props {
  agentId: string;
  sources: readonly SourceRow[];
  use: KnowledgeUse | undefined;
  onDone: () => void;
  onClose: () => void;
}

const mostNamed = 5;

// A source that somebody else has deleted meanwhile is gone as well.
const isLeft = ({ error }: Failure<SourceRow>) => !(error instanceof APIError && error.status === 404);

/** Asks before sources go, and says what goes with them. */
export function DeleteDialog({ agentId, sources, use, onDone, onClose }: Props) {
  const { t, locale } = useTexts();
  const client = useQueryClient();
  const [failures, setFailures] = useState<readonly Failure<SourceRow>[]>([]);
  const [isPending, setPending] = useState(false);
  const counts = new Map(use?.sources.map(({ sourceId, answers }) => [sourceId, answers]));
  const answers = sources.reduce((sum, { sourceId }) => sum + (counts.get(sourceId) ?? 0), 0);
  const size = formatSize(sources.reduce((sum, one) => sum + one.size, 0), locale);
  const remove = async (list: readonly SourceRow[]) => {
    setPending(true);
    const failed = (await runEach(list, ({ sourceId }) => deleteSource(agentId, sourceId))).filter(isLeft);
    await invalidateSources(client, agentId);
    setPending(false);
    setFailures(failed);
    if (failed.length === 0) onDone();
  };
  const left = failures.length > 0 ? failures.map(({ item }) => item) : sources;
  const close = () => {
    if (failures.length === 0) return onClose();
    setFailures([]);
    onDone();
  };
  return (
    <Dialog
      role="alertdialog"
      title={failures.length > 0 ? t("sources.delete") : t("sources.deleteTitle", { count: sources.length })}
      isOpen={sources.length > 0}
      onClose={close}
    >
      {failures.length > 0 ? (
        <Partial
          count={failures.length}
          text={t("sources.deletedPart", { count: failures.length })}
          failures={failures.map(({ item, error }) => ({ name: item.name, error }))}
        />
      ) : (
        <Question sources={sources} answers={answers} size={size} />
      )}
      <Actions>
        <Button onPress={close} autoFocus>
          {failures.length > 0 ? t("dialog.close") : t("dialog.cancel")}
        </Button>
        <Button kind="danger" onPress={() => void remove(left)} isPending={isPending}>
          {failures.length > 0 ? t("state.retryFailed") : t("sources.delete")}
        </Button>
      </Actions>
    </Dialog>
  );
}

interface QuestionProps {
  sources: readonly SourceRow[];
  answers: number;
  size: string;
}

function Question({ sources, answers, size }: QuestionProps) {
  const { t } = useTexts();
  return (
    <>
      <ul className={styles.names}>
        {sources.slice(0, mostNamed).map(({ sourceId, name }) => (
          <li key={sourceId}>
            <bdi>{name}</bdi>
          </li>
        ))}
        {sources.length > mostNamed && <li>{t("sources.andMore", { count: sources.length - mostNamed })}</li>}
      </ul>
      <p>{t("sources.takesAway", { size })}</p>
      {answers > 0 ? <Notice>{t("sources.takesAnswers", { count: answers })}</Notice> : <p>{t("sources.takesNone")}</p>}
    </>
  );
}
