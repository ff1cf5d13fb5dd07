// What a manifest would change, before it does.
import { useState } from "react";
import { applyManifest, type Applied, type ManifestChange, type ManifestText } from "../../api/manifest";
import { Button } from "../../components/button";
import { Actions, Dialog } from "../../components/dialog";
import { Facts } from "../../components/facts";
import { useTexts, type Key } from "../../i18n";
import { ChangedLines } from "../sources/version";
import { ManifestFaults } from "./faults";
import { writeLines } from "./lines";
import styles from "./agent-manifest.module.css";

const operations: Readonly<Record<string, Key>> = {
  create: "manifest.op.create",
  update: "manifest.op.update",
  delete: "manifest.op.delete",
};

const parts: Readonly<Record<string, Key>> = {
  agent: "manifest.part.agent",
  settings: "manifest.part.settings",
  action: "manifest.part.action",
  procedure: "manifest.part.procedure",
  helpdesk: "manifest.part.helpdesk",
  status: "manifest.part.status",
  team: "manifest.part.team",
  rule: "manifest.part.rule",
  source: "manifest.part.source",
};

const nameOf = (known: Readonly<Record<string, Key>>, name: string, t: (key: Key) => string) => (known[name] ? t(known[name]) : name);

interface Props {
  manifest: ManifestText;
  /** What would change, as the server has said. */
  found: readonly Applied[];
  /** Said before it. */
  note?: string;
  onApplied: () => void;
  onClose: () => void;
}

/** Shows what would change, and applies it. Where something else would change by then, it is shown anew. */
export function ChangesDialog({ manifest, found, note, onApplied, onClose }: Props) {
  const { t } = useTexts();
  const [present, setPresent] = useState(found);
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const apply = async () => {
    setPending(true);
    setError(null);
    try {
      const { agents } = await applyManifest(manifest, true);
      setPresent(agents);
      if (JSON.stringify(agents) !== JSON.stringify(present)) return;
      await applyManifest(manifest, false);
      onApplied();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setPending(false);
    }
  };
  const changes = present.flatMap((agent) => agent.changes);
  const notes = present.flatMap((agent) => agent.notes ?? []);
  return (
    <Dialog title={t("manifest.changes")} isOpen onClose={onClose}>
      {note && <p>{note}</p>}
      {present !== found && JSON.stringify(present) !== JSON.stringify(found) && <p role="status">{t("manifest.anew")}</p>}
      {changes.length === 0 && <p>{t("manifest.nothing")}</p>}
      {changes.map((change, i) => (
        <Change key={i} change={change} />
      ))}
      {notes.length > 0 && (
        <ul className={styles.notes}>
          {notes.map(({ path, text }, i) => (
            <li key={i}>
              <code dir="ltr">{path}</code> <bdi>{text}</bdi>
            </li>
          ))}
        </ul>
      )}
      {error !== null && <ManifestFaults error={error} />}
      <Actions>
        <Button onPress={onClose}>{t("dialog.cancel")}</Button>
        {changes.length > 0 && (
          <Button kind="primary" isPending={isPending} onPress={() => void apply()}>
            {t("manifest.apply")}
          </Button>
        )}
      </Actions>
    </Dialog>
  );
}

function Change({ change }: { change: ManifestChange }) {
  const { t } = useTexts();
  const { op, part, key, before, after } = change;
  const what = nameOf(parts, part, t);
  return (
    <section className={styles.change}>
      <h3>
        <Facts>
          {nameOf(operations, op, t)}
          {what}
          {key && <code dir="ltr">{key}</code>}
        </Facts>
      </h3>
      <ChangedLines label={key ? `${what} ${key}` : what} before={writeLines(before)} after={writeLines(after)} isCode />
    </section>
  );
}
