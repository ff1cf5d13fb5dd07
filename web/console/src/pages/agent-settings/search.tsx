// Which words mean the same, what conversations are about, and how they are judged.
import { Button, IconButton } from "../../components/button";
import { Field } from "../../components/field";
import { Section } from "../../components/page";
import { useTexts } from "../../i18n";
import { Lines } from "../looks/rows";
import { NumberRow, SwitchRow, useValue } from "./rows";
import styles from "./agent-settings.module.css";

const readList = (separator: RegExp) => (text: string) => text.split(separator).map((one) => one.trim()).filter(Boolean);
const readLines = readList(/\n/);
const joinLines = (list: readonly string[]) => list.join("\n");
const readPhrases = readList(/,/);
const readGroups = (text: string) => readLines(text).map(readPhrases);
const joinGroups = (groups: readonly (readonly string[])[]) => groups.map((group) => group.join(", ")).join("\n");

export function SearchAndTopics() {
  const { t } = useTexts();
  const [synonyms, setSynonyms, isReadOnly] = useValue<string[][]>("synonyms");
  return (
    <>
      <Section title={t("settings.synonyms")}>
        <Lines
          name="settings.synonyms"
          label={t("settings.synonymsLabel")}
          hint={t("settings.synonymsHint")}
          value={synonyms}
          split={readGroups}
          join={joinGroups}
          onChange={setSynonyms}
          isReadOnly={isReadOnly}
        />
      </Section>
      <Section title={t("settings.topics")}>
        <p>{t("settings.topicsText")}</p>
        <Topics />
      </Section>
      <Section title={t("settings.insight")}>
        <SwitchRow name="insight.model" />
        <p className={styles.hint}>{t("settings.insightModelHint")}</p>
        <NumberRow name="insight.againDays" hintKey="settings.insightDaysHint" isWhole preset={3} />
      </Section>
    </>
  );
}

interface Topic {
  name: string;
  keywords?: string[] | null;
  examples?: string[] | null;
  topics?: Topic[] | null;
}

function Topics() {
  const [topics, set, isReadOnly] = useValue<Topic[]>("topics");
  return <TopicList topics={topics} path="topics" isReadOnly={isReadOnly} onChange={set} />;
}

interface ListProps {
  topics: readonly Topic[];
  /** Of the list, as faults name it. */
  path: string;
  isReadOnly: boolean;
  isBelow?: boolean;
  onChange: (topics: Topic[]) => void;
}

function TopicList({ topics, path, isReadOnly, isBelow = false, onChange }: ListProps) {
  const { t } = useTexts();
  return (
    <>
      {topics.map((topic, i) => (
        <TopicRow
          key={i}
          topic={topic}
          path={`${path}.${i}`}
          isReadOnly={isReadOnly}
          isBelow={isBelow}
          onChange={(next) => onChange(topics.map((one, j) => (j === i ? next : one)))}
          onRemove={() => onChange(topics.filter((_, j) => j !== i))}
        />
      ))}
      {!isReadOnly && (
        <div>
          <Button icon="plus" onPress={() => onChange([...topics, { name: "" }])}>
            {t(isBelow ? "settings.addSubtopic" : "settings.addTopic")}
          </Button>
        </div>
      )}
    </>
  );
}

interface RowProps extends Pick<ListProps, "path" | "isReadOnly" | "isBelow"> {
  topic: Topic;
  onChange: (topic: Topic) => void;
  onRemove: () => void;
}

function TopicRow({ topic, path, isReadOnly, isBelow = false, onChange, onRemove }: RowProps) {
  const { t } = useTexts();
  const name = topic.name || t("settings.newTopic");
  // What is left out is not sent: a list without entries means the same.
  const change = (part: Partial<Topic>) => {
    const next = { ...topic, ...part };
    onChange(Object.fromEntries(Object.entries(next).filter(([, value]) => !Array.isArray(value) || value.length > 0)) as unknown as Topic);
  };
  return (
    <fieldset className={styles.group} aria-label={name}>
      <div className={styles.groupHead}>
        <Field
          name={`settings.${path}.name`}
          label={t("settings.topicName")}
          value={topic.name}
          onChange={(text) => change({ name: text })}
          isReadOnly={isReadOnly}
        />
        {!isReadOnly && <IconButton icon="trash" label={t("settings.removeTopic", { name })} onPress={onRemove} />}
      </div>
      <Lines
        name={`settings.${path}.keywords`}
        label={t("settings.keywords")}
        hint={t("settings.keywordsHint")}
        value={topic.keywords ?? []}
        split={readLines}
        join={joinLines}
        rows={2}
        onChange={(keywords) => change({ keywords })}
        isReadOnly={isReadOnly}
      />
      <Lines
        name={`settings.${path}.examples`}
        label={t("settings.examples")}
        hint={t("settings.examplesHint")}
        value={topic.examples ?? []}
        split={readLines}
        join={joinLines}
        rows={2}
        onChange={(examples) => change({ examples })}
        isReadOnly={isReadOnly}
      />
      {!isBelow && (
        <TopicList
          topics={topic.topics ?? []}
          path={`${path}.topics`}
          isReadOnly={isReadOnly}
          isBelow
          onChange={(topics) => change({ topics })}
        />
      )}
    </fieldset>
  );
}
