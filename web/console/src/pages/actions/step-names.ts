import { useTexts } from "../../i18n";
import { useEditor } from "./fields";

const shownLength = 40;
const cut = (text: string) => ([...text].length > shownLength ? `${[...text].slice(0, shownLength).join("")}…` : text);

/** Says in a few words what a step does, by its place. */
export function useStepNames(): (at: number) => string {
  const { t } = useTexts();
  const { steps } = useEditor().values;
  return (at) => {
    const { say = "", action, procedure, if: condition } = steps[at]!;
    const what = condition
      ? t("actions.whatIf", { field: condition.field })
      : (action ?? (procedure === undefined ? cut(say) : t("actions.whatProcedure", { name: procedure })));
    return t("actions.stepAs", { number: at + 1, what });
  };
}
