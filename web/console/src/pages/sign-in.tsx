import { useState, type ReactNode } from "react";
import { APIError } from "../api/client";
import { canUsePasskeys, type Challenge } from "../api/passkey";
import {
  answerWithPasskey,
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

/** The provider by which alone the companies of a person are entered, out of the refusal of another way. */
interface OnlyWay {
  company: string;
  provider: string;
  accountId?: string;
}

function readOnlyWay(error: unknown): OnlyWay | undefined {
  const isSaid = error instanceof APIError && error.code === "AUTH_SINGLE_SIGN_ON_REQUIRED" && Boolean(error.details["provider"]);
  return isSaid ? (error.details as unknown as OnlyWay) : undefined;
}

export function SignInForm({ features, onDone, mayLeave = false, email = "" }: Props) {
  const { t } = useTexts();
  const [way, setWay] = useState<Way>("password");
  const [asked, setAsked] = useState<Challenge>();
  const [only, setOnly] = useState<OnlyWay>();
  const back = () => setWay("password");
  // Has a refusal that names the way which works shown with that way.
  const attempt = async <T,>(act: () => Promise<T>): Promise<T | undefined> => {
    setOnly(undefined);
    try {
      return await act();
    } catch (error) {
      const named = readOnlyWay(error);
      if (!named) throw error;
      setOnly(named);
      setAsked(undefined);
      setWay("password");
      return undefined;
    }
  };
  if (asked) return <SecondStepForm asked={asked} onDone={onDone} onBack={() => setAsked(undefined)} />;
  if (way === "link") return <LinkForm email={email} onBack={back} />;
  if (way === "code") return <CodeForm email={email} onBack={back} send={(...all) => attempt(() => signInWithCode(...all).then(onDone))} />;
  const hasPasskeys = features.passkey && canUsePasskeys();
  const send = async (email: string, password: string) => {
    const session = await attempt(() => signIn(email, password));
    if (session?.secondStep) setAsked(session.secondStep);
    else if (session) await onDone();
  };
  return (
    <>
      {only && (
        <>
          <div className={states.failed} role="alert">
            <Icon name="circle-alert" />
            <p>{t("signIn.only", { company: only.company, name: only.provider })}</p>
          </div>
          <ButtonLink kind="primary" href={ofProvider(only.accountId)} target={mayLeave ? "_self" : "_blank"} rel="noopener">
            {t("signIn.oidc", { name: only.provider })}
          </ButtonLink>
        </>
      )}
      {features.oidc && <OIDCLink name={features.oidcName} mayLeave={mayLeave} isAlone={!hasPasskeys} onDone={onDone} />}
      {hasPasskeys && <PasskeyButton answer={() => attempt(() => answerWithPasskey().then(onDone))} onDone={async () => {}} />}
      <PasswordForm features={features} email={email} send={send} onOther={setWay} />
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

/** Where the provider of a company signs its people in, or that of the server without one. */
const ofProvider = (id = "") => `${location.origin}/console/api/v1/session/oidc${id && `?account=${encodeURIComponent(id)}`}`;

interface PasswordProps extends Pick<Props, "features" | "email"> {
  send: (email: string, password: string) => Promise<unknown>;
  onOther: (way: Way) => void;
}

function PasswordForm({ features, email: known = "", send, onOther }: PasswordProps) {
  const { t } = useTexts();
  const [provider, setProvider] = useState<AccountProvider>();
  const lookUp = async (email: string) => {
    if (!features.byDomain || !email.includes("@")) return setProvider(undefined);
    const found = await findProvider(email).catch(() => undefined); // the password works without it
    setProvider(found?.accountId ? found : undefined);
  };
  return (
    <Form onSubmit={({ email = "", password = "" }) => send(email, password)}>
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

interface CodeProps {
  email: string;
  onBack: () => void;
  send: (email: string, code: string) => Promise<unknown>;
}

function CodeForm({ email, onBack, send }: CodeProps) {
  const { t } = useTexts();
  return (
    <OtherWay
      email={email}
      onBack={onBack}
      submit={t("signIn.submit")}
      onSubmit={({ email = "", code = "" }) => send(email, code)}
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
