import { isOpen, serverProvider, signOut, useSessionChange, type Membership, type Session } from "../api/session";
import { Button, ButtonLink } from "../components/button";
import { CardPage } from "../components/card";
import { useTexts } from "../i18n";
import { SignInForm } from "./sign-in";

interface Props {
  account: Membership;
  session: Session;
}

/**
 * For whoever has signed in in a way that does not open a company: it is entered by single sign-on alone, or the
 * provider of another one has vouched for them. It offers the ways that the company allows.
 */
export function NeedsSignInPage({ account, session: { user, features, memberships } }: Props) {
  const { t } = useTexts();
  const changed = useSessionChange();
  const { accountId, accountName: company, needsSingleSignOn, singleSignOnName } = account;
  const ofServer = serverProvider(features);
  const name = singleSignOnName || ofServer;
  const own = singleSignOnName ? `?account=${encodeURIComponent(accountId)}` : "";
  const others = memberships.filter((one) => one !== account && isOpen(one));
  const text = !needsSingleSignOn ? "needsOther.text" : name ? "needsSSO.text" : "needsSSO.gone";
  return (
    <CardPage title={t(needsSingleSignOn ? "needsSSO.title" : "needsOther.title", { company })}>
      <p role="alert">{t(text, { company })}</p>
      {name && (
        <ButtonLink href={`${location.origin}/console/api/v1/session/oidc${own}`} target="_self" rel="noopener">
          {t("signIn.oidc", { name })}
        </ButtonLink>
      )}
      {!needsSingleSignOn && (
        <SignInForm
          features={{ ...features, oidc: Boolean(singleSignOnName && ofServer), oidcName: ofServer, byDomain: false }}
          email={user?.email ?? ""}
          onDone={changed}
          mayLeave
        />
      )}
      {!needsSingleSignOn && <p>{t("needsOther.noWay", { company })}</p>}
      {others.map(({ accountId, accountName }) => (
        <ButtonLink key={accountId} href={`/console/a/${encodeURIComponent(accountId)}`}>
          {t("commands.account", { name: accountName })}
        </ButtonLink>
      ))}
      <Button kind="quiet" icon="log-out" onPress={() => void signOut().finally(changed)}>
        {t("user.signOut")}
      </Button>
    </CardPage>
  );
}
