import { useState, type ReactNode } from "react";
import { canUsePasskeys, type Challenge } from "../api/passkey";
import {
  findProvider,
  isSignedIn,
  mailLink,
  signIn,
  signInWithCode,
  useSessionChange,
  type AccountProvider,
  type Session,
} from "../api/session";
import { Button, ButtonLink } from "../components/button";
import { CardPage } from "../components/card";
import { Field } from "../components/field";
import { Form } from "../components/form";
import { Icon } from "../components/icon";
import { useTexts, type Key } from "../i18n";
import card from "../components/card.module.css";
import states from "../components/states.module.css";
import { InsecurePage } from "./insecure";
import { useOtherTab } from "./other-tab";
import { PasskeyButton } from "./passkey-button";
import { SecondStepForm } from "./second-step";

// Where single sign-on has failed, the server leads here with the reason.
const failedPath = "/console/sign-in";
const failure = /^#oidc-([a-z-]{1,20})$/.exec(location.hash)?.[1];
if (location.pathname === failedPath) history.replaceState(null, "", "/console/");
const failures: Record<string, Key> = {
  busy: "signIn.oidc.busy",
  conflict: "signIn.oidc.conflict",
  denied: "signIn.oidc.denied",
  domain: "signIn.oidc.domain",
  expired: "signIn.oidc.expired",
  foreign: "provider.foreign",
  invalid: "signIn.oidc.invalid",
  "no-member": "signIn.oidc.noMember",
  setup: "setup.useLink",
  unavailable: "signIn.oidc.unavailable",
  unproved: "signIn.oidc.unproved",
  unverified: "signIn.oidc.unverified",
};

/** The page for whoever is not signed in. */
export default function SignInPage({ session }: { session: Session }) {
  const { t } = useTexts();
  const changed = useSessionChange();
  if (session.insecure) return <InsecurePage />;
  if (session.needsSetup) return <CardPage title={t("setup.title")}>{t("setup.useLink")}</CardPage>;
  return (
    <CardPage title={t("signIn.title")}>
      {failure && (
        <div className={states.failed} role="alert">
          <Icon name="circle-alert" />
          <p>{t(failures[failure] ?? "signIn.oidc.error")}</p>
        </div>
      )}
      {failure === "unproved" && (
        <ButtonLink href={`${location.origin}/console/api/v1/session/oidc?replace=true`} target="_self">
          {t("signIn.oidc.replace")}
        </ButtonLink>
      )}
      <SignInForm features={session.features} onDone={changed} mayLeave />
    </CardPage>
  );
}

interface Props {
  features: Session["features"];
  onDone: () => Promise<unknown>;
  /** Nothing is lost when the page is left. */
  mayLeave?: boolean;
  /** Of the person who is asked, where that is known. */
  email?: string;
}

type Way = "password" | "link" | "code";

export function SignInForm({ features, onDone, mayLeave = false, email = "" }: Props) {
  const [way, setWay] = useState<Way>("password");
  const [asked, setAsked] = useState<Challenge>();
  const back = () => setWay("password");
  if (asked) return <SecondStepForm asked={asked} onDone={onDone} onBack={() => setAsked(undefined)} />;
  if (way === "link") return <LinkForm email={email} onBack={back} />;
  if (way === "code") return <CodeForm email={email} onBack={back} onDone={onDone} />;
  const hasPasskeys = features.passkey && canUsePasskeys();
  return (
    <>
      {features.oidc && <OIDCLink name={features.oidcName} mayLeave={mayLeave} isAlone={!hasPasskeys} onDone={onDone} />}
      {hasPasskeys && <PasskeyButton onDone={onDone} />}
      <PasswordForm features={features} email={email} onDone={onDone} onOther={setWay} onAsked={setAsked} />
    </>
  );
}

interface OIDCProps {
  name: string;
  mayLeave: boolean;
  isAlone: boolean;
  onDone: () => Promise<unknown>;
}

/** Leads to the provider of single sign-on, in another tab where this page must stay. */
function OIDCLink({ name, mayLeave, isAlone, onDone }: OIDCProps) {
  const { t } = useTexts();
  const [, setAway] = useOtherTab(isSignedIn, onDone);
  return (
    <>
      <ButtonLink
        href={`${location.origin}/console/api/v1/session/oidc`}
        target={mayLeave ? "_self" : "_blank"}
        rel="noopener"
        onPress={() => setAway(!mayLeave)}
      >
        {t("signIn.oidc", { name })}
      </ButtonLink>
      {isAlone && <p className={card.or}>{t("signIn.or")}</p>}
    </>
  );
}

/** Where the provider of a company signs its people in. */
const ofProvider = (id: string) => `${location.origin}/console/api/v1/session/oidc?account=${encodeURIComponent(id)}`;

interface PasswordProps extends Props {
  onOther: (way: Way) => void;
  onAsked: (asked: Challenge) => void;
}

function PasswordForm({ features, email: known = "", onDone, onOther, onAsked }: PasswordProps) {
  const { t } = useTexts();
  const [provider, setProvider] = useState<AccountProvider>();
  const lookUp = async (email: string) => {
    if (!features.byDomain || !email.includes("@")) return setProvider(undefined);
    const found = await findProvider(email).catch(() => undefined); // the password works without it
    setProvider(found?.accountId ? found : undefined);
  };
  const send = async ({ email = "", password = "" }: Record<string, string>) => {
    const { secondStep } = await signIn(email, password);
    return secondStep ? onAsked(secondStep) : onDone();
  };
  return (
    <Form onSubmit={send}>
      {(isPending) => (
        <>
          <Field
            name="email"
            type="email"
            label={t("field.email")}
            autoComplete="username"
            defaultValue={known}
            isRequired
            autoFocus={!known}
            onBlur={({ target }) => void lookUp((target as HTMLInputElement).value)}
          />
          {provider && (
            <ButtonLink kind="primary" href={ofProvider(provider.accountId)} target="_self">
              {t("signIn.oidc", { name: provider.name })}
            </ButtonLink>
          )}
          <Field
            name="password"
            type="password"
            label={t("field.password")}
            autoComplete="current-password"
            isRequired
            autoFocus={known !== ""}
          />
          <Button type="submit" kind="primary" isPending={isPending}>
            {t("signIn.submit")}
          </Button>
          {features.mail && (
            <Button kind="quiet" onPress={() => onOther("link")}>
              {t("signIn.link")}
            </Button>
          )}
          <Button kind="quiet" onPress={() => onOther("code")}>
            {t("signIn.code")}
          </Button>
        </>
      )}
    </Form>
  );
}

function CodeForm({ email, onBack, onDone }: { email: string; onBack: () => void; onDone: () => Promise<unknown> }) {
  const { t } = useTexts();
  return (
    <OtherWay
      email={email}
      onBack={onBack}
      submit={t("signIn.submit")}
      onSubmit={({ email = "", code = "" }) => signInWithCode(email, code).then(onDone)}
    >
      <Field name="code" label={t("recovery.code")} autoComplete="one-time-code" isRequired />
    </OtherWay>
  );
}

// The answer is the same whether there is such a person or not.
function LinkForm({ email, onBack }: { email: string; onBack: () => void }) {
  const { t } = useTexts();
  const [isSent, setSent] = useState(false);
  if (isSent) {
    return (
      <>
        <p role="status">{t("signIn.linkSent")}</p>
        <Button kind="quiet" onPress={onBack}>
          {t("signIn.back")}
        </Button>
      </>
    );
  }
  return (
    <OtherWay
      email={email}
      onBack={onBack}
      submit={t("signIn.link")}
      onSubmit={({ email = "" }) => mailLink(email).then(() => setSent(true))}
    />
  );
}

interface OtherWayProps {
  email: string;
  submit: string;
  onSubmit: (values: Record<string, string>) => Promise<unknown>;
  onBack: () => void;
  children?: ReactNode;
}

function OtherWay({ email, submit, onSubmit, onBack, children }: OtherWayProps) {
  const { t } = useTexts();
  return (
    <Form onSubmit={onSubmit}>
      {(isPending) => (
        <>
          <Field
            name="email"
            type="email"
            label={t("field.email")}
            autoComplete="username"
            defaultValue={email}
            isRequired
            autoFocus
          />
          {children}
          <Button type="submit" kind="primary" isPending={isPending}>
            {submit}
          </Button>
          <Button kind="quiet" onPress={onBack}>
            {t("signIn.back")}
          </Button>
        </>
      )}
    </Form>
  );
}
