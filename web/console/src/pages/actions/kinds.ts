import type { Kind, ToolHead } from "../../api/actions";
import type { Key } from "../../i18n";
import type { IconName } from "../../../../shared/icons";

export const kindIcons: Readonly<Record<Kind, IconName>> = {
  http: "globe",
  client: "code-xml",
  "collect-leads": "users",
  "custom-button": "square",
  escalate: "user",
  "web-search": "search",
  procedure: "rows-3",
};

/** Where an action or a procedure is changed. */
export const addressOfTool = (agent: string, kind: string, key: string) =>
  `/agents/${agent}/actions/${kind === "procedure" ? "procedure" : "edit"}/${key}`;

const mostCounted = 1000; // that many mean that many or more

/** The text that says how often it was called of late. */
export function callsOf({ calls }: ToolHead): [Key, { count: number }] {
  if (calls === 0) return ["actions.notCalled", { count: 0 }];
  return [calls < mostCounted ? "actions.calls" : "actions.callsMany", { count: calls }];
}
