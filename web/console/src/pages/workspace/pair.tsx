// Lets a command line have an API key, by the code that it shows.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-aria-components";
import { useAddressParams } from "../../address-params";
import { approvePairing, denyPairing, scopes, usePairing, type Pairing } from "../../api/keys";
import { useMay, useMembership } from "../../api/session";
import { Button } from "../../components/button";
import { Check } from "../../components/check";
import { Facts } from "../../components/facts";
import { Field } from "../../components/field";
import { Form } from "../../components/form";
import { Notice } from "../../components/notice";
import { Page } from "../../components/page";
import { RoleNote } from "../../components/role-note";
import { Failed, Loading } from "../../components/states";
import { formatDate, useTexts } from "../../i18n";
import { Allowed } from "./scopes";
import styles from "./workspace.module.css";

export default function PairPage() {
  const { t } = useTexts();
  const mayWrite = useMay("keys:write");
  const [params, setParams] = useAddressParams();
  const code = params.get("code") ?? "";
  const enter = (typed: string) => setParams(typed ? { code: typed } : {});
  return (
    <Page title={t("pair.title")} width="narrow">
      <RoleNote needs="keys:write" note="role.pair" />
      {mayWrite && (code ? <Asked key={code} code={code} onAgain={() => enter("")} /> : <CodeForm onEnter={enter} />)}
    </Page>
  );
}

function CodeForm({ onEnter }: { onEnter: (code: string) => void }) {
  const { t } = useTexts();
  const enter = ({ code = "" }: Record<string, string>) => Promise.resolve(onEnter(code.trim()));
  return (
    <Form onSubmit={enter}>
      {() => (
        <>
          <p>{t("pair.text")}</p>
          <Field name="code" label={t("pair.code")} maxLength={40} autoComplete="off" isRequired autoFocus />
          <Button type="submit" kind="primary">
            {t("pair.go")}
          </Button>
        </>
      )}
    </Form>
  );
}

/** The command line that waits with a code, and what came of it. */
function Asked({ code, onAgain }: { code: string; onAgain: () => void }) {
  const { t } = useTexts();
  const [decision, setDecision] = useState<"approved" | "denied" | null>(null);
  const pairing = usePairing(code, decision === null);
  if (decision) {
    return (
      <>
        <p role="status">{t(decision === "approved" ? "pair.approved" : "pair.denied")}</p>
        {decision === "approved" && <Link href="/workspace/keys">{t("apiKeys.title")}</Link>}
      </>
    );
  }
  if (pairing.isError && !pairing.data) {
    return (
      <>
        <Failed error={pairing.error} />
        <Button onPress={onAgain}>{t("pair.other")}</Button>
      </>
    );
  }
  if (!pairing.data) return <Loading rows={3} />;
  return <Decision pairing={pairing.data} onDone={setDecision} />;
}

function Decision({ pairing, onDone }: { pairing: Pairing; onDone: (decision: "approved" | "denied") => void }) {
  const { t, locale } = useTexts();
  const client = useQueryClient();
  const membership = useMembership();
  const [mayDelete, setMayDelete] = useState(false);
  const chosen = mayDelete ? scopes : scopes.filter((scope) => !scope.endsWith(":delete"));
  const approve = async () => {
    await approvePairing(pairing.code, chosen);
    onDone("approved");
    await client.invalidateQueries({ queryKey: ["keys"] });
  };
  const [error, setError] = useState<unknown>(null);
  const deny = () => void denyPairing(pairing.code).then(() => onDone("denied"), setError);
  return (
    <Form onSubmit={approve}>
      {(isPending) => (
        <>
          <p>
            {t("pair.asks", { company: membership?.accountName ?? "" })} <bdi>{pairing.deviceName}</bdi>
          </p>
          <p className={styles.code} dir="ltr">
            {pairing.code}
          </p>
          <p className={styles.detail}>
            <Facts>
              {t("pair.from", { address: pairing.address })}
              {t("pair.since", { when: formatDate(pairing.createdAt, locale) })}
            </Facts>
          </p>
          <Notice>{t("pair.warning")}</Notice>
          <p>{t("pair.key", { days: pairing.keyDays })}</p>
          <Allowed scopes={chosen} />
          <Check isSelected={mayDelete} onChange={setMayDelete}>
            {t("pair.mayDelete")}
          </Check>
          {error !== null && <Failed error={error} />}
          <div className={styles.buttons}>
            <Button type="submit" kind="primary" isPending={isPending}>
              {t("pair.approve")}
            </Button>
            <Button onPress={deny}>{t("pair.deny")}</Button>
          </div>
        </>
      )}
    </Form>
  );
}
