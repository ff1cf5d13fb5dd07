// What the console tells the chat frame that it shows as a preview. The frame asks nobody for anything.

export const previewStates = ["fresh", "answer", "streaming", "form", "person", "offline", "error", "files"] as const;
export type PreviewState = (typeof previewStates)[number];

/** Where the chat is shown, which decides whose looks it has. */
export const previewParts = ["chat", "centerStage", "help"] as const;
export type PreviewPart = (typeof previewParts)[number];

/** What is said in the preview, in the language of whoever looks at it. */
export interface PreviewWords {
  question: string;
  answer: string;
  source: string;
  quote: string;
  person: string;
  personAnswer: string;
  file: string;
}

export interface PreviewData {
  part: PreviewPart;
  state: PreviewState;
  styles: { chat: Record<string, unknown>; centerStage: Record<string, unknown> | null };
  name: string;
  initialMessages: string[];
  suggestedMessages: unknown[];
  locale: string;
  /** Empty for that of the language. */
  dir: "" | "ltr" | "rtl";
  isSmall: boolean;
  words: PreviewWords;
}

/** The message that carries it. */
export interface PreviewMessage {
  type: "preview";
  data: PreviewData;
}
