import { useQueryClient } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { useLocation } from "wouter";
import { useAddressParams } from "../../address-params";
import { useAgent } from "../../api/agents";
import { isNotFound } from "../../api/client";
import { useMay } from "../../api/session";
import { invalidateSources, refetchSource, useKnowledge, useSources, type SourceRow } from "../../api/sources";
import { Button } from "../../components/button";
import { useFileDrop } from "../../components/file-drop";
import { Icon } from "../../components/icon";
import { lazyPage } from "../../components/lazy-page";
import { MenuButton } from "../../components/menu-button";
import { More } from "../../components/more";
import { Page } from "../../components/page";
import { RoleNote } from "../../components/role-note";
import { Empty, Failed, Loading, Partial } from "../../components/states";
import { useTexts } from "../../i18n";
import type { IconName } from "../../../../shared/icons";
import NotFoundPage from "../not-found";
import { useScreenActions } from "../../shell/screen-actions";
import { AddDialog, addKinds, type AddKind } from "./add";
import { runEach, type Failure } from "./bulk";
import { useChosen } from "./chosen";
import { DeleteDialog } from "./delete";
import { ofDetails } from "./details";
import { Filters, useFilter } from "./filters";
import { Overview } from "./overview";
import { Queue } from "./queue";
import type { RowAction } from "./row";
import { SourceTable } from "./table";
import { TrySearchDialog } from "./try-search";
import { useUploads } from "./uploads";
import styles from "./sources.module.css";

const Panel = lazyPage(() => import("./panel"));

const addIcons: Record<AddKind, IconName> = {
  files: "upload",
  website: "globe",
  text: "square-pen",
  qna: "message-circle-question-mark",
};

interface Props {
  agentId: string;
  /** The source whose details are open. */
  sourceId: string | undefined;
}

/** What an agent reads. */
export default function SourcesPage({ agentId, sourceId }: Props) {
  const agent = useAgent(agentId);
  const isUnknown = !agent.data && isNotFound(agent.error);
  if (isUnknown) return <NotFoundPage isAgent />;
  return <Sources agentId={agentId} sourceId={sourceId} />;
}

function Sources({ agentId, sourceId }: Props) {
  const { t } = useTexts();
  const [, navigate] = useLocation();
  const [query, setQuery] = useAddressParams();
  const mayWrite = useMay("sources:write");
  const uploads = useUploads(agentId);
  const adding = mayWrite ? (addKinds.find((kind) => kind === query.get("add")) ?? null) : null;
  const setParams = (change: Record<string, string | null>) =>
    setQuery((before) => {
      for (const [key, value] of Object.entries(change)) value ? before.set(key, value) : before.delete(key);
      return before;
    });
  const tried = query.get("try");
  const setTried = (text: string | null) =>
    setQuery(
      (before) => {
        text === null ? before.delete("try") : before.set("try", text);
        return before;
      },
      { replace: tried !== null },
    );
  const open = (id: string | null) => {
    const kept = new URLSearchParams(query);
    for (const name of ofDetails) kept.delete(name);
    navigate(`/agents/${agentId}/sources${id ? `/${id}` : ""}${kept.size > 0 ? `?${kept}` : ""}`);
  };
  const mayDrop = mayWrite && tried === null && (adding === null || adding === "files");
  const drop = (files: File[]) => {
    uploads.add(files);
    if (adding) setParams({ add: null });
  };
  const isDropping = useFileDrop(mayDrop ? drop : null);
  const ways = addKinds.map((kind) => {
    const name = t("commands.addSource", { kind: t(`sources.addTitle.${kind}`) });
    return { id: `add ${kind}`, icon: addIcons[kind], name, run: () => setParams({ add: kind }) };
  });
  const tryIt = { id: "try search", icon: "search", name: t("sources.trySearch"), run: () => setTried("") } as const;
  useScreenActions([...(mayWrite ? ways : []), tryIt]);
  const add = mayWrite && (
    <MenuButton
      kind="primary"
      icon="plus"
      label={t("sources.add")}
      actions={addKinds.map((id) => ({ id, icon: addIcons[id], name: t(`sources.addTitle.${id}`) }))}
      onAction={(kind) => setParams({ add: kind })}
    />
  );
  return (
    <Page
      title={t("sources.title")}
      actions={
        <div className={styles.buttons}>
          <Button icon="search" onPress={() => setTried("")}>
            {t("sources.trySearch")}
          </Button>
          {add}
        </div>
      }
    >
      <RoleNote needs="sources:write" note="role.sources" />
      {isDropping && adding === null && (
        <div className={styles.dropping}>
          <Icon name="upload" size={24} />
          <p>{t("sources.drop")}</p>
        </div>
      )}
      <Overview agentId={agentId} mayWrite={mayWrite} />
      <Queue uploads={uploads} />
      <List agentId={agentId} sourceId={sourceId} mayWrite={mayWrite} add={add} onOpen={open} />
      <AddDialog
        agentId={agentId}
        kind={adding}
        question={query.get("question") ?? ""}
        onFiles={uploads.add}
        onClose={() => setParams({ add: null, question: null })}
      />
      <TrySearchDialog agentId={agentId} query={tried} onSearch={setTried} onClose={() => setTried(null)} />
    </Page>
  );
}

interface ListProps {
  agentId: string;
  sourceId: string | undefined;
  mayWrite: boolean;
  add: React.ReactNode;
  onOpen: (id: string | null) => void;
}

function List({ agentId, sourceId, mayWrite, add, onOpen }: ListProps) {
  const { t } = useTexts();
  const client = useQueryClient();
  const [filter, change] = useFilter();
  const sources = useSources(agentId, filter);
  const use = useKnowledge(agentId);
  const [deleting, setDeleting] = useState<readonly SourceRow[]>([]);
  const [failures, setFailures] = useState<readonly Failure<SourceRow>[]>([]);
  const rows = sources.data?.pages.flatMap(({ data }) => data) ?? [];
  const total = sources.data?.pages[0]?.pagination.total ?? rows.length;
  const { chosen, picked, choose, clear, mayChooseAll, chooseAll, reading } = useChosen(agentId, filter, rows, total);
  const isNarrow = filter.name !== "" || filter.type !== "" || filter.state !== "";
  const refetch = async (list: readonly SourceRow[]) => {
    setFailures(await runEach(list, ({ sourceId }) => refetchSource(agentId, sourceId)));
    await invalidateSources(client, agentId);
  };
  const act = (action: RowAction, row: SourceRow) => {
    if (action === "open") onOpen(row.sourceId);
    else if (action === "refetch") void refetch([row]);
    else setDeleting([row]);
  };
  const isEmpty = sources.isSuccess && rows.length === 0;
  return (
    <>
      {(!isEmpty || isNarrow) && <Filters />}
      <Partial
        count={failures.length}
        text={t("sources.refetchedPart", { count: failures.length })}
        failures={failures.map(({ item, error }) => ({ name: item.name, error }))}
        onRetry={() => void refetch(failures.map(({ item }) => item))}
      />
      {sources.isPending && <Loading rows={5} />}
      {sources.isError && !sources.isFetchNextPageError && <Failed error={sources.error} onRetry={() => void sources.refetch()} />}
      {isEmpty && !isNarrow && (
        <Empty icon="database" title={t("sources.none")} text={t("sources.noneText")}>
          {add}
        </Empty>
      )}
      {isEmpty && isNarrow && (
        <Empty icon="search" title={t("sources.noMatch")} text={t("sources.noMatchText")}>
          <Button onPress={() => change({ name: "", type: "", state: "" })}>{t("sources.clearFilters")}</Button>
        </Empty>
      )}
      {rows.length > 0 && (
        <SourceTable
          rows={rows}
          total={total}
          use={use.data}
          mayWrite={mayWrite}
          chosen={new Set(chosen.keys())}
          onChoose={choose}
          onAction={act}
        />
      )}
      <More list={sources} />
      {picked.length > 0 && (
        <div className={styles.bulk} role="region" aria-label={t("sources.chosen", { count: picked.length })}>
          <p role="status">{t("sources.chosen", { count: picked.length })}</p>
          {reading.error !== null && <Failed error={reading.error} onRetry={() => void chooseAll()} />}
          {mayChooseAll && (
            <Button kind="quiet" onPress={() => void chooseAll()} isPending={reading.isPending}>
              {t("sources.chooseAll", { count: total })}
            </Button>
          )}
          <Button kind="quiet" onPress={clear}>
            {t("sources.chooseNone")}
          </Button>
          <Button icon="refresh-cw" onPress={() => void refetch(picked)}>
            {t("sources.refetch")}
          </Button>
          <Button icon="trash" onPress={() => setDeleting(picked)}>
            {t("sources.delete")}
          </Button>
        </div>
      )}
      {sourceId && (
        <Suspense>
          <Panel
            key={sourceId}
            agentId={agentId}
            id={sourceId}
            mayWrite={mayWrite}
            onAction={act}
            onClose={() => onOpen(null)}
          />
        </Suspense>
      )}
      <DeleteDialog
        agentId={agentId}
        sources={deleting}
        use={use.data}
        onClose={() => setDeleting([])}
        onDone={() => {
          if (deleting.some((one) => one.sourceId === sourceId)) onOpen(null);
          setDeleting([]);
          clear();
        }}
      />
    </>
  );
}
