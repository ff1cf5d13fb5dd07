import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { removeTool, type Kind } from "../../api/actions";
import { Button } from "../../components/button";
import { Actions, Dialog } from "../../components/dialog";
import { Failed } from "../../components/states";
import { useTexts } from "../../i18n";
import { explainRefusal } from "./faults";

interface Props {
  agent: string;
  kind: Kind;
  toolKey: string;
  name: string;
  isOpen: boolean;
  onClose: () => void;
  onDone: () => void;
}

/** Asks before an action or a procedure goes. */
export function RemoveDialog({ agent, kind, toolKey, name, isOpen, onClose, onDone }: Props) {
  const { t, locale } = useTexts();
  const client = useQueryClient();
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const close = () => {
    setError(null);
    onClose();
  };
  const remove = async () => {
    setPending(true);
    try {
      await removeTool(agent, kind, toolKey);
      onDone();
      client.removeQueries({ queryKey: ["actions", agent, kind === "procedure" ? "procedure" : "action", toolKey] });
      await client.invalidateQueries({ queryKey: ["actions", agent] });
    } catch (thrown) {
      setError(thrown);
      setPending(false);
    }
  };
  return (
    <Dialog role="alertdialog" title={t("actions.removeNamed", { name })} isOpen={isOpen} onClose={close}>
      <p>{t(kind === "procedure" ? "actions.removedProcedure" : "actions.removed")}</p>
      {error !== null && <Failed error={error} text={explainRefusal(error, t, locale)} />}
      <Actions>
        <Button onPress={close} autoFocus>
          {t("dialog.cancel")}
        </Button>
        <Button kind="danger" onPress={() => void remove()} isPending={isPending}>
          {t("actions.remove")}
        </Button>
      </Actions>
    </Dialog>
  );
}
