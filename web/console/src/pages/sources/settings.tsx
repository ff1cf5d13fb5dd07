import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import {
  changeSource,
  invalidateSources,
  linkRecord,
  readWholeText,
  useSitePages,
  type LinkRecord,
  type SourceDetails,
} from "../../api/sources";
import { Button } from "../../components/button";
import { Actions } from "../../components/dialog";
import { Field } from "../../components/field";
import { Form } from "../../components/form";
import { Failed, Loading } from "../../components/states";
import { TextArea } from "../../components/text-area";
import { KeepTyped } from "../../components/unsaved";
import { useTexts } from "../../i18n";
import { PatternFields, readLines, usePatterns } from "./patterns";

interface Props {
  agentId: string;
  source: SourceDetails;
  mayWrite: boolean;
}

/** What people can change of a source. It goes on answering from what it has until the change is read. */
export function Settings({ agentId, source, mayWrite }: Props) {
  const { t } = useTexts();
  const client = useQueryClient();
  const [isSaved, setSaved] = useState(false);
  // What is typed stays when the source changes meanwhile: the form goes on with the source that it began with.
  const [kept, setKept] = useState<SourceDetails | null>(null);
  const shown = kept ?? source;
  if (!mayWrite) return <p>{t("sources.readOnly")}</p>;
  const saver = (saved: () => void) => async (change: Record<string, unknown>) => {
    setSaved(false);
    await changeSource(agentId, source.sourceId, change);
    saved();
    setSaved(true);
    await invalidateSources(client, agentId);
  };
  return (
    <>
      {isSaved && <p role="status">{t("sources.saved")}</p>}
      <KeepTyped onChange={(isTyped) => setKept(isTyped ? shown : null)}>
        {(saved) => <Fields key={shown.updatedAt} agentId={agentId} source={shown} onSave={saver(saved)} />}
      </KeepTyped>
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
  onSave: (change: Record<string, unknown>) => Promise<void>;
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
    <Form onSubmit={() => onSave(patterns.settings)}>
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
    <Form onSubmit={({ name }) => onSave({ name })}>
      {(isPending) => (
        <>
          <Field name="name" label={t("sources.name")} defaultValue={source.name} maxLength={100} isRequired />
          <Save isPending={isPending} />
        </>
      )}
    </Form>
  );
}

function TextSettings({ agentId, source, onSave }: FormProps) {
  const { t } = useTexts();
  const text = useQuery({
    queryKey: ["source", agentId, source.sourceId, "whole"],
    queryFn: ({ signal }) => readWholeText(agentId, source.sourceId, "", signal),
    gcTime: 0,
  });
  if (text.isPending) return <Loading />;
  if (text.isError) return <Failed error={text.error} onRetry={() => void text.refetch()} />;
  return (
    <Form onSubmit={({ name, content }) => onSave({ name, content })}>
      {(isPending) => (
        <>
          <Field name="name" label={t("sources.name")} defaultValue={source.name} maxLength={100} isRequired />
          <TextArea name="content" label={t("sources.text")} defaultValue={text.data} rows={16} isRequired />
          <Save isPending={isPending} />
        </>
      )}
    </Form>
  );
}

function QnASettings({ source, onSave }: FormProps) {
  const { t } = useTexts();
  const save = ({ name, questions = "", answer }: Record<string, string>) =>
    onSave({ name, questions: readLines(questions), answer });
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
