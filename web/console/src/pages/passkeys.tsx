import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { canUsePasskeys } from "../api/passkey";
import {
  addPasskey,
  createRecoveryCodes,
  deletePasskey,
  renamePasskey,
  usePasskeys,
  useSession,
  type Passkey,
} from "../api/session";
import { Button } from "../components/button";
import { Actions, Dialog } from "../components/dialog";
import { Field } from "../components/field";
import { Form } from "../components/form";
import { Section } from "../components/page";
import { RecoveryCodes } from "../components/recovery-codes";
import { Failed, Loading } from "../components/states";
import { formatDate, relativeTime, useTexts } from "../i18n";
import styles from "./me.module.css";

/** The person's passkeys. */
export function Passkeys() {
  const { t } = useTexts();
  const client = useQueryClient();
  const session = useSession();
  const passkeys = usePasskeys();
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const [named, setNamed] = useState<Passkey>();
  const [removed, setRemoved] = useState<Passkey>();
  const change = async (write: () => Promise<unknown>) => {
    setError(null);
    setPending(true);
    try {
      await write();
      await Promise.all([["me"], ["session"]].map((queryKey) => client.invalidateQueries({ queryKey })));
    } catch (thrown) {
      setError(thrown);
    } finally {
      setPending(false);
    }
  };
  const canAdd = session.data?.features.passkey && canUsePasskeys();
  return (
    <Section title={t("passkey.title")}>
      <p className={styles.detail}>{canAdd ? t("passkey.text") : t("passkey.unavailable")}</p>
      {passkeys.isPending && <Loading rows={1} />}
      {passkeys.isError && <Failed error={passkeys.error} onRetry={() => void passkeys.refetch()} />}
      {error !== null && <Failed error={error} />}
      <ul className={styles.sessions}>
        {passkeys.data?.data.map((passkey) => (
          <Row
            key={passkey.id}
            passkey={passkey}
            onRename={() => setNamed(passkey)}
            onDelete={() => setRemoved(passkey)}
          />
        ))}
      </ul>
      {canAdd && (
        <div>
          <Button icon="plus" isPending={isPending} onPress={() => void change(addPasskey)}>
            {t("passkey.add")}
          </Button>
        </div>
      )}
      <Rename
        passkey={named}
        onClose={() => setNamed(undefined)}
        onSave={(id, name) => renamePasskey(id, name).then(() => passkeys.refetch())}
      />
      <Removal
        passkey={removed}
        onClose={() => setRemoved(undefined)}
        onRemove={({ id }) => {
          setRemoved(undefined);
          void change(() => deletePasskey(id));
        }}
      />
    </Section>
  );
}

interface RemovalProps {
  /** The dialog is open if there is one. */
  passkey: Passkey | undefined;
  onClose: () => void;
  onRemove: (passkey: Passkey) => void;
}

/** Asks before a passkey ends. */
function Removal({ passkey, onClose, onRemove }: RemovalProps) {
  const { t } = useTexts();
  const title = t("passkey.deleteNamed", { name: passkey?.name ?? "" });
  return (
    <Dialog role="alertdialog" title={title} isOpen={passkey !== undefined} onClose={onClose}>
      <p>{t("passkey.deleteText")}</p>
      <Actions>
        <Button onPress={onClose} autoFocus>
          {t("dialog.cancel")}
        </Button>
        <Button kind="danger" onPress={() => passkey && onRemove(passkey)}>
          {t("passkey.delete")}
        </Button>
      </Actions>
    </Dialog>
  );
}

function Row({ passkey, onRename, onDelete }: { passkey: Passkey; onRename: () => void; onDelete: () => void }) {
  const { t, locale } = useTexts();
  const { name, createdAt, lastUsedAt } = passkey;
  const used = lastUsedAt
    ? t("passkey.used", { when: relativeTime(lastUsedAt, locale) })
    : t("passkey.made", { when: formatDate(createdAt, locale) });
  return (
    <li>
      <div>
        <p className={styles.name} dir="auto">
          {name}
        </p>
        <p className={styles.detail}>{used}</p>
      </div>
      <div className={styles.buttons}>
        <Button onPress={onRename} aria-label={t("passkey.renameNamed", { name })}>
          {t("passkey.rename")}
        </Button>
        <Button onPress={onDelete} aria-label={t("passkey.deleteNamed", { name })}>
          {t("passkey.delete")}
        </Button>
      </div>
    </li>
  );
}

interface RenameProps {
  passkey: Passkey | undefined;
  onClose: () => void;
  onSave: (id: string, name: string) => Promise<unknown>;
}

function Rename({ passkey, onClose, onSave }: RenameProps) {
  const { t } = useTexts();
  return (
    <Dialog title={t("passkey.renameTitle")} isOpen={passkey !== undefined} onClose={onClose}>
      <Form onSubmit={({ name = "" }) => onSave(passkey!.id, name).then(onClose)}>
        {(isPending) => (
          <>
            <Field name="name" label={t("passkey.name")} defaultValue={passkey?.name ?? ""} isRequired autoFocus />
            <Actions>
              <Button onPress={onClose}>{t("dialog.cancel")}</Button>
              <Button type="submit" kind="primary" isPending={isPending}>
                {t("unsaved.save")}
              </Button>
            </Actions>
          </>
        )}
      </Form>
    </Dialog>
  );
}

/** Codes for when the password or passkey is lost. */
export function Recovery() {
  const { t } = useTexts();
  const [codes, setCodes] = useState<string[]>();
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const make = async () => {
    setPending(true);
    setError(null);
    try {
      setCodes((await createRecoveryCodes()).codes);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setPending(false);
    }
  };
  return (
    <Section title={t("recovery.title")}>
      <p className={styles.detail}>{t("recovery.text")}</p>
      {error !== null && <Failed error={error} />}
      <div>
        <Button isPending={isPending} onPress={() => void make()}>
          {t("recovery.make")}
        </Button>
      </div>
      <Dialog title={t("recovery.title")} isOpen={codes !== undefined} onClose={() => setCodes(undefined)}>
        <RecoveryCodes codes={codes ?? []} />
      </Dialog>
    </Section>
  );
}
