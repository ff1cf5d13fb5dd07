import { useState } from "react";
import type { Insights } from "../../api/insights";
import { useMay } from "../../api/session";
import { useAgentSettings, useSettingsDraft, type Shape } from "../../api/settings";
import { Button } from "../../components/button";
import { ConflictDialog } from "../../components/conflict";
import { MenuButton, type MenuAction } from "../../components/menu-button";
import { Section } from "../../components/page";
import { RoleNote } from "../../components/role-note";
import { Failed, Loading } from "../../components/states";
import { UnsavedBar } from "../../components/unsaved";
import { useTexts } from "../../i18n";
import { showName } from "../../names";
import { Rebuild } from "./rebuild";
import { NameDialog, TargetDialog } from "./topic-dialogs";
import { listTopics, mergeTargets, mergeTopic, moveTopic, placesAbove, removeTopic, renameTopic, shiftTopic, type Place, type Placed, type Topic } from "./tree";
import styles from "./insights.module.css";

const shape: Shape = {
  name: "/topics",
  toValues: ({ topics }) => ({ topics: topics ?? [] }),
  toSettings: (changes) => changes,
};

const namesOf = (value: unknown) => listTopics((value ?? []) as Topic[]).map(({ topic }) => topic.name).join("\n");

/** What conversations are sorted by, as a tree that can be changed. */
export function Topics({ agentId, report }: { agentId: string; report: Insights }) {
  const { t } = useTexts();
  const mayChange = useMay("agents:write");
  const mayRebuild = useMay("insights:write");
  const settings = useAgentSettings(agentId);
  const draft = useSettingsDraft(agentId, settings.data, shape);
  const topics = (draft.values.topics ?? []) as readonly Topic[];
  const change = (next: Topic[]) => draft.change("topics", next);
  return (
    <>
      <RoleNote needs="agents:write" note="role.topics" />
      <p className={styles.hint}>{t("insights.topicsMean")}</p>
      {draft.isSaved && <p role="status">{t("settings.saved")}</p>}
      {draft.error !== null && <Failed error={draft.error} />}
      {settings.isPending && <Loading rows={4} />}
      {settings.isError && !settings.data && <Failed error={settings.error} onRetry={() => void settings.refetch()} />}
      {settings.data && (
        <>
          <Tree topics={topics} report={report} change={mayChange ? change : undefined} />
          <FoundTopics topics={topics} report={report} change={mayChange ? change : undefined} />
          {mayRebuild && <Rebuild agentId={agentId} />}
        </>
      )}
      <UnsavedBar
        count={draft.count}
        isSaving={draft.isSaving}
        within={`/agents/${agentId}/insights`}
        onDiscard={draft.discard}
        onSave={mayChange ? draft.save : undefined}
      />
      <ConflictDialog
        differences={draft.disputes.map(({ mine, theirs }) => ({ name: t("insights.topics"), mine: namesOf(mine), theirs: namesOf(theirs) }))}
        onKeepMine={draft.keepMine}
        onTakeTheirs={draft.takeTheirs}
        onClose={draft.closeConflict}
      />
    </>
  );
}

interface TreeProps {
  topics: readonly Topic[];
  report: Insights;
  /** Undefined where the person may not change topics. */
  change: ((topics: Topic[]) => void) | undefined;
}

type Act = "rename" | "up" | "down" | "move" | "merge" | "remove";
/** What a dialog asks about: a new topic, or an act on one. */
type Asked = { act: "add" } | { act: "rename" | "move" | "merge"; placed: Placed };

function Tree({ topics, report, change }: TreeProps) {
  const { t } = useTexts();
  const [asked, setAsked] = useState<Asked | null>(null);
  const act = (placed: Placed, id: Act) => {
    if (id === "rename" || id === "move" || id === "merge") return setAsked({ act: id, placed });
    if (id === "remove") return change?.(removeTopic(topics, placed.place));
    change?.(shiftTopic(topics, placed.place, id === "up" ? -1 : 1));
  };
  return (
    <Section title={t("insights.topics")}>
      {topics.length === 0 && <p className={styles.hint}>{t("insights.noTopics")}</p>}
      <Branch list={topics} above={[]} topics={topics} report={report} onAct={change && act} />
      {change && (
        <div>
          <Button icon="plus" onPress={() => setAsked({ act: "add" })}>
            {t("insights.addTopic")}
          </Button>
        </div>
      )}
      {change && <Dialogs topics={topics} asked={asked} onChange={change} onClose={() => setAsked(null)} />}
    </Section>
  );
}

interface DialogsProps {
  topics: readonly Topic[];
  asked: Asked | null;
  onChange: (topics: Topic[]) => void;
  onClose: () => void;
}

function Dialogs({ topics, asked, onChange, onClose }: DialogsProps) {
  const { t } = useTexts();
  const finish = (next: Topic[]) => {
    onChange(next);
    onClose();
  };
  const placed = asked && asked.act !== "add" ? asked.placed : null;
  const name = placed?.topic.name ?? "";
  return (
    <>
      <NameDialog
        title={placed ? t("insights.renameTopic", { name }) : t("insights.addTopic")}
        name={name}
        taken={listTopics(topics).map(({ topic }) => topic.name).filter((one) => one !== name)}
        isOpen={asked?.act === "add" || asked?.act === "rename"}
        onName={(next) => finish(placed ? renameTopic(topics, placed.place, next) : [...topics, { name: next }])}
        onClose={onClose}
      />
      <TargetDialog
        title={t("insights.moveTopic", { name })}
        label={t("insights.moveTo")}
        targets={placed ? placesAbove(topics, placed) : []}
        top={placed && placed.place.length > 1 ? t("insights.topLevel") : undefined}
        isOpen={asked?.act === "move"}
        onChoose={(above) => placed && finish(moveTopic(topics, placed.place, above))}
        onClose={onClose}
      />
      <TargetDialog
        title={t("insights.mergeTopic", { name })}
        label={t("insights.mergeInto")}
        hint={t("insights.mergeMeans")}
        targets={placed ? mergeTargets(topics, placed) : []}
        isOpen={asked?.act === "merge"}
        onChoose={(into) => placed && into && finish(mergeTopic(topics, placed.place, into))}
        onClose={onClose}
      />
    </>
  );
}

interface BranchProps extends Omit<TreeProps, "change"> {
  /** The topics of one list, and where that is. */
  list: readonly Topic[];
  above: Place;
  onAct: ((placed: Placed, act: Act) => void) | undefined;
}

function Branch({ list, above, topics, report, onAct }: BranchProps) {
  const { t } = useTexts();
  const actionsOf = useActions(topics);
  if (list.length === 0) return null;
  return (
    <ul className={styles.tree}>
      {list.map((topic, i) => {
        const placed = { topic, place: [...above, i] };
        const count = report.topics.find(({ name }) => name === topic.name)?.conversations ?? 0;
        const words = (topic.keywords ?? []).join(", ");
        return (
          <li key={i}>
            <div className={styles.topic}>
              <div>
                <bdi>{showName(topic.name, t)}</bdi>{" "}
                <span className={styles.hint}>
                  {t("insights.count", { count })}
                  {words && (
                    <>
                      {" · "}
                      <bdi>{words}</bdi>
                    </>
                  )}
                </span>
              </div>
              {onAct && (
                <MenuButton
                  icon="ellipsis"
                  isIcon
                  label={t("insights.topicMore", { name: showName(topic.name, t) })}
                  actions={actionsOf(placed, i, list.length)}
                  onAction={(id) => onAct(placed, id)}
                />
              )}
            </div>
            <Branch list={topic.topics ?? []} above={placed.place} topics={topics} report={report} onAct={onAct} />
          </li>
        );
      })}
    </ul>
  );
}

// useActions returns what can be done with a topic where it is.
function useActions(topics: readonly Topic[]) {
  const { t } = useTexts();
  return (placed: Placed, at: number, count: number): MenuAction<Act>[] => {
    const canMove = placed.place.length > 1 || placesAbove(topics, placed).length > 0;
    const all: readonly (MenuAction<Act> & { isThere: boolean })[] = [
      { id: "rename", icon: "pencil", name: t("insights.rename"), isThere: true },
      { id: "up", icon: "arrow-up", name: t("insights.up"), isThere: at > 0 },
      { id: "down", icon: "arrow-down", name: t("insights.down"), isThere: at < count - 1 },
      { id: "move", icon: "chevron-right", name: t("insights.move"), isThere: canMove },
      { id: "merge", icon: "copy", name: t("insights.merge"), isThere: mergeTargets(topics, placed).length > 0 },
      { id: "remove", icon: "trash", name: t("insights.remove"), isThere: true },
    ];
    return all.filter(({ isThere }) => isThere).map(({ id, icon, name }) => ({ id, icon, name }));
  };
}

/** Topics that were found by themselves, which can be kept as the operator's own. */
function FoundTopics({ topics, report, change }: TreeProps) {
  const { t } = useTexts();
  const known = new Set(listTopics(topics).map(({ topic }) => topic.name));
  const found = report.topics.filter(({ name }) => name !== "unspecified" && !known.has(name));
  if (found.length === 0) return null;
  return (
    <Section title={t("insights.foundTopics")}>
      <p className={styles.hint}>{t("insights.foundTopicsMean")}</p>
      <ul className={styles.tree}>
        {found.map(({ name, conversations }) => (
          <li key={name} className={styles.topic}>
            <div>
              <bdi>{showName(name, t)}</bdi> <span className={styles.hint}>{t("insights.count", { count: conversations })}</span>
            </div>
            {change && (
              <Button icon="plus" aria-label={t("insights.keepNamed", { name })} onPress={() => change([...topics, { name }])}>
                {t("insights.keep")}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}
