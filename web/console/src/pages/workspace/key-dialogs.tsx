import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { CheckboxGroup, Label } from "react-aria-components";
import { createKey, revokeKey, scopes, type Key } from "../../api/keys";
import { Button } from "../../components/button";
import { Check } from "../../components/check";
import { Choice } from "../../components/choice";
import { Code } from "../../components/code";
import { Actions, Dialog } from "../../components/dialog";
import { FaultRow, useFault } from "../../components/fault";
import { Field } from "../../components/field";
import { Notice } from "../../components/notice";
import { Radios } from "../../components/radios";
import { useTexts } from "../../i18n";
import { Ask } from "./ask";
import { ScopeWords } from "./scopes";
import field from "../../components/field.module.css";
import styles from "./workspace.module.css";

/** Makes a key, and shows it, this once. */
export function NewKeyDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useTexts();
  const [key, setKey] = useState("");
  const close = () => {
    setKey("");
    onClose();
  };
  return (
    <Dialog title={t(key ? "apiKeys.created" : "apiKeys.new")} isOpen={isOpen} onClose={close} isDismissable={!key}>
      {key ? <Created apiKey={key} onClose={close} /> : <NewKeyForm onDone={setKey} onClose={close} />}
    </Dialog>
  );
}

function Created({ apiKey, onClose }: { apiKey: string; onClose: () => void }) {
  const { t } = useTexts();
  const [isStored, setStored] = useState(false);
  return (
    <>
      <p role="status">{t("apiKeys.once")}</p>
      <Code label={t("apiKeys.key")} text={apiKey} />
      <Check isSelected={isStored} onChange={setStored} autoFocus>
        {t("apiKeys.stored")}
      </Check>
      <Actions>
        <Button kind="primary" onPress={onClose} isDisabled={!isStored}>
          {t("dialog.done")}
        </Button>
      </Actions>
    </>
  );
}

const spans = ["30", "90", "365"] as const; // days
type Span = (typeof spans)[number] | "never";
const day = 86_400_000; // milliseconds

function NewKeyForm({ onDone, onClose }: { onDone: (key: string) => void; onClose: () => void }) {
  const { t } = useTexts();
  const client = useQueryClient();
  const [span, setSpan] = useState<Span>("90");
  const [access, setAccess] = useState<"all" | "some">("all");
  const [chosen, setChosen] = useState<string[]>([]);
  const make = async ({ name = "" }: Record<string, string>) => {
    const { apiKey } = await createKey({
      name,
      ...(access === "some" && { scopes: chosen }),
      ...(span !== "never" && { expiresAt: new Date(Date.now() + Number(span) * day).toISOString() }),
    });
    onDone(apiKey);
    await client.invalidateQueries({ queryKey: ["keys"] });
  };
  const options = [...spans.map((id) => ({ id, name: t("apiKeys.days", { count: Number(id) }) })), { id: "never" as const, name: t("apiKeys.never") }];
  const accesses = [
    { id: "all", name: t("apiKeys.everything") },
    { id: "some", name: t("apiKeys.some") },
  ] as const;
  return (
    <Ask submit={t("apiKeys.create")} onSubmit={make} onClose={onClose}>
      <Field name="name" label={t("apiKeys.name")} hint={t("apiKeys.nameHint")} maxLength={100} autoComplete="off" isRequired autoFocus />
      <Choice<Span> label={t("apiKeys.valid")} value={span} options={options} onChange={setSpan} />
      <Radios label={t("apiKeys.access")} value={access} options={accesses} onChange={setAccess} />
      {access === "some" ? <Scopes chosen={chosen} onChange={setChosen} /> : <Notice isStatus>{t("apiKeys.mayAllHint")}</Notice>}
    </Ask>
  );
}

/** What the key may do, in words and in those of the API. */
function Scopes({ chosen, onChange }: { chosen: string[]; onChange: (scopes: string[]) => void }) {
  const { t } = useTexts();
  const fault = useFault("scopes");
  return (
    <CheckboxGroup className={field.field!} value={chosen} onChange={onChange}>
      <Label className={field.label!}>{t("apiKeys.scopes")}</Label>
      <div className={styles.scopes}>
        {scopes.map((scope) => (
          <Check key={scope} value={scope}>
            <span className={styles.scope}>
              <ScopeWords scope={scope} />
              <span className={styles.code} dir="ltr">
                {scope}
              </span>
            </span>
          </Check>
        ))}
      </div>
      <FaultRow id="scopes-fault" fault={fault} />
    </CheckboxGroup>
  );
}

interface RevokeProps {
  /** The dialog is open if there is one. */
  apiKey: Key | null;
  onClose: () => void;
}

/** Asks before a key is taken back. */
export function RevokeDialog({ apiKey, onClose }: RevokeProps) {
  const { t } = useTexts();
  const client = useQueryClient();
  const revoke = async (id: string) => {
    await revokeKey(id);
    onClose();
    await client.invalidateQueries({ queryKey: ["keys"] });
  };
  return (
    <Dialog role="alertdialog" title={t("apiKeys.revokeNamed", { name: apiKey?.name ?? "" })} isOpen={apiKey !== null} onClose={onClose}>
      {apiKey && (
        <Ask submit={t("apiKeys.revoke")} isDangerous onSubmit={() => revoke(apiKey.keyId)} onClose={onClose}>
          <p>{t("apiKeys.revokeText")}</p>
        </Ask>
      )}
    </Dialog>
  );
}
