import { startAnew } from "../api/session";
import { Button } from "../components/button";
import { CardPage } from "../components/card";
import { useTexts } from "../i18n";

/** Takes the place of everything once somebody else has signed in, in another tab: nothing here may be saved as theirs. */
export function AnotherPersonPage({ now, former }: { now: string; former: string }) {
  const { t } = useTexts();
  return (
    <CardPage title={t("another.title")}>
      <p role="alert">{t("another.text", { now, former })}</p>
      <Button kind="primary" autoFocus onPress={startAnew}>
        {t("another.goOn", { now })}
      </Button>
    </CardPage>
  );
}
