// An agent as one text: to be read, copied, changed or put in the place of another.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { DropZone, FileTrigger, Link, type DropZoneProps } from "react-aria-components";
import { useAddressParams } from "../../address-params";
import { useAgent } from "../../api/agents";
import { applyManifest, useManifest, type Applied } from "../../api/manifest";
import { useMay } from "../../api/session";
import { Button } from "../../components/button";
import { download, fileNameOf } from "../../components/download";
import { Page } from "../../components/page";
import { RoleNote } from "../../components/role-note";
import { Failed, Loading } from "../../components/states";
import { TextArea } from "../../components/text-area";
import { Toggle } from "../../components/toggle";
import { UnsavedBar } from "../../components/unsaved";
import { useTexts } from "../../i18n";
import { ChangesDialog } from "./changes";
import { ManifestFaults } from "./faults";
import { findKey } from "./names";
import { Secrets, useSecrets } from "./secrets";
import styles from "./agent-manifest.module.css";

export default function AgentManifestPage({ id }: { id: string }) {
  const { t } = useTexts();
  const mayChange = useMay("agents:write");
  const manifest = useManifest(id, mayChange);
  const [isApplied, setApplied] = useState(false);
  return (
    <Page title={t("manifest.title")} actions={isApplied && <p role="status">{t("manifest.applied")}</p>}>
      <RoleNote needs="agents:write" note="role.manifest" />
      {mayChange && (
        <>
          <p>
            {t("manifest.text")} <Link href={`/agents/${id}/settings`}>{t("settings.title")}</Link>
          </p>
          {manifest.isPending && <Loading rows={8} />}
          {manifest.isError && !manifest.data && <Failed error={manifest.error} onRetry={() => void manifest.refetch()} />}
          {manifest.data && <Editor id={id} stored={manifest.data.text ?? ""} leftOut={manifest.data.leftOut ?? []} onApplied={setApplied} />}
        </>
      )}
    </Page>
  );
}

interface EditorProps {
  id: string;
  /** The agent as it is. */
  stored: string;
  leftOut: readonly string[];
  onApplied: (isApplied: boolean) => void;
}

function Editor({ id, stored, leftOut, onApplied }: EditorProps) {
  const { t } = useTexts();
  const client = useQueryClient();
  const [typed, setTyped] = useState<string | null>(null);
  const [prune, setPrune] = useState(false);
  const [found, setFound] = useState<readonly Applied[] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const area = useRef<HTMLDivElement>(null);
  const text = typed ?? stored;
  const secrets = useSecrets(text);
  const manifest = { text, secrets: secrets.given, prune };
  const isChanged = text !== stored || Object.keys(secrets.given).length > 0;
  const change = (next: string) => {
    onApplied(false);
    setError(null);
    setTyped(next === stored ? null : next);
  };
  const discard = () => {
    setError(null);
    setTyped(null);
    secrets.forget();
  };
  const compare = async () => {
    setPending(true);
    setError(null);
    try {
      setFound((await applyManifest(manifest, true)).agents);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setPending(false);
    }
  };
  const finish = async () => {
    setFound(null);
    secrets.forget();
    await Promise.all([["agents"], ["agent", id], ["settings", id], ["sources", id]].map((queryKey) => client.invalidateQueries({ queryKey })));
    setTyped(null);
    onApplied(true);
  };
  const showLine = (line: number) => {
    const field = area.current?.querySelector("textarea");
    if (!field) return;
    const lines = text.split("\n");
    const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    field.focus();
    field.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
    field.scrollTop = (field.scrollHeight / lines.length) * Math.max(0, line - 5);
  };
  useWantedPlace(stored, showLine);
  return (
    <>
      {error !== null && <ManifestFaults error={error} onLine={showLine} />}
      <div className={styles.files}>
        <FileDrop onText={change} />
        <SaveFile id={id} text={text} />
      </div>
      <div ref={area}>
        <TextArea name="manifest" label={t("manifest.label")} value={text} onChange={change} rows={24} isCode hasLineNumbers />
      </div>
      {leftOut.length > 0 && (
        <p className={styles.hint}>
          {t("manifest.leftOut")} <bdi>{leftOut.join("; ")}</bdi>
        </p>
      )}
      <Secrets secrets={secrets} />
      <Toggle isSelected={prune} onChange={setPrune}>
        {t("manifest.prune")}
      </Toggle>
      <div className={styles.end}>
        <Button kind="primary" isPending={isPending} isDisabled={text.trim() === ""} onPress={() => void compare()}>
          {t("manifest.compare")}
        </Button>
      </div>
      <UnsavedBar count={isChanged ? 1 : 0} isSaving={isPending} onDiscard={discard} onSave={() => void compare()} />
      {found && <ChangesDialog manifest={manifest} found={found} onApplied={() => void finish()} onClose={() => setFound(null)} />}
    </>
  );
}

const parts = ["actions", "procedures"];

// An action or a procedure leads here with its key in the address, behind the name of its part.
function useWantedPlace(text: string, show: (line: number) => void) {
  const [params] = useAddressParams();
  const [part, key] = [...params].find(([name]) => parts.includes(name)) ?? (["", ""] as const);
  const wanted = useRef({ text, show });
  wanted.current = { text, show };
  useEffect(() => {
    const line = part && findKey(wanted.current.text, part, key);
    if (line) wanted.current.show(line);
  }, [part, key]);
}

/** Saves what is in the field, for a folder under version control. */
function SaveFile({ id, text }: { id: string; text: string }) {
  const { t } = useTexts();
  const name = useAgent(id).data?.name ?? "";
  const save = () => download(new Blob([text], { type: "application/yaml" }), `${fileNameOf(name, "agent")}.yaml`);
  return (
    <Button icon="download" onPress={save}>
      {t("manifest.download")}
    </Button>
  );
}

/** Where the file of a manifest is dropped or chosen. */
function FileDrop({ onText }: { onText: (text: string) => void }) {
  const { t } = useTexts();
  const drop = async ({ items }: Parameters<NonNullable<DropZoneProps["onDrop"]>>[0]) => {
    const file = items.find((item) => item.kind === "file");
    if (file) onText(await (await file.getFile()).text());
  };
  return (
    <DropZone className={styles.drop!} aria-label={t("manifest.drop")} onDrop={(event) => void drop(event)}>
      <FileTrigger acceptedFileTypes={[".yaml", ".yml", ".json"]} onSelect={(files) => void files?.[0]?.text().then(onText)}>
        <Button icon="upload">{t("manifest.drop")}</Button>
      </FileTrigger>
    </DropZone>
  );
}
