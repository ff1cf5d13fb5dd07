// What the console's pages are made of, in every state.
import { useState } from "react";
import { APIError } from "../../src/api/client";
import { Button } from "../../src/components/button";
import { ConflictDialog, type Difference } from "../../src/components/conflict";
import { Failed, Loading, Partial } from "../../src/components/states";
import { UnsavedBar } from "../../src/components/unsaved";

const failure = new APIError(429, "RATE_LIMIT_TOO_MANY_REQUESTS", "", "req-1", {}, 7);
const differences = [{ name: "Name", mine: "Help desk", theirs: "Support" }];

export default function States() {
  const [log, setLog] = useState("");
  const [isLoading, setLoading] = useState(false);
  const [differing, setDiffering] = useState<Difference[]>([]);
  const end = (what: string) => () => {
    setDiffering([]);
    setLog(what);
  };
  return (
    <section>
      <output data-testid="log">{log}</output>
      <Button onPress={() => setLoading(true)}>Load</Button>
      {isLoading && <Loading />}
      <Failed error={failure} onRetry={() => setLog("retry")} />
      <Partial count={2} onRetry={() => setLog("retry")} />
      <Button onPress={() => setDiffering(differences)}>Conflict</Button>
      <ConflictDialog
        differences={differing}
        onKeepMine={end("mine")}
        onTakeTheirs={end("theirs")}
        onClose={end("close")}
      />
      <UnsavedBar count={3} isSaving={false} onDiscard={end("discard")} onSave={end("save")} />
    </section>
  );
}
