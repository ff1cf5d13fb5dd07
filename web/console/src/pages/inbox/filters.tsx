import { useEffect, useState, type FormEvent } from "react";
import { Input, TextField } from "react-aria-components";
import { useAllAgents } from "../../api/agents";
import { useInboxMembers } from "../../api/saved";
import { Button } from "../../components/button";
import { Choice } from "../../components/choice";
import { Field } from "../../components/field";
import { useTexts } from "../../i18n";
import { showName } from "../../names";
import { filterNames, type Change, type Place } from "./place";
import { SearchFilters } from "./search-filters";
import field from "../../components/field.module.css";
import styles from "./inbox.module.css";

interface Props {
  place: Place;
  move: (change: Change) => void;
}

const any = "any"; // an option may not be empty

/** Words and what else narrows the conversations: an agent, a member, and what the search of the server knows. */
export function Filters({ place: { view, agent, member, order, filter }, move }: Props) {
  const { t } = useTexts();
  const [words, setWords] = useState(filter.query ?? "");
  const isSearch = filterNames.some((name) => filter[name]);
  const [isOpen, setOpen] = useState(() => agent !== "" || member !== "" || filterNames.some((name) => name !== "query" && filter[name]));
  useEffect(() => setWords(filter.query ?? ""), [filter.query]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    move({ query: words.trim() });
  };
  const choose = (name: "feedback" | "sentiment") => (id: string) => move({ [name]: id === any ? "" : id });
  const clear = () => move(Object.fromEntries(["agent", "member", ...filterNames].map((name) => [name, ""])));
  return (
    <form role="search" className={styles.filters} onSubmit={submit}>
      <div className={styles.words}>
        <TextField className={styles.wordField!} type="search" value={words} onChange={setWords} aria-label={t("inbox.words")}>
          <Input className={field.input!} dir="auto" maxLength={512} placeholder={t("inbox.words")} />
        </TextField>
        <Button icon="chevron-down" aria-expanded={isOpen} onPress={() => setOpen(!isOpen)}>
          {t("inbox.filters")}
        </Button>
      </div>
      {isOpen && (
        <>
          <AgentChoice chosen={agent} onChange={(id) => move({ agent: id })} />
          {!isSearch && view === "waiting" && (
            <Choice
              label={t("inbox.order")}
              value={order}
              options={(["longest", "active"] as const).map((id) => ({ id, name: t(`inbox.order.${id}`) }))}
              onChange={(id) => move({ order: id === "active" ? id : "" })}
            />
          )}
          {!isSearch && <MemberChoice chosen={member} onChange={(id) => move({ member: id })} />}
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
          <SearchFilters agent={agent} filter={filter} move={move} />
          <Field type="date" label={t("inbox.from")} value={filter.startDate ?? ""} onChange={(startDate) => move({ startDate })} />
          <Field type="date" label={t("inbox.to")} value={filter.endDate ?? ""} onChange={(endDate) => move({ endDate })} />
          <p className={styles.detail}>{t("inbox.window")}</p>
        </>
      )}
      {(isSearch || agent || member) && (
        <div className={styles.buttons}>
          <Button kind="quiet" icon="x" onPress={clear}>
            {t("inbox.clear")}
          </Button>
        </div>
      )}
    </form>
  );
}

function AgentChoice({ chosen, onChange }: { chosen: string; onChange: (agent: string) => void }) {
  const { t } = useTexts();
  const agents = useAllAgents(true).data ?? [];
  const options = [{ id: any, name: t("inbox.allAgents") }, ...agents.map(({ id, name }) => ({ id, name }))];
  if (chosen && !options.some(({ id }) => id === chosen)) options.push({ id: chosen, name: chosen });
  return <Choice label={t("inbox.agent")} value={chosen || any} options={options} onChange={(id) => onChange(id === any ? "" : id)} />;
}

/** Whose conversations are shown. A search knows nothing of that. */
function MemberChoice({ chosen, onChange }: { chosen: string; onChange: (member: string) => void }) {
  const { t } = useTexts();
  const members = useInboxMembers(true).data ?? [];
  const options = [{ id: any, name: t("saved.anyMember") }, ...members.map(({ userId, name }) => ({ id: userId, name: showName(name, t) }))];
  if (chosen && !options.some(({ id }) => id === chosen)) options.push({ id: chosen, name: t("saved.goneMember") });
  return <Choice label={t("saved.member")} value={chosen || any} options={options} onChange={(id) => onChange(id === any ? "" : id)} />;
}
