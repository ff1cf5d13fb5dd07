import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { erasePerson, exportPerson, type CustomerDetails, type PersonErased } from "../../api/people";
import { useMay } from "../../api/session";
import { Button, ButtonLink } from "../../components/button";
import { Actions, Dialog } from "../../components/dialog";
import { download } from "../../components/download";
import { Section } from "../../components/page";
import { Failed } from "../../components/states";
import { useTexts } from "../../i18n";
import { useCustomerName } from "./names";
import styles from "./people.module.css";

interface Props {
  agentId: string;
  /** Somebody who has left an address alone has no id. */
  person: Pick<CustomerDetails, "name" | "email" | "userId"> & { customerId?: string };
  /** Is called when nothing of the person is left to be shown. */
  onErased: (erased: PersonErased) => void;
  /** The buttons say whose they are: there are several. */
  isInList?: boolean;
}

/** Exports and erases what the company holds of a person, with every agent. */
export function Privacy(props: Props) {
  const { t } = useTexts();
  const mayErase = useMay("conversations:delete");
  const { email, userId } = props.person;
  if (!mayErase) return null;
  return (
    <Section title={t("people.privacy")}>
      <p className={styles.hint}>{t(email || userId ? "people.privacyText" : "people.privacyNobody")}</p>
      <PrivacyActions {...props} />
    </Section>
  );
}

/** The buttons that export and erase a person; nothing for whoever may not, and of whom nobody knows. */
export function PrivacyActions({ agentId, person, onErased, isInList = false }: Props) {
  const { t } = useTexts();
  const mayErase = useMay("conversations:delete");
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [isAsked, setAsked] = useState(false);
  const nameOf = useCustomerName();
  const { email, userId } = person;
  if (!mayErase || (!email && !userId)) return null;
  const save = async () => {
    setPending(true);
    setError(null);
    try {
      const document = await exportPerson({ email, userId });
      download(new Blob([JSON.stringify(document, null, 2)], { type: "application/json" }), "person.json");
    } catch (thrown) {
      setError(thrown);
    }
    setPending(false);
  };
  const named = (key: "people.exportPerson" | "people.erasePerson") => isInList && { "aria-label": `${t(key)}: ${nameOf(person)}` };
  return (
    <>
      {error !== null && <Failed error={error} />}
      <div className={styles.actions}>
        <Button kind={isInList ? "quiet" : "plain"} icon="download" {...named("people.exportPerson")} isPending={isPending} onPress={() => void save()}>
          {t("people.exportPerson")}
        </Button>
        <Button kind={isInList ? "quiet" : "danger"} icon="trash" {...named("people.erasePerson")} onPress={() => setAsked(true)}>
          {t("people.erasePerson")}
        </Button>
      </div>
      <Dialog role="alertdialog" title={t("people.eraseTitle")} isOpen={isAsked} onClose={() => setAsked(false)}>
        <EraseQuestion agentId={agentId} person={person} onErased={onErased} onClose={() => setAsked(false)} />
      </Dialog>
    </>
  );
}

function EraseQuestion({ agentId, person, onErased, onClose }: Props & { onClose: () => void }) {
  const { t } = useTexts();
  const client = useQueryClient();
  const nameOf = useCustomerName();
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const erase = async () => {
    setPending(true);
    setError(null);
    try {
      onErased(await erasePerson(person));
      onClose();
      for (const key of ["agent", "inbox", "foundConversations", "tickets"]) void client.invalidateQueries({ queryKey: [key] });
      if (person.customerId) client.removeQueries({ queryKey: ["customer", agentId, person.customerId] });
    } catch (thrown) {
      setError(thrown);
      setPending(false);
    }
  };
  return (
    <>
      <p>{t("people.eraseText", { name: nameOf(person) })}</p>
      <p>{t("people.eraseStays")}</p>
      {error !== null && <Failed error={error} />}
      <Actions>
        <Button autoFocus onPress={onClose}>
          {t("dialog.cancel")}
        </Button>
        <Button kind="danger" isPending={isPending} onPress={() => void erase()}>
          {t("people.erasePerson")}
        </Button>
      </Actions>
    </>
  );
}

/** What was erased, in place of the person. */
export function Erased({ agentId, erased: { conversations, isComplete } }: { agentId: string; erased: PersonErased }) {
  const { t } = useTexts();
  return (
    <div role="status" className={styles.group}>
      <p>{t("people.erased", { count: conversations })}</p>
      {!isComplete && <p>{t("people.eraseSoon")}</p>}
      <p>{t("people.eraseStays")}</p>
      <div>
        <ButtonLink href={`/agents/${agentId}/people`}>{t("people.all")}</ButtonLink>
      </div>
    </div>
  );
}
