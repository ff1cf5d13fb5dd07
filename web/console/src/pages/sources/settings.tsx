import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { findChanges, findDisputes, type Dispute, type Values } from "../../api/draft";
import {
  changeSource,
  invalidateSources,
  linkRecord,
  readWrittenText,
  useSitePages,
  type LinkRecord,
  type SourceDetails,
} from "../../api/sources";
import { Button } from "../../components/button";
import { ConflictDialog } from "../../components/conflict";
import { Actions } from "../../components/dialog";
import { Field } from "../../components/field";
import { Form } from "../../components/form";
import { Failed, Loading } from "../../components/states";
import { TextArea } from "../../components/text-area";
import { KeepTyped } from "../../components/unsaved";
import { useTexts, type Key } from "../../i18n";
import { PatternFields, readLines, usePatterns } from "./patterns";
import { asTyped, readPresent, showBoth, valuesOf } from "./values";

interface Props {
  agentId: string;
  source: SourceDetails;
  mayWrite: boolean;
}

const labels: Record<string, Key> = {
  name: "sources.name",
  content: "sources.text",
  questions: "sources.questions",
  answer: "sources.answer",
  includeOnlyPaths: "sources.include",
  excludePaths: "sources.exclude",
  slowScraping: "sources.slow",
};

/** What somebody wants to save while others have saved the same. */
interface Conflict {
  disputes: readonly Dispute[];
  mine: Values;
  saved: () => void;
}

/** What people can change of a source. It goes on answering from what it has until the change is read. */
export function Settings({ agentId, source, mayWrite }: Props) {
  const { t } = useTexts();
  const client = useQueryClient();
  const [isSaved, setSaved] = useState(false);
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const [error, setError] = useState<unknown>(null);
  // What is typed stays when the source changes meanwhile: the form goes on with the source that it began with.
  const [kept, setKept] = useState<SourceDetails | null>(null);
  const shown = kept ?? source;
  if (!mayWrite) return <p>{t("sources.readOnly")}</p>;
  const send = async (changes: Values, saved: () => void) => {
    if (Object.keys(changes).length > 0) await changeSource(agentId, source.sourceId, changes);
    saved();
    setSaved(true);
    await invalidateSources(client, agentId);
  };
  // Only what was changed is sent. Where others have changed the same, it asks.
  const saver = (saved: () => void) => async (before: Values, after: Values, from: SourceDetails) => {
    setSaved(false);
    setError(null);
    const mine = findChanges(before, after);
    const disputes = findDisputes(before, mine, await readPresent(agentId, from, before, mine));
    if (disputes.length > 0) setConflict({ disputes, mine, saved });
    else await send(mine, saved);
  };
  const answer = async (changes: Values) => {
    if (!conflict) return;
    setConflict(null);
    try {
      await send(changes, conflict.saved);
      setSaved(Object.keys(changes).length > 0);
    } catch (thrown) {
      setError(thrown);
    }
  };
  const undisputed = () => {
    const names = conflict?.disputes.map(({ name }) => name) ?? [];
    return Object.fromEntries(Object.entries(conflict?.mine ?? {}).filter(([name]) => !names.includes(name)));
  };
  const tell = ({ name, mine, theirs }: Dispute) => {
    const [own, others] = showBoth(mine, theirs);
    return { name: t(labels[name] ?? "sources.source"), mine: own, theirs: others };
  };
  return (
    <>
      {isSaved && <p role="status">{t("sources.saved")}</p>}
      {error !== null && <Failed error={error} />}
      <KeepTyped onChange={(isTyped) => setKept(isTyped ? shown : null)}>
        {(saved) => (
          <Fields
            key={source.type === "text" ? "text" : shown.updatedAt}
            agentId={agentId}
            source={shown}
            isTyped={kept !== null}
            onSave={saver(saved)}
          />
        )}
      </KeepTyped>
      <ConflictDialog
        differences={conflict?.disputes.map(tell) ?? []}
        onKeepMine={() => void answer(conflict?.mine ?? {})}
        onTakeTheirs={() => void answer(undisputed())}
        onClose={() => setConflict(null)}
      />
    </>
  );
}

function Fields(props: FormProps) {
  const { type } = props.source;
  if (type === "link") return <LinkSettings {...props} />;
  if (type === "file") return <FileSettings {...props} />;
  return type === "text" ? <TextSettings {...props} /> : <QnASettings {...props} />;
}

interface FormProps {
  agentId: string;
  source: SourceDetails;
  /** Something is typed and not saved. */
  isTyped: boolean;
  /** Saves what differs from what the form began with, which was read of the source. */
  onSave: (before: Values, after: Values, from: SourceDetails) => Promise<void>;
}

function Save({ isPending }: { isPending: boolean }) {
  const { t } = useTexts();
  return (
    <Actions>
      <Button type="submit" kind="primary" isPending={isPending}>
        {t("unsaved.save")}
      </Button>
    </Actions>
  );
}

const mostKnown = 8; // addresses to begin a trial of patterns with

function LinkSettings({ agentId, source, onSave }: FormProps) {
  const { t } = useTexts();
  const record = linkRecord(source);
  const patterns = usePatterns(record);
  const type: LinkRecord["type"] = record?.type ?? "individual";
  const pages = useSitePages(agentId, source.sourceId);
  if (type === "individual") return <p>{t("sources.linkTypeText.individual")}</p>;
  if (pages.isPending) return <Loading />;
  const known = pages.data?.pages[0]?.data.slice(0, mostKnown).map(({ url }) => url) ?? [];
  return (
    <Form onSubmit={() => onSave(valuesOf(source), patterns.settings, source)}>
      {(isPending) => (
        <>
          <PatternFields agentId={agentId} url={source.url ?? ""} linkType={type} patterns={patterns} known={known} isOpen />
          <Save isPending={isPending} />
        </>
      )}
    </Form>
  );
}

function FileSettings({ source, onSave }: FormProps) {
  const { t } = useTexts();
  return (
    <Form onSubmit={({ name }) => onSave(valuesOf(source), { name }, source)}>
      {(isPending) => (
        <>
          <Field name="name" label={t("sources.name")} defaultValue={source.name} maxLength={100} isRequired />
          <Save isPending={isPending} />
        </>
      )}
    </Form>
  );
}

/** What a form was begun with. */
interface Beginning {
  source: SourceDetails;
  text: string;
  count: number;
}

function TextSettings({ agentId, source, isTyped, onSave }: FormProps) {
  const written = useQuery({
    queryKey: ["source", agentId, source.sourceId, "written"],
    queryFn: ({ signal }) => readWrittenText(agentId, source.sourceId, signal),
    gcTime: 0,
  });
  // What others have written takes the place of what is shown, while nothing is typed and once all of it is there.
  const [begun, setBegun] = useState<Beginning | null>(null);
  const text = written.isError || written.isFetching ? undefined : written.data;
  const isNew = text !== begun?.text || source.updatedAt !== begun?.source.updatedAt;
  if (text !== undefined && !isTyped && isNew) setBegun({ source, text, count: (begun?.count ?? 0) + 1 });
  if (begun) return <TextForm key={begun.count} begun={begun} onSave={onSave} />;
  if (written.isError) return <Failed error={written.error} onRetry={() => void written.refetch()} />;
  return <Loading />;
}

function TextForm({ begun: { source, text }, onSave }: Pick<FormProps, "onSave"> & { begun: Beginning }) {
  const { t } = useTexts();
  return (
    <Form onSubmit={({ name, content = "" }) => onSave(valuesOf(source, text), { name, content: asTyped(content) }, source)}>
      {(isPending) => (
        <>
          <Field name="name" label={t("sources.name")} defaultValue={source.name} maxLength={100} isRequired />
          <TextArea name="content" label={t("sources.text")} defaultValue={text} rows={16} isRequired />
          <Save isPending={isPending} />
        </>
      )}
    </Form>
  );
}

function QnASettings({ source, onSave }: FormProps) {
  const { t } = useTexts();
  const save = ({ name, questions = "", answer = "" }: Record<string, string>) =>
    onSave(valuesOf(source), { name, questions: readLines(questions), answer: asTyped(answer) }, source);
  return (
    <Form onSubmit={save}>
      {(isPending) => (
        <>
          <Field name="name" label={t("sources.name")} defaultValue={source.name} isRequired />
          <TextArea
            name="questions"
            label={t("sources.questions")}
            hint={t("sources.questionsHint")}
            defaultValue={(source.questions ?? []).join("\n")}
            isRequired
          />
          <TextArea name="answer" label={t("sources.answer")} defaultValue={source.answer ?? ""} rows={6} isRequired />
          <Save isPending={isPending} />
        </>
      )}
    </Form>
  );
}
