import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Input, SearchField } from "react-aria-components";
import { windowOf } from "../../api/pages";
import { mergeCustomers, useCustomers, type Customer, type CustomerDetails } from "../../api/people";
import { useMay } from "../../api/session";
import { Button } from "../../components/button";
import { Actions, Dialog } from "../../components/dialog";
import { Facts } from "../../components/facts";
import { Icon } from "../../components/icon";
import { More } from "../../components/more";
import { Section } from "../../components/page";
import { useSearchText } from "../../components/search-text";
import { Failed, Loading } from "../../components/states";
import { useTexts } from "../../i18n";
import field from "../../components/field.module.css";
import filters from "../sources/filters.module.css";
import { useCustomerName } from "./names";
import styles from "./people.module.css";

interface Props {
  agentId: string;
  person: CustomerDetails;
}

/** Makes one person of two: what another one wrote and was known by is this one's then. */
export function MergePeople({ agentId, person }: Props) {
  const { t } = useTexts();
  const nameOf = useCustomerName();
  const mayMerge = useMay("conversations:delete");
  const [isOpen, setOpen] = useState(false);
  const [merged, setMerged] = useState<Customer | null>(null);
  if (!mayMerge) return null;
  const done = (other: Customer) => {
    setMerged(other);
    setOpen(false);
  };
  return (
    <Section title={t("people.merge")}>
      <p className={styles.hint}>{t("people.mergeText")}</p>
      <p role="status">{merged && t("people.merged", { name: nameOf(merged) })}</p>
      <div className={styles.actions}>
        <Button icon="users" onPress={() => setOpen(true)}>
          {t("people.mergeWith")}
        </Button>
      </div>
      <Dialog title={t("people.mergeWith")} isOpen={isOpen} onClose={() => setOpen(false)}>
        <MergeForm agentId={agentId} person={person} onMerged={done} />
      </Dialog>
    </Section>
  );
}

interface FormProps extends Props {
  onMerged: (other: Customer) => void;
}

function MergeForm(props: FormProps) {
  const [other, setOther] = useState<Customer | null>(null);
  if (other) return <Question {...props} other={other} onBack={() => setOther(null)} />;
  return <Others {...props} onChoose={setOther} />;
}

/** The other people of the agent, from whom one is chosen. */
function Others({ agentId, person, onChoose }: Props & { onChoose: (other: Customer) => void }) {
  const { t } = useTexts();
  const nameOf = useCustomerName();
  const [words, setWords] = useState("");
  const [text, setText] = useSearchText(words, setWords);
  const list = useCustomers(agentId, words);
  const rows = windowOf(list.data, ({ customerId }) => customerId)?.rows.filter(({ customerId }) => customerId !== person.customerId);
  return (
    <>
      <div className={filters.filters} role="search">
        <SearchField autoFocus aria-label={t("people.search")} value={text} onChange={setText} maxLength={200} className={filters.search!}>
          <Icon name="search" />
          <Input className={field.input!} placeholder={t("people.search")} />
        </SearchField>
      </div>
      {list.isPending && <Loading rows={4} />}
      {list.isError && !rows && <Failed error={list.error} onRetry={() => void list.refetch()} />}
      {rows?.length === 0 && <p className={styles.hint}>{t("people.noMatch")}</p>}
      <ol className={styles.rows} aria-label={t("people.customers")}>
        {rows?.map((one) => (
          <li key={one.customerId}>
            <Button kind="quiet" icon="user" onPress={() => onChoose(one)}>
              {nameOf(one)}
            </Button>
            <p className={styles.hint}>
              <Known person={one} />
            </p>
          </li>
        ))}
      </ol>
      <More list={list} isAsked />
    </>
  );
}

function Known({ person: { name, email, phoneNumber, userId } }: { person: Customer }) {
  return (
    <Facts>
      {name && email && <bdi>{email}</bdi>}
      {phoneNumber && <bdi>{phoneNumber}</bdi>}
      {userId && <bdi>{userId}</bdi>}
    </Facts>
  );
}

function Question({ agentId, person, other, onMerged, onBack }: FormProps & { other: Customer; onBack: () => void }) {
  const { t } = useTexts();
  const client = useQueryClient();
  const nameOf = useCustomerName();
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const areBothKnown = Boolean(person.userId && other.userId);
  const lost = [person.name && other.name, person.email && other.email, person.phoneNumber && other.phoneNumber].filter((value) => value);
  const merge = async () => {
    setPending(true);
    setError(null);
    try {
      await mergeCustomers(agentId, person.customerId, other.customerId);
      for (const key of ["agent", "inbox", "tickets"]) void client.invalidateQueries({ queryKey: [key] });
      await client.invalidateQueries({ queryKey: ["customer"] });
      onMerged(other);
    } catch (thrown) {
      setError(thrown);
      setPending(false);
    }
  };
  return (
    <>
      {areBothKnown ? <p role="alert">{t("people.mergeBoth")}</p> : <p>{t("people.mergeQuestion", { other: nameOf(other), name: nameOf(person) })}</p>}
      {!areBothKnown && lost.length > 0 && <p>{t("people.mergeLost", { values: lost.join(" · ") })}</p>}
      {error !== null && <Failed error={error} />}
      <Actions>
        <Button autoFocus onPress={onBack}>
          {t("people.mergeBack")}
        </Button>
        {!areBothKnown && (
          <Button kind="danger" isPending={isPending} onPress={() => void merge()}>
            {t("people.mergeNow")}
          </Button>
        )}
      </Actions>
    </>
  );
}
