import { useEffect, useState, type FormEvent } from "react";
import { Input, Label, TextField } from "react-aria-components";
import { textOfTurn } from "../../../../shared/stream/turn";
import { APIError } from "../../api/client";
import { improveAnswer, useQuestionSources, type ImprovedAnswer, type Improvement } from "../../api/playground";
import { Button } from "../../components/button";
import { Choice } from "../../components/choice";
import { Actions, Dialog } from "../../components/dialog";
import { FaultForm } from "../../components/fault-form";
import { lex } from "../../components/markdown/lexer";
import { Markdown } from "../../components/markdown/markdown";
import { Failed } from "../../components/states";
import { TextArea } from "../../components/text-area";
import { useTexts } from "../../i18n";
import { citedBlocks } from "../../../../shared/markdown/cites";
import type { Exchange } from "./conversation";
import field from "../../components/field.module.css";
import styles from "./improve.module.css";

interface Props {
  agent: string;
  /** Null while nothing is improved. */
  exchange: Exchange | null;
  /** The better answer, where there is one already. */
  better?: string | undefined;
  onClose: () => void;
}

/** Keeps a better answer, and shows what the question gets then. */
export function ImproveDialog({ agent, exchange, better, onClose }: Props) {
  const { t } = useTexts();
  const [result, setResult] = useState<Improvement | null>(null);
  const [isChanged, setChanged] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const isUnsaved = isChanged && !result;
  useUnloadQuestion(isUnsaved);
  const close = () => {
    setResult(null);
    setChanged(false);
    setAsking(false);
    onClose();
  };
  const leave = () => (isUnsaved ? setAsking(true) : close());
  return (
    <Dialog title={t(result ? "playground.improved" : "playground.improveTitle")} isOpen={exchange !== null} onClose={leave}>
      {exchange && !result && (
        <ImproveForm
          agent={agent}
          exchange={exchange}
          better={better}
          onDone={setResult}
          onChange={() => setChanged(true)}
          onCancel={leave}
        />
      )}
      {result && <Result result={result} onClose={close} />}
      <Dialog role="alertdialog" title={t("settings.leaveTitle")} isOpen={isAsking} onClose={() => setAsking(false)}>
        <p>{t("playground.improveLeave")}</p>
        <Actions>
          <Button onPress={close}>{t("unsaved.discard")}</Button>
          <Button kind="primary" autoFocus onPress={() => setAsking(false)}>
            {t("settings.stay")}
          </Button>
        </Actions>
      </Dialog>
    </Dialog>
  );
}

/** Has the browser ask before the page goes, while something is not saved. */
function useUnloadQuestion(isUnsaved: boolean) {
  useEffect(() => {
    if (!isUnsaved) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isUnsaved]);
}

const newSource = "new";

interface FormProps {
  agent: string;
  exchange: Exchange;
  better: string | undefined;
  onDone: (result: Improvement) => void;
  onChange: () => void;
  onCancel: () => void;
}

function ImproveForm({ agent, exchange, better, onDone, onChange, onCancel }: FormProps) {
  const { t } = useTexts();
  const isRefused = exchange.answer.metadata?.answerState === "refused";
  const [question, setQuestion] = useState(exchange.question);
  const [answer, setAnswer] = useState(better ?? (isRefused ? "" : textOfTurn(exchange.answer.parts)));
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [words, setWords] = useState("");
  const sources = useQuestionSources(agent, words);
  const found = sources.data?.data.map(({ sourceId, name }) => ({ id: sourceId, name })) ?? [];
  const [chosen, setChosen] = useState({ id: newSource, name: t("playground.newSource") });
  const places = [{ id: newSource, name: t("playground.newSource") }, ...found];
  if (!places.some(({ id }) => id === chosen.id)) places.push(chosen);
  const hasMany = words !== "" || sources.data?.pagination.hasMore;
  const place = chosen.id;
  const write = (set: (text: string) => void) => (text: string) => {
    set(text);
    onChange();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isPending) return;
    setPending(true);
    setError(null);
    try {
      onDone(await improveAnswer(agent, exchange.answer, { question, answer, ...(place !== newSource && { sourceId: place }) }));
    } catch (thrown) {
      setError(thrown);
      setPending(false);
    }
  };
  const faults = error instanceof APIError ? error.details : {};
  return (
    <FaultForm className={styles.form!} onSubmit={(event) => void submit(event)} said={faults}>
      {error !== null && <Failed error={error} />}
      <TextArea name="question" label={t("playground.question")} value={question} onChange={write(setQuestion)} rows={2} isRequired />
      <TextArea
        name="answer"
        label={t("playground.betterAnswer")}
        value={answer}
        onChange={write(setAnswer)}
        rows={6}
        isRequired
        autoFocus
      />
      {hasMany && (
        <TextField className={field.field!} type="search" value={words} onChange={setWords}>
          <Label className={field.label!}>{t("playground.findPlace")}</Label>
          <Input className={field.input!} dir="auto" />
        </TextField>
      )}
      {sources.isError && <Failed error={sources.error} onRetry={() => void sources.refetch()} />}
      <Choice
        label={t("playground.keepIn")}
        value={place}
        options={places}
        onChange={(id) => setChosen(places.find((one) => one.id === id)!)}
      />
      <p className={field.hint}>{t(place === newSource ? "playground.improveNew" : "playground.improveExtend")}</p>
      <Actions>
        <Button onPress={onCancel}>{t("dialog.cancel")}</Button>
        <Button kind="primary" type="submit" isPending={isPending}>
          {t("playground.improveSubmit")}
        </Button>
      </Actions>
    </FaultForm>
  );
}

function Result({ result, onClose }: { result: Improvement; onClose: () => void }) {
  const { t } = useTexts();
  return (
    <div className={styles.form} role="status">
      <Shown title={t("playground.before")} answer={result.before} />
      {result.after ? <Shown title={t("playground.after")} answer={result.after} /> : <p>{t("playground.notTrained")}</p>}
      {result.after && <p className={field.hint}>{t("playground.credits", { count: result.after.credits })}</p>}
      <Actions>
        <Button kind="primary" onPress={onClose}>
          {t("dialog.close")}
        </Button>
      </Actions>
    </div>
  );
}

function Shown({ title, answer }: { title: string; answer: ImprovedAnswer }) {
  return (
    <section className={styles.shown}>
      <h3>{title}</h3>
      <Markdown blocks={citedBlocks(answer.text, [], lex)} />
    </section>
  );
}
