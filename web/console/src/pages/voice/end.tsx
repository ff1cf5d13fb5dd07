import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { endVoiceSession } from "../../api/people";
import { useMay } from "../../api/session";
import { Button } from "../../components/button";
import { Dialog } from "../../components/dialog";
import { useTexts } from "../../i18n";
import { Ask } from "../workspace/ask";

interface Props {
  agentId: string;
  sessionId: string;
}

/** Ends a session that goes on, after a question: it ends for the customer too. */
export function EndSession({ agentId, sessionId }: Props) {
  const { t } = useTexts();
  const client = useQueryClient();
  const mayEnd = useMay("voice:write");
  const [isAsked, setAsked] = useState(false);
  if (!mayEnd) return null;
  const end = async () => {
    await endVoiceSession(sessionId);
    setAsked(false);
    await Promise.all([["voice", sessionId], ["agent", agentId, "voice"]].map((queryKey) => client.invalidateQueries({ queryKey })));
  };
  return (
    <div>
      <Button kind="danger" onPress={() => setAsked(true)}>
        {t("people.endSession")}
      </Button>
      <Dialog role="alertdialog" title={t("people.endSession")} isOpen={isAsked} onClose={() => setAsked(false)}>
        <Ask submit={t("people.endSession")} isDangerous onSubmit={end} onClose={() => setAsked(false)}>
          <p>{t("people.endSessionText")}</p>
        </Ask>
      </Dialog>
    </div>
  );
}
