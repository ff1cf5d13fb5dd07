// What of the playground is in its address: loading it again shows the same.
import { navigate, useSearch } from "wouter/use-browser-location";

export const panes = ["settings", "talk", "why"] as const;
export type Pane = (typeof panes)[number];

export interface Place {
  /** The conversations that are shown: none yet, one, or two side by side. */
  conversations: readonly string[];
  isComparing: boolean;
  /** The message id of the answer that is explained; empty for the last one. */
  answer: string;
  /** What is shown where there is room for one. */
  pane: Pane;
  /** The actions that the draft leaves out. */
  without: readonly string[];
  /** The channel whose instructions are asked with; empty for none. */
  channel: string;
}

function readPlace(search: string): Place {
  const query = new URLSearchParams(search);
  const conversations = query.getAll("conversation").filter(Boolean).slice(0, 2);
  return {
    conversations,
    isComparing: query.has("compare") || conversations.length === 2,
    answer: query.get("answer") ?? "",
    pane: panes.find((pane) => pane === query.get("pane")) ?? "talk",
    without: query.getAll("without"),
    channel: query.get("channel") ?? "",
  };
}

function writePlace({ conversations, isComparing, answer, pane, without, channel }: Place): string {
  const query = new URLSearchParams();
  for (const id of conversations) query.append("conversation", id);
  if (isComparing) query.set("compare", "on");
  if (answer) query.set("answer", answer);
  if (pane !== "talk") query.set("pane", pane);
  for (const name of without) query.append("without", name);
  if (channel) query.set("channel", channel);
  return query.size > 0 ? `?${query}` : "";
}

/** Where a page is, and what moves it without leaving it: nobody is asked about what is not saved. */
export function usePlace() {
  const place = readPlace(useSearch());
  const move = (change: Partial<Place>, isStep = false) => {
    const to = location.pathname + writePlace({ ...readPlace(location.search), ...change });
    if (to !== location.pathname + location.search) navigate(to, { replace: !isStep });
  };
  return { place, move };
}
