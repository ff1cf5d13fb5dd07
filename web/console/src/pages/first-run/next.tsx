import { Link } from "react-aria-components";
import { useMay } from "../../api/session";
import { ButtonLink } from "../../components/button";
import { useTexts } from "../../i18n";
import { guides } from "../../manual";
import styles from "./first-run.module.css";

/** What most people do after the first answer. Who may not do something reads in the manual how others do it. */
export function Next({ agent }: { agent: string }) {
  const { t } = useTexts();
  const mayConnect = useMay("models:write");
  const mayInvite = useMay("members:write");
  return (
    <aside className={styles.next} aria-labelledby="next">
      <h2 id="next">{t("firstRun.next")}</h2>
      <ul>
        <li>
          <Link href={`/agents/${agent}/embed`}>{t("firstRun.nextSite")}</Link>
        </li>
        <li>
          {mayConnect ? (
            <Link href="/workspace/models">{t("firstRun.nextModel")}</Link>
          ) : (
            <Guide href={guides.model}>{t("firstRun.nextModel")}</Guide>
          )}
        </li>
        <li>
          {mayInvite ? (
            <Link href="/workspace/members">{t("firstRun.nextTeam")}</Link>
          ) : (
            <Guide href={guides.team}>{t("firstRun.nextTeam")}</Guide>
          )}
        </li>
        <li>
          <Link href={`/agents/${agent}/sources`}>{t("firstRun.nextSources")}</Link>
        </li>
      </ul>
      <ButtonLink href={`/agents/${agent}`}>{t("firstRun.done")}</ButtonLink>
    </aside>
  );
}

function Guide({ href, children }: { href: string; children: string }) {
  return (
    <a href={href} target="_blank" rel="noopener">
      {children}
    </a>
  );
}
