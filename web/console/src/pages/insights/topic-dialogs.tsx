import { useState } from "react";
import { Button } from "../../components/button";
import { Choice } from "../../components/choice";
import { Actions, Dialog } from "../../components/dialog";
import { Field } from "../../components/field";
import { Form } from "../../components/form";
import { useTexts } from "../../i18n";
import { showName } from "../../names";
import type { Place, Placed } from "./tree";
import styles from "./insights.module.css";

interface DialogProps {
  title: string;
  isOpen: boolean;
  onClose: () => void;
}

interface NameProps {
  name: string;
  /** The names of the other topics. */
  taken: readonly string[];
  onName: (name: string) => void;
}

/** Asks what a topic is called. */
export function NameDialog({ title, isOpen, onClose, ...props }: DialogProps & NameProps) {
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      <NameForm {...props} onClose={onClose} />
    </Dialog>
  );
}

function NameForm({ name, taken, onName, onClose }: NameProps & { onClose: () => void }) {
  const { t } = useTexts();
  const [text, setText] = useState(name);
  const isTaken = taken.includes(text.trim());
  const submit = async () => {
    if (text.trim() && !isTaken) onName(text.trim());
  };
  return (
    <Form onSubmit={submit}>
      {() => (
        <>
          <Field name="name" label={t("settings.topicName")} value={text} onChange={setText} maxLength={100} isRequired autoFocus />
          <p role="status" className={styles.hint}>
            {isTaken && t("insights.nameTaken")}
          </p>
          <Actions>
            <Button onPress={onClose}>{t("dialog.cancel")}</Button>
            <Button kind="primary" type="submit" isDisabled={isTaken}>
              {t("insights.done")}
            </Button>
          </Actions>
        </>
      )}
    </Form>
  );
}

interface TargetProps {
  label: string;
  hint?: string;
  targets: readonly Placed[];
  /** What the place above all topics is called, where that can be chosen. */
  top?: string | undefined;
  onChoose: (place: Place | null) => void;
}

/** Asks for another topic. */
export function TargetDialog({ title, isOpen, onClose, ...props }: DialogProps & TargetProps) {
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      <TargetForm {...props} onClose={onClose} />
    </Dialog>
  );
}

const topId = "top";

function TargetForm({ label, hint, targets, top, onChoose, onClose }: TargetProps & { onClose: () => void }) {
  const { t } = useTexts();
  const named = targets.map(({ topic, place }) => ({ id: place.join("."), name: showName(topic.name, t) }));
  const options = top === undefined ? named : [{ id: topId, name: top }, ...named];
  const [chosen, setChosen] = useState(options[0]?.id ?? "");
  const choose = async () => onChoose(chosen === topId ? null : chosen.split(".").map(Number));
  return (
    <Form onSubmit={choose}>
      {() => (
        <>
          {hint && <p>{hint}</p>}
          <Choice label={label} value={chosen} options={options} onChange={setChosen} />
          <Actions>
            <Button onPress={onClose}>{t("dialog.cancel")}</Button>
            <Button kind="primary" type="submit" isDisabled={options.length === 0}>
              {t("insights.done")}
            </Button>
          </Actions>
        </>
      )}
    </Form>
  );
}
