import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { FileTrigger } from "react-aria-components";
import { useLocation } from "wouter";
import { applyManifest } from "../../api/manifest";
import { Button } from "../../components/button";
import { Actions, Dialog } from "../../components/dialog";
import { TextArea } from "../../components/text-area";
import { KeepTyped } from "../../components/unsaved";
import { useTexts } from "../../i18n";
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
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const apply = async () => {
    setPending(true);
    setError(null);
    try {
      const { agents } = await applyManifest({ text, secrets: secrets.given, prune: false }, false);
      onSaved();
      await client.invalidateQueries({ queryKey: ["agents"] });
      onClose();
      if (agents.length === 1) navigate(`/agents/${agents[0]!.agentId}`);
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
    </>
  );
}
