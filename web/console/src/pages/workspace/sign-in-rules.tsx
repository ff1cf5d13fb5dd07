// How the people of the company sign in: which ways there are, whether single sign-on is the only one, whether passwords
// are taken, and whether owners and admins need a passkey.
import { useEffect } from "react";
import { Link } from "react-aria-components";
import { useAccount, useAccountDraft, type Account } from "../../api/account";
import { APIError } from "../../api/client";
import { useMembers, type Member } from "../../api/members";
import { rowsOf } from "../../api/pages";
import { answerWithPasskey, serverProvider, useMay, useMembership, useSession } from "../../api/session";
import { Choice } from "../../components/choice";
import { FaultForm } from "../../components/fault-form";
import { useFault, FaultRow } from "../../components/fault";
import { Page, Section } from "../../components/page";
import { RoleNote } from "../../components/role-note";
import { Failed, Loading } from "../../components/states";
import { PartState } from "../../components/status";
import { Toggle } from "../../components/toggle";
import { UnsavedBar } from "../../components/unsaved";
import { useTexts, type Key } from "../../i18n";
import { showName } from "../../names";
import { PasskeyButton } from "../passkey-button";
import { OwnProvider } from "./provider";
import styles from "./workspace.module.css";

export default function SignInRulesPage() {
  const { t } = useTexts();
  const mayRead = useMay("members:read");
  const mayChange = useMay("accounts:write");
  const account = useAccount();
  const members = useMembers(mayRead);
  const draft = useAccountDraft(account.data);
  const rows = rowsOf(members.data);
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = members;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isFetchNextPageError) void fetchNextPage(); // an owner may be on any page
  }, [hasNextPage, isFetching, isFetchNextPageError, fetchNextPage]);
  const faults = draft.error instanceof APIError ? (draft.error.details as Record<string, string>) : {};
  const failed = [account, members].find(({ isError, data }) => isError && !data);
  const isThere = mayRead && account.data && rows;
  return (
    <Page title={t("signInRules.title")} width="narrow" actions={draft.isSaved && <p role="status">{t("settings.saved")}</p>}>
      {mayRead ? <RoleNote needs="accounts:write" note="role.company" /> : <RoleNote needs="members:read" note="role.members" />}
      {draft.error !== null && <Failed error={draft.error} />}
      {mayRead && !isThere && !failed && <Loading rows={4} />}
      {mayRead && failed && <Failed error={failed.error} onRetry={() => void failed.refetch()} />}
      {isThere && (
        <>
          <Ways account={account.data!} />
          <OwnProvider mayChange={mayChange} />
          <FaultForm className={styles.form!} said={faults} onSubmit={(event) => event.preventDefault()}>
            <Rule members={isThere} values={draft.values as unknown as Account} change={draft.change} isReadOnly={!mayChange} />
            <PasswordRule
              members={isThere}
              values={draft.values as unknown as Account}
              change={draft.change}
              isReadOnly={!mayChange}
              onShown={draft.save}
            />
            <AdminRule
              members={isThere}
              values={draft.values as unknown as Account}
              change={draft.change}
              isReadOnly={!mayChange}
              onShown={draft.save}
            />
          </FaultForm>
        </>
      )}
      <UnsavedBar count={draft.count} isSaving={draft.isSaving} onDiscard={draft.discard} onSave={draft.save} />
    </Page>
  );
}

/** The ways of signing in that the server has. */
function Ways({ account }: { account: Account }) {
  const { t } = useTexts();
  const features = useSession().data?.features;
  const provider = useProvider();
  const isOwn = Boolean(useMembership()?.singleSignOnName);
  if (!features) return null;
  const { passkey, mail } = features;
  const isShut = account.onlySingleSignOn;
  const noPasswords = account.noPasswords && passkey; // where there are no passkeys, passwords are taken
  const shutText = t("signInRules.shutText", { name: provider });
  const rows = [
    {
      name: t("me.password"),
      isOn: true,
      isShut: isShut || noPasswords,
      text: isShut ? shutText : t(noPasswords ? "signInRules.passwordsOff" : "signInRules.passwordText"),
    },
    {
      name: t("passkey.title"),
      isOn: passkey,
      isShut,
      text: isShut ? shutText : t(passkey ? "signInRules.passkeyText" : "signInRules.noPasskey"),
    },
    { name: provider || t("signOn.title"), isOn: Boolean(provider), text: t(isOwn ? "provider.title" : provider ? "signInRules.ssoText" : "signInRules.noSSO") },
    { name: t("signInRules.links"), isOn: true, text: t(mail ? "server.mails" : "signInRules.linksShown") },
  ];
  return (
    <Section title={t("signInRules.ways")}>
      <ul>
        {rows.map(({ name, isOn, isShut, text }) => (
          <li key={name} className={`${styles.row} ${styles.part}`}>
            <h3 className={styles.name} dir="auto">
              {name}
            </h3>
            <div className={styles.facts}>
              <PartState kind={isOn && !isShut ? "good" : "none"} word={t(isShut ? "signInRules.shut" : isOn ? "server.isSet" : "server.notSet")} />
              <p className={styles.detail}>{text}</p>
            </div>
          </li>
        ))}
      </ul>
      <p>
        <Link href="/workspace/members">{t("signInRules.whoHow")}</Link>
      </p>
    </Section>
  );
}

/** What people call the provider by which members enter the company: its own, else that of the server; empty without one. */
function useProvider(): string {
  const own = useMembership()?.singleSignOnName;
  const features = useSession().data?.features;
  return own || (features ? serverProvider(features) : "");
}

interface RuleProps {
  members: readonly Member[];
  values: Account;
  change: (name: string, value: unknown) => void;
  isReadOnly: boolean;
}

const canSignInAlone = ({ signsInBy }: Member) => signsInBy.some((way) => way !== "singleSignOn");

function Rule({ members, values, change, isReadOnly }: RuleProps) {
  const { t } = useTexts();
  const { data: session } = useSession();
  const { onlySingleSignOn: isOn, exemptOwner } = values;
  const owners = members.filter((one) => one.role === "owner" && (canSignInAlone(one) || one.userId === exemptOwner));
  const isPossible = Boolean(useProvider()) || isOn;
  const toggle = (isOnNow: boolean) => {
    const own = owners.find(({ userId }) => userId === session?.user?.id) ?? owners[0];
    change("onlySingleSignOn", isOnNow);
    change("exemptOwner", isOnNow ? (own?.userId ?? "") : "");
  };
  return (
    <Section title={t("signInRules.only")}>
      <p className={styles.detail}>{t("signInRules.onlyText")}</p>
      <Toggle isSelected={isOn} onChange={toggle} isDisabled={isReadOnly || !isPossible}>
        {t("signInRules.onlySwitch")}
      </Toggle>
      <Fault name="onlySingleSignOn" />
      {!isPossible && <p className={styles.detail}>{t("signInRules.needsProvider")}</p>}
      {isOn && (
        <>
          {isReadOnly ? (
            <p>{t("signInRules.exemptIs", { name: showName(members.find(({ userId }) => userId === exemptOwner)?.name ?? "", t) })}</p>
          ) : (
            <Choice
              label={t("signInRules.exempt")}
              value={exemptOwner}
              options={owners.map(({ userId, name, email }) => ({ id: userId, name: `${showName(name, t)} · ${email}` }))}
              onChange={(userId) => change("exemptOwner", userId)}
            />
          )}
          <Fault name="exemptOwner" />
          <p className={styles.detail}>{t("signInRules.exemptHint")}</p>
        </>
      )}
    </Section>
  );
}

const isAdmin = ({ role }: Member) => role === "owner" || role === "admin";

interface PasskeyRuleProps extends RuleProps {
  /** Is called when the person has shown a passkey, which whoever switches the rule on must have. */
  onShown: () => void;
}

/** Whether members may sign in with a password. */
function PasswordRule({ members, values, change, isReadOnly, onShown }: PasskeyRuleProps) {
  const { t } = useTexts();
  const { data: session } = useSession();
  const fault = useFault("noPasswords");
  const { noPasswords: isOff, onlySingleSignOn } = values;
  const isThere = session?.features.passkey === true;
  const hasOwn = Boolean(session?.user?.hasPasskey);
  const isPossible = isOff || (isThere && (hasOwn || Boolean(session?.user?.hasSingleSignOn)));
  const without = members.filter(({ signsInBy }) => signsInBy.length > 0 && signsInBy.every((way) => way === "password"));
  return (
    <Section title={t("signInRules.passwords")}>
      <p className={styles.detail}>{t("signInRules.passwordsText")}</p>
      <Toggle isSelected={!isOff} onChange={(isOn) => change("noPasswords", !isOn)} isDisabled={isReadOnly || !isPossible}>
        {t("signInRules.passwordsSwitch")}
      </Toggle>
      <FaultRow id="fault-noPasswords" fault={fault} />
      {fault && hasOwn && <PasskeyButton answer={() => answerWithPasskey(true)} onDone={onShown} isLast />}
      {!isOff && !isThere && <p className={styles.detail}>{t("signInRules.noPasskey")}</p>}
      {!isReadOnly && isThere && !isPossible && (
        <p className={styles.detail}>
          {t("signInRules.adminsOwn")} <Link href="/me">{t("me.title")}</Link>
        </p>
      )}
      {without.length > 0 && <Without members={without} text="signInRules.passwordsWithout" />}
      {isOff && onlySingleSignOn && <p className={styles.detail}>{t("signInRules.adminsExempt")}</p>}
    </Section>
  );
}

/** Names members. */
function Without({ members, text }: { members: readonly Member[]; text: Key }) {
  const { t, locale } = useTexts();
  const names = new Intl.ListFormat(locale, { type: "conjunction" }).format(members.map(({ name }) => showName(name, t)));
  return <p className={styles.detail}>{t(text, { names })}</p>;
}

/** Whether owners and admins need a passkey. */
function AdminRule({ members, values, change, isReadOnly, onShown }: PasskeyRuleProps) {
  const { t } = useTexts();
  const { data: session } = useSession();
  const fault = useFault("adminsNeedPasskey");
  const { adminsNeedPasskey: isOn, onlySingleSignOn } = values;
  const isThere = session?.features.passkey === true;
  const hasOwn = Boolean(session?.user?.hasPasskey);
  const isPossible = isOn || (isThere && (hasOwn || Boolean(session?.user?.hasSingleSignOn)));
  const without = members.filter((one) => isAdmin(one) && !one.signsInBy.includes("passkey"));
  return (
    <Section title={t("signInRules.admins")}>
      <p className={styles.detail}>{t("signInRules.adminsText")}</p>
      <Toggle
        isSelected={isOn}
        onChange={(isOnNow) => change("adminsNeedPasskey", isOnNow)}
        isDisabled={isReadOnly || !isPossible}
      >
        {t("signInRules.adminsSwitch")}
      </Toggle>
      <FaultRow id="fault-adminsNeedPasskey" fault={fault} />
      {fault && hasOwn && <PasskeyButton answer={() => answerWithPasskey(true)} onDone={onShown} isLast />}
      {!isOn && !isThere && <p className={styles.detail}>{t("signInRules.noPasskey")}</p>}
      {!isReadOnly && isThere && !isPossible && (
        <p className={styles.detail}>
          {t("signInRules.adminsOwn")} <Link href="/me">{t("me.title")}</Link>
        </p>
      )}
      {without.length > 0 && <Without members={without} text="signInRules.adminsWithout" />}
      {isOn && onlySingleSignOn && <p className={styles.detail}>{t("signInRules.adminsExempt")}</p>}
    </Section>
  );
}

/** What the server says is wrong with what is no field that says it by itself. */
function Fault({ name }: { name: string }) {
  const fault = useFault(name);
  return <FaultRow id={`fault-${name}`} fault={fault} />;
}
