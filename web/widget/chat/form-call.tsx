import { useEffect, useState } from "preact/hooks";
import { useChat } from "./context";
import { uploadFile } from "./files/upload";
import { Form, type Submission } from "./form/form";
import type { FormSchema } from "./form/schema";
import { LeadForm } from "./lead/lead";
import type { ToolPart } from "./state";
import type { Translate } from "./translate";
import styles from "./form-call.module.css";

// What the page is told of a form that was sent. What was filled in is the company's, not the page's.
const submitted = { status: "success" };

/** The form that the agent asks its customer to fill in: that for leads, or one that the page describes. */
export function FormCall({ part }: { part: ToolPart }) {
  const chat = useChat();
  return (
    <div class={styles.form}>{part.name === chat.config.leads?.toolName ? <LeadCall part={part} /> : <PageForm part={part} />}</div>
  );
}

function LeadCall({ part }: { part: ToolPart }) {
  const chat = useChat();
  const t = chat.texts.t as Translate;
  const submit = async (lead: object) => {
    const conversationId = chat.conversation.value?.id;
    await chat.api.request("POST", "/leads", { conversationId, toolCallId: part.id, ...lead });
    await chat.rounds.sendResult(part.id, submitted, true);
  };
  const dismiss = () => void chat.rounds.sendResult(part.id, { status: "error", error: "The customer has closed the form." });
  return (
    <LeadForm
      leads={chat.config.leads!}
      given={part.input}
      t={t}
      onSubmit={submit}
      onDismiss={dismiss}
      isSubmitted={part.isDone}
    />
  );
}

function PageForm({ part }: { part: ToolPart }) {
  const chat = useChat();
  const t = chat.texts.t as Translate;
  const [schema, setSchema] = useState<FormSchema | null>(null);
  const [isBroken, setBroken] = useState(false);
  useEffect(() => {
    if (part.isDone) return;
    chat.rounds.describeForm(part.id, part.name, part.input).then(setSchema, (error: unknown) => {
      setBroken(true);
      void chat.rounds.sendResult(part.id, { status: "error", error: error instanceof Error ? error.message : "no form" });
    });
  }, []);
  if (isBroken) return null;
  if (part.isDone && !schema) return <p role="status">{t("form.submitted")}</p>;
  if (!schema) return <p class={styles.muted}>{t("chat.loading")}</p>;
  const submit = async ({ values, website }: Submission) => {
    const conversationId = chat.conversation.value?.id;
    await chat.api.request("POST", `/forms/${part.id}`, { conversationId, values, website });
    await chat.rounds.sendResult(part.id, submitted, true);
  };
  const upload = (file: File, onProgress: (share: number) => void, signal: AbortSignal) =>
    uploadFile(chat.api, file, onProgress, signal, conversationField(chat.conversation.value?.id));
  const dismiss = () => void chat.rounds.sendResult(part.id, { status: "error", error: "The customer has closed the form." });
  return (
    <Form
      schema={schema}
      t={t}
      label={part.name}
      onSubmit={submit}
      upload={upload}
      onDismiss={part.isDone ? undefined : dismiss}
      isSubmitted={part.isDone}
    />
  );
}

const conversationField = (id: string | undefined): Record<string, string> => (id ? { conversationId: id } : {});
