import { signOut, useSession, useSessionChange, type Membership } from "../api/session";
import { Button, ButtonLink } from "../components/button";
import { CardPage } from "../components/card";
import { useTexts } from "../i18n";

interface Props {
  account: Membership;
  memberships: readonly Membership[];
}

/** For whoever has signed in otherwise to a company that is entered by single sign-on alone. */
export function NeedsSingleSignOnPage({ account, memberships }: Props) {
  const { t } = useTexts();
  const changed = useSessionChange();
  const { features } = useSession().data ?? {};
  const own = account.singleSignOnName ? `?account=${encodeURIComponent(account.accountId)}` : "";
  const others = memberships.filter(({ accountId, needsSingleSignOn }) => accountId !== account.accountId && !needsSingleSignOn);
  return (
    <CardPage title={t("needsSSO.title", { company: account.accountName })}>
      <p role="alert">{t(features?.oidc ? "needsSSO.text" : "needsSSO.gone", { company: account.accountName })}</p>
      {features?.oidc && (
        <ButtonLink href={`${location.origin}/console/api/v1/session/oidc${own}`} target="_self" rel="noopener">
          {t("signIn.oidc", { name: account.singleSignOnName || features.oidcName })}
        </ButtonLink>
      )}
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
