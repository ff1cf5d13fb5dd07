import { Button, ButtonLink } from "../components/button";
import { Page } from "../components/page";
import { Empty } from "../components/states";
import { useTexts } from "../i18n";
import { useSearchOpener } from "../shell/search-opener";

/** `isAgent` is of a page that there is, of an agent that is not there. */
export default function NotFoundPage({ isAgent = false }: { isAgent?: boolean }) {
  const { t } = useTexts();
  const openSearch = useSearchOpener();
  return (
    <Page title={t("notFound.title")}>
      <Empty
        icon="search"
        title={t(isAgent ? "notFound.agent" : "notFound.heading")}
        text={t(isAgent ? "notFound.agentText" : "notFound.text")}
      >
        {openSearch && (
          <Button icon="search" onPress={openSearch}>
            {t("commands.open")}
          </Button>
        )}
        <ButtonLink href="/agents">{t("notFound.agents")}</ButtonLink>
      </Empty>
    </Page>
  );
}
