// The company's own provider of single sign-on: what is set of it, whether it was tried, and the domains of its people.
import { useState } from "react";
import { roles } from "../../api/members";
import { askProvider, trialAddress, useProviderChanges, useSingleSignOn, type Provider, type SignInDomain, type SingleSignOn } from "../../api/single-sign-on";
import { Button } from "../../components/button";
import { Choice } from "../../components/choice";
import { Code } from "../../components/code";
import { Dialog } from "../../components/dialog";
import { Facts } from "../../components/facts";
import { Field } from "../../components/field";
import { Form } from "../../components/form";
import { Section } from "../../components/page";
import { Failed, Loading } from "../../components/states";
import { PartState } from "../../components/status";
import { leaveScreen } from "../../components/unsaved";
import { formatDate, useTexts } from "../../i18n";
import { failures, takeOutcome } from "../single-sign-on";
import { Ask } from "./ask";
import styles from "./workspace.module.css";

export function OwnProvider({ mayChange }: { mayChange: boolean }) {
  const { t } = useTexts();
  const state = useSingleSignOn(true);
  return (
    <>
      <Section title={t("provider.title")}>
        <p className={styles.detail}>{t("provider.text")}</p>
        <TrialOutcome />
        {state.isPending && <Loading rows={2} />}
        {state.isError && !state.data && <Failed error={state.error} onRetry={() => void state.refetch()} />}
        {state.data && <ProviderPart key={state.data.provider?.issuer ?? ""} state={state.data} mayChange={mayChange} />}
      </Section>
      {state.data && <Domains domains={state.data.domains} mayChange={mayChange} />}
    </>
  );
}

/** What became of the way to the provider from which an owner comes back. */
function TrialOutcome() {
  const { t } = useTexts();
  const [outcome] = useState(takeOutcome);
  if (!outcome) return null;
  if (outcome === "works") return <p role="status">{t("provider.works")}</p>;
  const name = t("provider.title");
  return (
    <p role="alert" className={`${styles.outcome} ${styles.bad}`}>
      {t(failures[outcome] ?? "signIn.oidc.error", { name })}
    </p>
  );
}

function ProviderPart({ state, mayChange }: { state: SingleSignOn; mayChange: boolean }) {
  const { t } = useTexts();
  const [isEdited, setEdited] = useState(false);
  const { provider } = state;
  if (!state.canKeepSecrets && !provider) return <p className={styles.detail}>{t("server.noKey")} <code className={styles.code} dir="ltr">PARLEY_SECRET_KEY</code></p>;
  if (!mayChange) return provider ? <Summary provider={provider} /> : <p className={styles.detail}>{t("provider.none")}</p>;
  if (!provider || isEdited) return <Settings state={state} onDone={() => setEdited(false)} />;
  return (
    <>
      <Summary provider={provider} />
      <Steps onEdit={() => setEdited(true)} />
    </>
  );
}

function Summary({ provider: { name, issuer, clientId, joinRole, testedAt } }: { provider: Provider }) {
  const { t, locale } = useTexts();
  const role = roles.find((one) => one === joinRole);
  return (
    <div className={styles.facts}>
      <h3 className={styles.name} dir="auto">
        {name}
      </h3>
      <PartState kind={testedAt ? "good" : "busy"} word={testedAt ? t("provider.counts", { when: formatDate(testedAt, locale) }) : t("provider.untried")} />
      <p className={styles.detail}>
        <Facts>
          <span dir="ltr">{issuer}</span>
          <span dir="ltr">{clientId}</span>
          {role ? t("provider.joinAs", { role: t(`members.role.${role}`) }) : t("provider.noJoin")}
        </Facts>
      </p>
    </div>
  );
}

/** What an owner does with a provider that is set. */
function Steps({ onEdit }: { onEdit: () => void }) {
  const { t } = useTexts();
  const { remove } = useProviderChanges();
  const [fault, setFault] = useState("");
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const tryIt = async () => {
    setPending(true);
    setError(null);
    setFault("");
    try {
      const { works, error: said } = await askProvider();
      if (works) leaveScreen(() => location.assign(trialAddress()));
      else setFault(said ?? "");
    } catch (thrown) {
      setError(thrown);
    } finally {
      setPending(false);
    }
  };
  return (
    <>
      {error !== null && <Failed error={error} />}
      {fault && (
        <div role="alert" className={`${styles.outcome} ${styles.bad}`}>
          <p>{t("provider.fails")}</p>
          <p className={styles.code} dir="auto">
            {fault}
          </p>
        </div>
      )}
      <div className={styles.buttons}>
        <Button kind="primary" onPress={() => void tryIt()} isPending={isPending}>
          {t("provider.try")}
        </Button>
        <Button onPress={onEdit}>{t("provider.change")}</Button>
        <Button onPress={() => setAsked(true)}>{t("provider.remove")}</Button>
      </div>
      <p className={styles.detail}>{t("provider.tryText")}</p>
      <Dialog role="alertdialog" title={t("provider.removeTitle")} isOpen={isAsked} onClose={() => setAsked(false)}>
        <Ask submit={t("provider.remove")} isDangerous onSubmit={() => remove().then(() => setAsked(false))} onClose={() => setAsked(false)}>
          <p>{t("provider.removeText")}</p>
        </Ask>
      </Dialog>
    </>
  );
}

function Settings({ state: { provider, redirectUrl }, onDone }: { state: SingleSignOn; onDone: () => void }) {
  const { t } = useTexts();
  const { set } = useProviderChanges();
  const [joinRole, setJoinRole] = useState(provider?.joinRole ?? "");
  const save = async ({ issuer = "", clientId = "", clientSecret = "", name = "" }: Record<string, string>) => {
    await set({ issuer, clientId, name, joinRole, ...(clientSecret && { clientSecret }) });
    onDone();
  };
  const joins = [
    { id: "", name: t("provider.noJoin") },
    ...roles.filter((role) => role !== "owner").map((role) => ({ id: role as string, name: t(`members.role.${role}`) })),
  ];
  return (
    <Form onSubmit={save}>
      {(isPending) => (
        <>
          <Code label={t("provider.redirect")} text={redirectUrl} hasCaption />
          <p className={styles.detail}>{t("provider.redirectHint")}</p>
          <Field name="issuer" label={t("provider.issuer")} hint={t("provider.issuerHint")} defaultValue={provider?.issuer ?? ""} isRequired isCode />
          <Field name="clientId" label={t("provider.clientId")} defaultValue={provider?.clientId ?? ""} isRequired isCode />
          <Field
            name="clientSecret"
            type="password"
            autoComplete="off"
            label={t("provider.secret")}
            hint={t(provider?.hasSecret ? "provider.secretStays" : "provider.secretHint")}
            isCode
          />
          <Field name="name" label={t("provider.name")} hint={t("provider.nameHint")} defaultValue={provider?.name ?? ""} />
          <Choice label={t("provider.join")} value={joinRole} options={joins} onChange={setJoinRole} />
          <div className={styles.buttons}>
            <Button type="submit" kind="primary" isPending={isPending}>
              {t("unsaved.save")}
            </Button>
            {provider && <Button onPress={onDone}>{t("dialog.cancel")}</Button>}
          </div>
        </>
      )}
    </Form>
  );
}

function Domains({ domains, mayChange }: { domains: readonly SignInDomain[]; mayChange: boolean }) {
  const { t } = useTexts();
  const { addDomain } = useProviderChanges();
  const [added, setAdded] = useState(0);
  const add = async ({ domain = "" }: Record<string, string>) => {
    await addDomain(domain);
    setAdded(added + 1); // empties the form
  };
  return (
    <Section title={t("provider.domains")}>
      <p className={styles.detail}>{t("provider.domainsText")}</p>
      {domains.length === 0 && <p className={styles.detail}>{t("provider.noDomains")}</p>}
      <ul>
        {domains.map((domain) => (
          <DomainRow key={domain.domain} domain={domain} mayChange={mayChange} />
        ))}
      </ul>
      {mayChange && (
        <Form key={added} onSubmit={add}>
          {(isPending) => (
            <>
              <Field name="domain" label={t("provider.domain")} hint={t("provider.domainHint")} isRequired isCode />
              <div>
                <Button type="submit" isPending={isPending}>
                  {t("provider.addDomain")}
                </Button>
              </div>
            </>
          )}
        </Form>
      )}
    </Section>
  );
}

function DomainRow({ domain: { domain, recordName, recordValue, provedAt, byOperator }, mayChange }: { domain: SignInDomain; mayChange: boolean }) {
  const { t, locale } = useTexts();
  const { proveDomain, removeDomain } = useProviderChanges();
  const [isAsked, setAsked] = useState(false);
  return (
    <li className={styles.row}>
      <div className={styles.facts}>
        <h3 className={styles.name} dir="ltr">
          {domain}
        </h3>
        <PartState
          kind={provedAt ? "good" : "busy"}
          word={provedAt ? t(byOperator ? "provider.byOperator" : "provider.proved", { when: formatDate(provedAt, locale) }) : t("provider.unproved")}
        />
        {!provedAt && mayChange && (
          <>
            <p className={styles.detail}>{t("provider.record")}</p>
            <Code label={t("provider.recordName")} text={recordName} hasCaption />
            <Code label={t("provider.recordValue")} text={recordValue} hasCaption />
            <Form onSubmit={() => proveDomain(domain)}>
              {(isPending) => (
                <div>
                  <Button type="submit" icon="refresh-cw" isPending={isPending} aria-label={t("provider.checkNamed", { domain })}>
                    {t("provider.check")}
                  </Button>
                </div>
              )}
            </Form>
          </>
        )}
      </div>
      {mayChange && (
        <Button onPress={() => setAsked(true)} aria-label={t("provider.removeNamed", { domain })}>
          {t("provider.remove")}
        </Button>
      )}
      <Dialog role="alertdialog" title={t("provider.removeNamed", { domain })} isOpen={isAsked} onClose={() => setAsked(false)}>
        <Ask submit={t("provider.remove")} isDangerous onSubmit={() => removeDomain(domain).then(() => setAsked(false))} onClose={() => setAsked(false)}>
          <p>{t("provider.removeDomainText")}</p>
        </Ask>
      </Dialog>
    </li>
  );
}
