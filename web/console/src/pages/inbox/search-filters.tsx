import { useTools, type ToolHead } from "../../api/actions";
import { useAgentSettings } from "../../api/settings";
import { Choice } from "../../components/choice";
import { useTexts } from "../../i18n";
import { showName } from "../../names";
import { listTopics, type Topic } from "../insights/tree";
import type { Change, FilterName, Place } from "./place";

interface Props {
  agent: string;
  filter: Place["filter"];
  move: (change: Change) => void;
}

const any = "any"; // an option may not be empty

// Where conversations of the console begin. Further ones are options as soon as the address names them.
const channels = ["Widget or Iframe", "Center stage", "Iframe", "Agent page", "Phone", "API"] as const;
const toolOutcomes = ["success", "error", "pending", "ignored"] as const;
const procedureOutcomes = ["completed", "failed", "abandoned", "escalated"] as const;

/** What else the search narrows by: where a conversation began, whether somebody called, and what there is of the agent. */
export function SearchFilters({ agent, filter, move }: Props) {
  const { t } = useTexts();
  const options = { filter, move };
  return (
    <>
      <One {...options} name="source" label={t("inbox.source")} options={channels.map((id) => ({ id, name: id }))} />
      <One
        {...options}
        name="hasVoice"
        label={t("inbox.hasVoice")}
        options={(["true", "false"] as const).map((id) => ({ id, name: t(`inbox.hasVoice.${id}`) }))}
      />
      {agent && <OfAgent {...options} agent={agent} />}
    </>
  );
}

/** Topics, actions and procedures of the agent, as far as it has some. */
function OfAgent({ agent, ...options }: Props) {
  const { t } = useTexts();
  const topics = listTopics((useAgentSettings(agent).data?.settings.topics ?? []) as Topic[]);
  const tools = useTools(agent).data;
  const named = (list: readonly ToolHead[] = []) => list.map(({ name }) => ({ id: name, name: showName(name, t) }));
  const has = (names: readonly FilterName[], list: readonly unknown[]) => list.length > 0 || names.some((name) => options.filter[name]);
  const [actions, procedures] = [named(tools?.actions), named(tools?.procedures)];
  return (
    <>
      {has(["topic"], topics) && (
        <One
          {...options}
          name="topic"
          label={t("inbox.topic")}
          options={[
            ...topics.map(({ topic: { name }, place }) => ({ id: name, name: `${"– ".repeat(place.length - 1)}${showName(name, t)}` })),
            { id: "unspecified", name: t("insights.noTopic") },
          ]}
        />
      )}
      {has(["tool", "toolOutcome"], actions) && (
        <>
          <One {...options} name="tool" label={t("inbox.tool")} options={actions} />
          <One
            {...options}
            name="toolOutcome"
            label={t("inbox.toolOutcome")}
            options={toolOutcomes.map((id) => ({ id, name: t(`inbox.toolOutcome.${id}`) }))}
          />
        </>
      )}
      {has(["procedure", "procedureOutcome"], procedures) && (
        <>
          <One {...options} name="procedure" label={t("inbox.procedure")} options={procedures} />
          <One
            {...options}
            name="procedureOutcome"
            label={t("inbox.procedureOutcome")}
            options={procedureOutcomes.map((id) => ({ id, name: t(`inbox.procedureOutcome.${id}`) }))}
          />
        </>
      )}
    </>
  );
}

interface OneProps extends Omit<Props, "agent"> {
  name: FilterName;
  label: string;
  options: readonly { id: string; name: string }[];
}

/** One part of the filter. What is chosen is an option, whatever else there is. */
function One({ name, label, options, filter, move }: OneProps) {
  const { t } = useTexts();
  const chosen = filter[name] ?? any;
  const known = [{ id: any, name: t("inbox.feedback.any") }, ...options];
  const all = known.some(({ id }) => id === chosen) ? known : [...known, { id: chosen, name: chosen }];
  return <Choice label={label} value={chosen} options={all} onChange={(id) => move({ [name]: id === any ? "" : id })} />;
}
