import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { isUsed, removeModelServer, type ModelServer } from "../../api/model-servers";
import { Button } from "../../components/button";
import { Actions, Dialog } from "../../components/dialog";
import { Failed } from "../../components/states";
import { useTexts } from "../../i18n";
import styles from "./models.module.css";

interface Props {
  /** The dialog is open if there is one. */
  server: ModelServer | null;
  onClose: () => void;
  onDone: () => void;
}

/** Asks before a server goes, and says what becomes of the agents that it answers for. */
export function RemoveDialog({ server, onClose, onDone }: Props) {
  const { t } = useTexts();
  return (
    <Dialog
      role="alertdialog"
      title={t("models.removeNamed", { name: server?.name ?? "" })}
      isOpen={server !== null}
      onClose={onClose}
    >
      {server && <Question server={server} onClose={onClose} onDone={onDone} />}
    </Dialog>
  );
}

function Question({ server, onClose, onDone }: Props & { server: ModelServer }) {
  const { t } = useTexts();
  const client = useQueryClient();
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const isMeant = server.agents > 0 || isUsed(error); // the person has read that it answers for agents
  const remove = async () => {
    setPending(true);
    try {
      await removeModelServer(server.modelServerId ?? "", isMeant);
      onDone();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setPending(false);
      await client.invalidateQueries({ queryKey: ["modelServers"] });
    }
  };
  return (
    <>
      {isMeant && <p className={styles.warning}>{server.agents > 0 ? t("models.used", { count: server.agents }) : t("models.usedNow")}</p>}
      <p>{t(`models.removed.${server.kind}`)}</p>
      {error !== null && !isUsed(error) && <Failed error={error} />}
      <Actions>
        <Button onPress={onClose} autoFocus>
          {t("dialog.cancel")}
        </Button>
        <Button kind="danger" onPress={() => void remove()} isPending={isPending}>
          {t("models.remove")}
        </Button>
      </Actions>
    </>
  );
}
