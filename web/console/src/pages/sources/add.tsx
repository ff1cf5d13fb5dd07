import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { addSource, invalidateSources, type LinkRecord, type NewSource } from "../../api/sources";
import { Button } from "../../components/button";
import { Actions, Dialog } from "../../components/dialog";
import { Field } from "../../components/field";
import { Form } from "../../components/form";
import { Progress } from "../../components/progress";
import { RadioChoice } from "../../components/radio-choice";
import { Failed } from "../../components/states";
import { TextArea } from "../../components/text-area";
import { KeepTyped } from "../../components/unsaved";
import { useTexts } from "../../i18n";
import { Drop } from "./drop";
import { readPairs } from "./paste";
import { PatternFields, readLines, usePatterns } from "./patterns";

export const addKinds = ["files", "website", "text", "qna"] as const;
export type AddKind = (typeof addKinds)[number];

interface Props {
  agentId: string;
  kind: AddKind | null;
  /** What is filled in at first, such as a question that nothing answers. */
  question?: string;
  onFiles: (files: File[]) => void;
  onClose: () => void;
}

/** Gives the agent something to read. */
export function AddDialog({ agentId, kind, question = "", onFiles, onClose }: Props) {
  const { t } = useTexts();
  const client = useQueryClient();
  const finish = (saved: () => void) => async () => {
    saved();
    onClose();
    await invalidateSources(client, agentId);
  };
  const files = (list: File[]) => {
    if (list.length === 0) return;
    onFiles(list);
    onClose();
  };
  return (
    <Dialog title={kind ? t(`sources.addTitle.${kind}`) : ""} isOpen={kind !== null} onClose={onClose}>
      {kind === "files" && <Drop onFiles={files} autoFocus />}
      {kind !== null && kind !== "files" && (
        <KeepTyped>
          {(saved) => {
            const done = finish(saved);
            const add = (source: NewSource) => addSource(agentId, source).then(done);
            if (kind === "website") return <WebsiteForm agentId={agentId} onAdd={add} onClose={onClose} />;
            if (kind === "text") return <TextForm onAdd={add} onClose={onClose} />;
            return <QnAForms agentId={agentId} question={question} onAdd={add} onDone={done} onClose={onClose} />;
          }}
        </KeepTyped>
      )}
    </Dialog>
  );
}

interface FormProps {
  onAdd: (source: NewSource) => Promise<unknown>;
  onClose: () => void;
}

function Buttons({ isPending, onClose }: { isPending: boolean; onClose: () => void }) {
  const { t } = useTexts();
  return (
    <Actions>
      <Button onPress={onClose}>{t("dialog.cancel")}</Button>
      <Button type="submit" kind="primary" isPending={isPending}>
        {t("sources.addSubmit")}
      </Button>
    </Actions>
  );
}

/** An address as people type it: without a scheme it is https. */
export const completeAddress = (text: string) => (/^[a-z][a-z0-9+.-]*:/i.test(text) ? text : `https://${text}`);

function WebsiteForm({ agentId, onAdd, onClose }: FormProps & { agentId: string }) {
  const { t } = useTexts();
  const [address, setAddress] = useState("");
  const [type, setType] = useState<LinkRecord["type"]>("crawl");
  const patterns = usePatterns();
  const url = completeAddress(address.trim());
  const add = () => onAdd({ type: "link", url, linkType: type, ...(type !== "individual" && patterns.settings) });
  return (
    <Form onSubmit={add}>
      {(isPending) => (
        <>
          <Field
            name="url"
            inputMode="url"
            label={t("sources.address")}
            hint={t("sources.addressHint")}
            value={address}
            onChange={setAddress}
            isRequired
            autoFocus
          />
          <RadioChoice
            label={t("sources.linkType")}
            value={type}
            onChange={setType}
            options={(["crawl", "sitemap", "individual"] as const).map((id) => ({
              id,
              name: t(`sources.linkTypes.${id}`),
              text: t(`sources.linkTypeText.${id}`),
            }))}
          />
          {type !== "individual" && (
            <PatternFields agentId={agentId} url={address.trim() && url} linkType={type} patterns={patterns} />
          )}
          <Buttons isPending={isPending} onClose={onClose} />
        </>
      )}
    </Form>
  );
}

function TextForm({ onAdd, onClose }: FormProps) {
  const { t } = useTexts();
  const add = ({ name = "", content = "" }: Record<string, string>) => onAdd({ type: "text", name, content });
  return (
    <Form onSubmit={add}>
      {(isPending) => (
        <>
          <Field name="name" label={t("sources.name")} maxLength={100} isRequired autoFocus />
          <TextArea name="content" label={t("sources.text")} hint={t("sources.textHint")} rows={12} isRequired />
          <Buttons isPending={isPending} onClose={onClose} />
        </>
      )}
    </Form>
  );
}

interface QnAProps extends FormProps {
  agentId: string;
  question: string;
  onDone: () => Promise<unknown>;
}

function QnAForms(props: QnAProps) {
  const { t } = useTexts();
  const [way, setWay] = useState<"one" | "table">("one");
  return (
    <>
      <RadioChoice
        label={t("sources.qnaWay")}
        value={way}
        onChange={setWay}
        options={(["one", "table"] as const).map((id) => ({ id, name: t(`sources.qnaWays.${id}`) }))}
      />
      {way === "one" ? <QnAForm {...props} /> : <TableForm {...props} />}
    </>
  );
}

function QnAForm({ question, onAdd, onClose }: QnAProps) {
  const { t } = useTexts();
  const add = ({ questions = "", answer = "" }: Record<string, string>) => {
    const list = readLines(questions);
    return onAdd({ type: "qna", name: list[0] ?? "", questions: list, answer });
  };
  return (
    <Form onSubmit={add}>
      {(isPending) => (
        <>
          <TextArea
            name="questions"
            label={t("sources.questions")}
            hint={t("sources.questionsHint")}
            defaultValue={question}
            rows={4}
            isRequired
            autoFocus
          />
          <TextArea name="answer" label={t("sources.answer")} rows={5} isRequired />
          <Buttons isPending={isPending} onClose={onClose} />
        </>
      )}
    </Form>
  );
}

function TableForm({ agentId, onDone, onClose }: QnAProps) {
  const { t } = useTexts();
  const [text, setText] = useState("");
  const [done, setDone] = useState<number | null>(null);
  const pairs = useMemo(() => readPairs(text), [text]);
  const [error, setError] = useState<unknown>(null);
  const add = async () => {
    setError(null);
    let sent = 0;
    setDone(sent);
    try {
      for (const { questions, answer } of pairs) {
        await addSource(agentId, { type: "qna", name: questions[0]!, questions, answer });
        setDone((sent += 1));
      }
      await onDone();
    } catch (thrown) {
      // What has arrived leaves the text, so that another try does not send it twice.
      setText(pairs.slice(sent).map(({ questions, answer }) => [...questions, answer].map(quote).join("\t")).join("\n"));
      setError(thrown);
      setDone(null);
    }
  };
  return (
    <Form onSubmit={add}>
      {(isPending) => (
        <>
          {error !== null && <Failed error={error} />}
          <TextArea
            label={t("sources.table")}
            hint={t("sources.tableHint")}
            value={text}
            onChange={setText}
            rows={8}
            isRequired
            isReadOnly={done !== null}
          />
          <p role="status">{t("sources.tableCount", { count: pairs.length })}</p>
          {done !== null && <Progress label={t("sources.addSubmit")} share={done / Math.max(1, pairs.length)} />}
          <Buttons isPending={isPending} onClose={onClose} />
        </>
      )}
    </Form>
  );
}

const quote = (cell: string) => (/["\t\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
