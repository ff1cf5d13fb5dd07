import { useEffect, useState, type FormEvent } from "react";
import { Input, Label, TextField } from "react-aria-components";
import { Button } from "../../components/button";
import { Choice } from "../../components/choice";
import { Field } from "../../components/field";
import { useTexts } from "../../i18n";
import { filterNames, type Change, type Place } from "./place";
import field from "../../components/field.module.css";
import styles from "./inbox.module.css";

interface Props {
  place: Place;
  move: (change: Change) => void;
}

const any = "any"; // an option may not be empty

/** Words and what else narrows the conversations of an agent. The search of the server finds them. */
export function Filters({ place: { filter }, move }: Props) {
  const { t } = useTexts();
  const [words, setWords] = useState(filter.query ?? "");
  const [isOpen, setOpen] = useState(() => filterNames.some((name) => name !== "query" && filter[name]));
  useEffect(() => setWords(filter.query ?? ""), [filter.query]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    move({ query: words.trim() });
  };
  const choose = (name: "feedback" | "sentiment") => (id: string) => move({ [name]: id === any ? "" : id });
  const clear = () => move(Object.fromEntries(filterNames.map((name) => [name, ""])));
  const isNarrowed = filterNames.some((name) => filter[name]);
  return (
    <form role="search" className={styles.filters} onSubmit={submit}>
      <TextField className={field.field!} type="search" value={words} onChange={setWords}>
        <Label className={field.label!}>{t("inbox.words")}</Label>
        <Input className={field.input!} dir="auto" maxLength={512} />
      </TextField>
      <div className={styles.buttons}>
        <Button kind="quiet" icon="chevron-down" aria-expanded={isOpen} onPress={() => setOpen(!isOpen)}>
          {t("inbox.filters")}
        </Button>
        {isNarrowed && (
          <Button kind="quiet" icon="x" onPress={clear}>
            {t("inbox.clear")}
          </Button>
        )}
      </div>
      {isOpen && (
        <>
          <Choice
            label={t("inbox.feedback")}
            value={filter.feedback ?? any}
            options={[any, "positive", "negative"].map((id) => ({ id, name: t(`inbox.feedback.${id as "any" | "positive" | "negative"}`) }))}
            onChange={choose("feedback")}
          />
          <Choice
            label={t("inbox.sentiment")}
            value={filter.sentiment ?? any}
            options={[any, "positive", "neutral", "negative"].map((id) => ({
              id,
              name: t(`inbox.sentiment.${id as "any" | "positive" | "neutral" | "negative"}`),
            }))}
            onChange={choose("sentiment")}
          />
          <Choice
            label={t("inbox.escalated")}
            value={filter.escalated ?? any}
            options={[
              { id: any, name: t("inbox.escalated.any") },
              { id: "true", name: t("inbox.escalated.true") },
            ]}
            onChange={(id) => move({ escalated: id === any ? "" : id })}
          />
          <Field type="date" label={t("inbox.from")} value={filter.startDate ?? ""} onChange={(startDate) => move({ startDate })} />
          <Field type="date" label={t("inbox.to")} value={filter.endDate ?? ""} onChange={(endDate) => move({ endDate })} />
          <p className={styles.detail}>{t("inbox.window")}</p>
        </>
      )}
    </form>
  );
}
