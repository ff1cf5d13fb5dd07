// What an agent is called, how it speaks, which model answers, and who can use it.
import { useDraftOptions } from "../../api/playground";
import { useMay } from "../../api/session";
import { ConnectModel } from "../../components/connect-model";
import { Section } from "../../components/page";
import { useTexts } from "../../i18n";
import { isBuiltIn, isNotConnected, listModels } from "../playground/models";
import { ChoiceRow, NumberRow, TextRow, useValue } from "./rows";
import styles from "./agent-settings.module.css";

const useOptions = (id: string) => useDraftOptions(id, useMay("playground:use")).data;

/** The names of models that a setting can have, each with what answers for it. */
export function useModelOptions(id: string, name: string) {
  const { t } = useTexts();
  const [chosen] = useValue<string>(name);
  const options = useOptions(id);
  return listModels(options, chosen).map((model) => {
    if (!isBuiltIn(options, model)) return { id: model, name: model };
    return { id: model, name: t(isNotConnected(options, model) ? "playground.notConnected" : "playground.builtInNow", { model }) };
  });
}

export function General({ id }: { id: string }) {
  const { t } = useTexts();
  const models = useModelOptions(id, "model");
  const options = useOptions(id);
  const [model] = useValue<string>("model");
  return (
    <Section title={t("settings.general")}>
      <TextRow name="name" hintKey="field.agentNameHint" />
      <TextRow name="instructions" hintKey="settings.instructionsHint" isLong />
      <ChoiceRow name="model" options={models} />
      {isBuiltIn(options, model) && (
        <p className={styles.hint}>
          <ConnectModel />
        </p>
      )}
      <NumberRow name="temp" hintKey="settings.creativityHint" preset={0} />
      <ChoiceRow
        name="visibility"
        options={[
          { id: "private", name: t("agent.private") },
          { id: "public", name: t("agent.public") },
        ]}
      />
    </Section>
  );
}
