import { useState } from "react";
import { useSetupChange } from "../../api/helpdesk-setup";

/** Does something to the set-up, has it read again, keeps what has failed, and says whether it was done. */
export function useAttempt(agentId: string) {
  const refresh = useSetupChange(agentId);
  const [error, setError] = useState<unknown>(null);
  const attempt = async (act: () => Promise<unknown>) => {
    setError(null);
    const isDone = await act().then(
      () => true,
      (thrown: unknown) => {
        setError(thrown);
        return false;
      },
    );
    await refresh();
    return isDone;
  };
  return { error, attempt };
}
