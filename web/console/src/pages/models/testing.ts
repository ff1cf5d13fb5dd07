import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Outcome } from "../../api/model-servers";

/** Asks a server whether it works, and keeps what came of it. What is known of all servers is read again then. */
export function useTesting(test: () => Promise<Outcome>) {
  const client = useQueryClient();
  const [outcome, setOutcome] = useState<Outcome>();
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const forget = () => {
    setOutcome(undefined);
    setError(null);
  };
  const run = async () => {
    if (isPending) return;
    forget();
    setPending(true);
    try {
      setOutcome(await test());
      void client.invalidateQueries({ queryKey: ["modelServers"] });
    } catch (thrown) {
      setError(thrown);
    } finally {
      setPending(false);
    }
  };
  return { outcome, error, isPending, forget, run: () => void run() };
}
