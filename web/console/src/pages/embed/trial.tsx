// Leads to a page of the server that has the agent's chat as a page of a site has it. It is none of the console's: what
// runs in it can reach nothing of the console.
import { useEffect } from "react";
import { trialAddress, usePreviewTicket } from "../../api/embed";
import { Page } from "../../components/page";
import { Failed, Loading } from "../../components/states";
import { useTexts } from "../../i18n";

export default function TrialPage({ id }: { id: string }) {
  const { t } = useTexts();
  const { data, isError, error, refetch } = usePreviewTicket(id);
  useEffect(() => {
    if (data) location.replace(trialAddress(id, data));
  }, [id, data]);
  return (
    <Page title={t("embed.trial")}>{isError ? <Failed error={error} onRetry={() => void refetch()} /> : <Loading />}</Page>
  );
}
