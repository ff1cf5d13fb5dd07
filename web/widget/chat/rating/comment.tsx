import { useChat } from "../context";
import { Form, type Submission } from "../form/form";
import { newField, newSchema, noRules, refuseUpload } from "../form/single";
import type { FormSchema } from "../form/schema";
import type { Translate } from "../translate";
import styles from "./comment.module.css";

/** Asks what was wrong with an answer that was found bad. */
export function RatingComment({ messageId, onClose }: { messageId: string; onClose(): void }) {
  const chat = useChat();
  const t = chat.texts.t as Translate;
  const submit = async ({ values, website }: Submission) => {
    if (website) return; // a program has filled it in
    await chat.comment(messageId, "negative", String(values.comment));
  };
  return (
    <div class={styles.comment}>
      <Form schema={commentSchema(t)} t={t} label={t("feedback.title")} onSubmit={submit} upload={refuseUpload} onDismiss={onClose} />
    </div>
  );
}

function commentSchema(t: Translate): FormSchema {
  const comment = newField("comment", "textarea", t("feedback.title"));
  const rules = { ...noRules, required: { value: true, message: "" }, maxLength: { value: 1_000, message: "" } };
  return { ...newSchema({ ...comment, rules }, t("chat.send")), successText: t("feedback.thanks") };
}
