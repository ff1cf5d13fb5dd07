import { useQueryClient } from "@tanstack/react-query";
import { useState, type ComponentProps } from "react";
import { useLocation } from "wouter";
import { copyAgent, createAgent, type Agent } from "../../api/agents";
import { Button } from "../../components/button";
import { Choice } from "../../components/choice";
import { Actions, Dialog } from "../../components/dialog";
import { Field } from "../../components/field";
import { Form } from "../../components/form";
import { More } from "../../components/more";
import { useTexts } from "../../i18n";

interface Props {
  isOpen: boolean;
  onClose: () => void;
}

// useOpen leads to an agent that was made.
function useOpen(onClose: () => void) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  return async ({ id }: { id: string }) => {
    await client.invalidateQueries({ queryKey: ["agents"] });
    onClose();
    navigate(`/agents/${id}`);
  };
}

function Buttons({ isPending, onClose }: { isPending: boolean; onClose: () => void }) {
  const { t } = useTexts();
  return (
    <Actions>
      <Button onPress={onClose}>{t("dialog.cancel")}</Button>
      <Button type="submit" kind="primary" isPending={isPending}>
        {t("agents.create")}
      </Button>
    </Actions>
  );
}

export function NewAgentDialog({ isOpen, onClose }: Props) {
  const { t } = useTexts();
  const open = useOpen(onClose);
  return (
    <Dialog title={t("agents.new")} isOpen={isOpen} onClose={onClose}>
      <Form onSubmit={({ name = "" }) => createAgent(name).then(open)}>
        {(isPending) => (
          <>
            <Field name="name" label={t("field.agentName")} hint={t("field.agentNameHint")} isRequired autoFocus />
            <Buttons isPending={isPending} onClose={onClose} />
          </>
        )}
      </Form>
    </Dialog>
  );
}

interface CopyProps extends Props {
  agents: readonly Agent[];
  /** The list that the agents are a beginning of. */
  list: ComponentProps<typeof More>["list"];
}

export function CopyAgentDialog({ agents, list, isOpen, onClose }: CopyProps) {
  const { t } = useTexts();
  const open = useOpen(onClose);
  const [chosen, setChosen] = useState("");
  const id = chosen || (agents[0]?.id ?? "");
  return (
    <Dialog title={t("agents.copy")} isOpen={isOpen} onClose={onClose}>
      <p>{t("agents.copyText")}</p>
      <Form onSubmit={() => copyAgent(id).then(open)}>
        {(isPending) => (
          <>
            <Choice
              label={t("agent.title")}
              value={id}
              options={agents.map(({ id, name }) => ({ id, name }))}
              onChange={setChosen}
            />
            <More list={list} />
            <Buttons isPending={isPending} onClose={onClose} />
          </>
        )}
      </Form>
    </Dialog>
  );
}
