// Where the chat goes on a site: what to copy for each way of showing it.
import { useState } from "react";
import { Link } from "react-aria-components";
import { ButtonLink } from "../../components/button";
import { Code } from "../../components/code";
import { Notice } from "../../components/notice";
import { Section } from "../../components/page";
import { Radios } from "../../components/radios";
import { Tabs } from "../../components/tabs";
import { useTexts } from "../../i18n";
import { bubble, frame, helpPage, proxies, stage, type ProxyName } from "./snippets";
import styles from "./embed.module.css";

const ways = ["bubble", "stage", "frame", "help"] as const;
type Way = (typeof ways)[number];

interface Props {
  id: string;
  /** Where visitors find this server. */
  origin: string;
}

export function Place({ id, origin, isPublic, isStageOff }: Props & { isPublic: boolean; isStageOff: boolean }) {
  const { t } = useTexts();
  const [way, setWay] = useState<Way>("bubble");
  const contents = {
    bubble: <Code label={t("embed.bubble")} text={bubble(origin, id)} />,
    stage: (
      <>
        {isStageOff && (
          <Notice>
            {t("embed.stageOff")} <Link href={`/agents/${id}/looks`}>{t("looks.title")}</Link>
          </Notice>
        )}
        <Code label={t("embed.stage")} text={stage(origin, id)} />
      </>
    ),
    frame: <Code label={t("embed.frame")} text={frame(origin, id)} />,
    help: <Help id={id} origin={origin} />,
  };
  const tabs = ways.map((one) => ({
    id: one,
    name: t(`embed.${one}`),
    content: (
      <>
        <p>{t(`embed.${one}Text`)}</p>
        {contents[one]}
      </>
    ),
  }));
  return (
    <Section title={t("embed.place")}>
      <Tabs label={t("embed.place")} chosen={way} tabs={tabs} onChange={setWay} />
      {isPublic && (
        <>
          <p>{t("embed.trialText")}</p>
          <div className={styles.buttons}>
            <ButtonLink icon="globe" href={`/agents/${id}/embed/test`} target="_blank" rel="noopener">
              {t("embed.trialOpen")}
            </ButtonLink>
            <ButtonLink href={`${origin}/chatbot-iframe/${id}`} target="_blank" rel="noopener">
              {t("embed.test")}
            </ButtonLink>
          </div>
        </>
      )}
    </Section>
  );
}

const proxyNames = Object.keys(proxies) as ProxyName[];

function Help({ id, origin }: Props) {
  const { t } = useTexts();
  const [server, setServer] = useState<ProxyName>("nginx");
  return (
    <>
      <Code label={t("embed.help")} text={helpPage(origin, id)} />
      <p>{t("embed.proxyText")}</p>
      <Radios
        label={t("embed.server")}
        value={server}
        options={proxyNames.map((name) => ({ id: name, name: name === "Next" ? "Next.js" : name }))}
        onChange={setServer}
      />
      <Code label={server} text={proxies[server](origin, id)} />
    </>
  );
}

const hosted = "https://www.chatbase.co";

/** What changes on a page that shows the hosted service now. */
export function Coming({ origin }: Pick<Props, "origin">) {
  const { t } = useTexts();
  return (
    <Section title={t("embed.coming")}>
      <p>{t("embed.comingText")}</p>
      <dl className={styles.change}>
        <dt>{t("embed.before")}</dt>
        <dd dir="ltr">
          <code>{hosted}</code>
        </dd>
        <dt>{t("embed.after")}</dt>
        <dd dir="ltr">
          <code>{origin}</code>
        </dd>
      </dl>
    </Section>
  );
}
