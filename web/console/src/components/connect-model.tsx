import { Link } from "react-aria-components";
import { useMay } from "../api/session";
import { useTexts } from "../i18n";

/** Says what the built-in model does not do, and links to where another one is connected. */
export function ConnectModel() {
  const { t } = useTexts();
  const mayConnect = useMay("models:write");
  return (
    <>
      {t("playground.builtInHint")} {mayConnect && <Link href="/workspace/models">{t("models.connectOne")}</Link>}
    </>
  );
}
