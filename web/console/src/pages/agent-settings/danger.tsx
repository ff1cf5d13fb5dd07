// What cannot be undone.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { deleteAgent } from "../../api/agents";
import { Button } from "../../components/button";
import { Field } from "../../components/field";
import { Section } from "../../components/page";
import { Failed } from "../../components/states";
import { useTexts } from "../../i18n";

/** Deletes the agent, once its name is typed. The server asks who the person is. */
export function Danger({ id, name }: { id: string; name: string }) {
  const { t } = useTexts();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [typed, setTyped] = useState("");
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const isMeant = typed.trim() === name.trim();
  const remove = async () => {
    setPending(true);
    setError(null);
    try {
      await deleteAgent(id);
      navigate("/agents");
      await client.invalidateQueries({ queryKey: ["agents"] });
    } catch (thrown) {
      setError(thrown);
      setPending(false);
    }
  };
  return (
    <Section title={t("settings.deleteTitle")}>
      <p>{t("settings.deleteText")}</p>
      <Field
        name="confirm"
        label={t("settings.deleteConfirm")}
        hint={name}
        value={typed}
        onChange={setTyped}
        autoComplete="off"
        isDisabled={isPending}
      />
      {error !== null && <Failed error={error} />}
      <div>
        <Button kind="danger" icon="trash" isDisabled={!isMeant} isPending={isPending} onPress={() => void remove()}>
          {t("settings.deleteNow")}
        </Button>
      </div>
    </Section>
  );
}
