import type { ReactNode } from "react";
import { Dialog, Heading, Modal, ModalOverlay, Tab, TabList, TabPanel, Tabs } from "react-aria-components";
import { useAddressParams } from "../../address-params";
import { linkRecord, useSource, type SourceDetails } from "../../api/sources";
import { Button, IconButton } from "../../components/button";
import { Deferred } from "../../components/deferred";
import { Facts } from "../../components/facts";
import { Failed, Loading } from "../../components/states";
import { SourceStatus } from "../../components/status";
import { formatSize, relativeTime, useTexts } from "../../i18n";
import { ofVersion } from "./details";
import { History } from "./history";
import { typeKey, type RowAction } from "./row";
import { Settings } from "./settings";
import { StateDetail } from "./state";
import { Passages, SitePages, SourceTextView } from "./views";
import styles from "./panel.module.css";

const tabs = ["pages", "text", "passages", "settings", "history"] as const;
type TabName = (typeof tabs)[number];

interface Props {
  agentId: string;
  id: string;
  mayWrite: boolean;
  onAction: (action: RowAction, source: SourceDetails) => void;
  onClose: () => void;
}

/** What there is to know of one source, over the list at the end of the page. */
export default function Panel({ agentId, id, mayWrite, onAction, onClose }: Props) {
  const { t } = useTexts();
  const source = useSource(agentId, id);
  const title = source.data?.name ?? t("sources.source");
  return (
    <ModalOverlay className={styles.overlay!} isOpen isDismissable onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Modal className={styles.modal!}>
        <Dialog className={styles.dialog!}>
          <div className={styles.head}>
            <Heading slot="title" level={2} className={styles.title!}>
              <bdi>{title}</bdi>
            </Heading>
            <IconButton icon="x" label={t("dialog.close")} onPress={onClose} />
          </div>
          {source.isPending && <Loading />}
          {source.isError && <Failed error={source.error} onRetry={() => void source.refetch()} />}
          {source.data && <Body agentId={agentId} source={source.data} mayWrite={mayWrite} onAction={onAction} />}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

type BodyProps = Pick<Props, "agentId" | "mayWrite" | "onAction"> & { source: SourceDetails };

function Body({ agentId, source, mayWrite, onAction }: BodyProps) {
  const { t, locale } = useTexts();
  const canRead = source.status === "failed" || source.type === "link";
  return (
    <>
      <div className={styles.facts}>
        <SourceStatus status={source.status} />
        <Facts>
          {t(typeKey(source.type))}
          {formatSize(source.size, locale)}
          {relativeTime(source.updatedAt, locale)}
        </Facts>
        <StateDetail source={source} />
      </div>
      <Children source={source} />
      {mayWrite && (
        <div className={styles.buttons}>
          {canRead && (
            <Button icon="refresh-cw" onPress={() => onAction("refetch", source)}>
              {source.status === "failed" ? t("state.retry") : t("sources.refetch")}
            </Button>
          )}
          <Button icon="trash" onPress={() => onAction("delete", source)}>
            {t("sources.delete")}
          </Button>
        </div>
      )}
      <Deferred>
        <Details agentId={agentId} source={source} mayWrite={mayWrite} />
      </Deferred>
    </>
  );
}

function Children({ source }: { source: SourceDetails }) {
  const { t } = useTexts();
  const children = linkRecord(source)?.children;
  if (!children) return null;
  const { included, excluded, failed } = children;
  return (
    <p className={styles.detail}>
      <Facts>
        {t("sources.pagesRead", { count: included })}
        {excluded > 0 && t("sources.pagesLeftOut", { count: excluded })}
        {failed > 0 && t("sources.pagesFailed", { count: failed })}
      </Facts>
    </p>
  );
}

function Details({ agentId, source, mayWrite }: Omit<BodyProps, "onAction">) {
  const { t } = useTexts();
  const [query, setQuery] = useAddressParams();
  const page = source.type === "link" ? query.get("page") : null;
  const isSite = (linkRecord(source)?.type ?? "individual") !== "individual";
  const shown = tabs.filter((tab) => tab !== "pages" || source.type === "link");
  const chosen = shown.find((tab) => tab === query.get("tab")) ?? shown[0]!;
  const choose = (tab: TabName) =>
    setQuery(
      (before) => {
        for (const name of ofVersion) before.delete(name);
        before.set("tab", tab);
        return before;
      },
      { replace: true },
    );
  const id = page ?? source.sourceId;
  const leavePage = () =>
    setQuery((before) => {
      for (const name of ["page", ...ofVersion]) before.delete(name);
      return before;
    });
  // A site has no text of its own: its pages have.
  const ofPage = (content: ReactNode) =>
    isSite && !page ? (
      <p className={styles.detail}>{t("sources.choosePage")}</p>
    ) : (
      <>
        {page && <PageName agentId={agentId} id={page} onLeave={leavePage} />}
        {content}
      </>
    );
  const show = (id: string) =>
    setQuery((before) => {
      before.set("page", id);
      before.set("tab", "text");
      return before;
    });
  const contents: Record<TabName, ReactNode> = {
    pages: <SitePages agentId={agentId} id={source.sourceId} isMoving={source.progress !== null} onOpen={show} />,
    text: ofPage(<SourceTextView agentId={agentId} id={id} />),
    passages: ofPage(<Passages agentId={agentId} id={id} />),
    settings: <Settings agentId={agentId} source={source} mayWrite={mayWrite} />,
    history: (
      <>
        {page && <PageName agentId={agentId} id={page} onLeave={leavePage} />}
        <History key={id} agentId={agentId} source={source} pageId={page ?? undefined} isSite={isSite} />
      </>
    ),
  };
  return (
    <Tabs selectedKey={chosen} onSelectionChange={(key) => choose(key as TabName)} className={styles.tabs!}>
      <TabList aria-label={t("sources.details")} className={styles.list!}>
        {shown.map((id) => (
          <Tab key={id} id={id} className={styles.tab!}>
            {t(`sources.tab.${id}`)}
          </Tab>
        ))}
      </TabList>
      {shown.map((id) => (
        <TabPanel key={id} id={id} className={styles.content!}>
          {contents[id]}
        </TabPanel>
      ))}
    </Tabs>
  );
}

function PageName({ agentId, id, onLeave }: { agentId: string; id: string; onLeave: () => void }) {
  const { t } = useTexts();
  const { data } = useSource(agentId, id);
  return (
    <p className={styles.pageName}>
      <bdi dir="ltr">{data?.url || data?.name}</bdi>
      <Button kind="quiet" onPress={onLeave}>
        {t("sources.leavePage")}
      </Button>
    </p>
  );
}
