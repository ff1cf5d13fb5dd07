import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { FileTrigger } from "react-aria-components";
import { useLocation } from "wouter";
import { applyManifest, type Applied } from "../../api/manifest";
import { Button } from "../../components/button";
import { Actions, Dialog } from "../../components/dialog";
import { TextArea } from "../../components/text-area";
import { KeepTyped } from "../../components/unsaved";
import { useTexts } from "../../i18n";
import { ChangesDialog } from "../agent-manifest/changes";
import { ManifestFaults } from "../agent-manifest/faults";
import { Secrets, useSecrets } from "../agent-manifest/secrets";

interface Props {
  isOpen: boolean;
  onClose: () => void;
}

/** Makes agents of a manifest, as `parley export` writes it. */
export function ManifestDialog({ isOpen, onClose }: Props) {
  const { t } = useTexts();
  return (
    <Dialog title={t("agents.fromManifest")} isOpen={isOpen} onClose={onClose}>
      <p>{t("agents.manifestText")}</p>
      <KeepTyped>{(saved) => <ManifestForm onSaved={saved} onClose={onClose} />}</KeepTyped>
    </Dialog>
  );
}

function ManifestForm({ onSaved, onClose }: { onSaved: () => void; onClose: () => void }) {
  const { t } = useTexts();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [text, setText] = useState("");
  const secrets = useSecrets(text);
  const manifest = { text, secrets: secrets.given, prune: false };
  const [found, setFound] = useState<readonly Applied[] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const finish = async (agents: readonly Applied[]) => {
    onSaved();
    await client.invalidateQueries({ queryKey: ["agents"] });
    onClose();
    if (agents.length === 1) navigate(`/agents/${agents[0]!.agentId}`);
  };
  // An agent that is there already, as in the manifest of one, is not changed before it was seen how.
  const apply = async () => {
    setPending(true);
    setError(null);
    try {
      const { agents } = await applyManifest(manifest, true);
      if (agents.some(({ agentId }) => agentId)) setFound(agents);
      else await finish((await applyManifest(manifest, false)).agents);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setPending(false);
    }
  };
  return (
    <>
      {error !== null && <ManifestFaults error={error} />}
      <FileTrigger
        acceptedFileTypes={[".yaml", ".yml", ".json"]}
        onSelect={(files) => void files?.[0]?.text().then(setText)}
      >
        <Button icon="upload">{t("agents.manifestFile")}</Button>
      </FileTrigger>
      <TextArea label={t("agents.manifest")} value={text} onChange={setText} rows={12} isCode hasLineNumbers />
      <Secrets secrets={secrets} isNew />
      <Actions>
        <Button onPress={onClose}>{t("dialog.cancel")}</Button>
        <Button kind="primary" isDisabled={text.trim() === ""} isPending={isPending} onPress={() => void apply()}>
          {t("agents.create")}
        </Button>
      </Actions>
      {found && (
        <ChangesDialog
          manifest={manifest}
          found={found}
          note={t("agents.manifestKnown")}
          onApplied={() => void finish(found)}
          onClose={() => setFound(null)}
        />
      )}
    </>
  );
}
