import { useState } from "react";
import { Button as AriaButton, GridList, GridListItem, useDragAndDrop } from "react-aria-components";
import { moveRule, removeRule, switchRule, useRules, type Condition, type Rule } from "../../api/helpdesk-setup";
import { useMay } from "../../api/session";
import { Button } from "../../components/button";
import { Dialog } from "../../components/dialog";
import { Icon } from "../../components/icon";
import { MenuButton, type MenuAction } from "../../components/menu-button";
import { Failed, Loading } from "../../components/states";
import { useTexts } from "../../i18n";
import { showName } from "../../names";
import { useAttempt } from "./attempt";
import { describeCondition } from "./conditions";
import { findPlace } from "./place";
import { RuleForm } from "./rule-form";
import { TryRules } from "./try";
import styles from "./setup.module.css";

/** The routing rules in their order, of which the first that holds decides. */
export function Rules({ agentId }: { agentId: string }) {
  const { t } = useTexts();
  const mayWrite = useMay("helpdesk:write");
  const rules = useRules(agentId);
  const [asked, setAsked] = useState<Rule | "new" | null>(null);
  const { error, attempt } = useAttempt(agentId);
  const [said, setSaid] = useState("");
  const move = (rule: Rule, to: number) =>
    void attempt(() => moveRule(agentId, rule.key, to)).then((isDone) =>
      setSaid(isDone ? t("tickets.setup.ruleMoved", { name: showName(rule.name, t), place: to }) : ""),
    );
  const close = () => setAsked(null);
  const run = (act: string, rule: Rule, at: number) => {
    if (act === "change") setAsked(rule);
    else if (act === "up") move(rule, at);
    else if (act === "down") move(rule, at + 2);
    else if (act === "remove") void attempt(() => removeRule(agentId, rule.key));
    else void attempt(() => switchRule(agentId, rule.key, !rule.enabled));
  };
  return (
    <div className={styles.part}>
      <p className={styles.intro}>{t("tickets.setup.ruleIntro")}</p>
      {mayWrite && (
        <div>
          <Button icon="plus" onPress={() => setAsked("new")}>
            {t("tickets.setup.addRule")}
          </Button>
        </div>
      )}
      {error !== null && <Failed error={error} />}
      {rules.isPending && <Loading rows={3} />}
      {rules.isError && !rules.data && <Failed error={rules.error} onRetry={() => void rules.refetch()} />}
      {rules.data?.length === 0 && <p className={styles.detail}>{t("tickets.setup.noRules")}</p>}
      {rules.data && rules.data.length > 0 && <RuleList rules={rules.data} mayWrite={mayWrite} onMove={move} onAction={run} />}
      <p role="status" className={styles.hidden}>
        {said}
      </p>
      <TryRules agentId={agentId} />
      <Dialog title={t(asked === "new" ? "tickets.setup.addRule" : "tickets.setup.changeRule")} isOpen={asked !== null} onClose={close}>
        <RuleForm agentId={agentId} rule={asked === "new" ? null : asked} onClose={close} />
      </Dialog>
    </div>
  );
}

interface ListProps {
  rules: readonly Rule[];
  mayWrite: boolean;
  onMove: (rule: Rule, to: number) => void;
  onAction: (act: string, rule: Rule, at: number) => void;
}

function RuleList({ rules, mayWrite, onMove, onAction }: ListProps) {
  const { t } = useTexts();
  const indexOf = (key: unknown) => rules.findIndex((rule) => rule.key === key);
  const { dragAndDropHooks } = useDragAndDrop<{ id: string; rule: Rule; at: number }>({
    getItems: (keys) => [...keys].map((key) => ({ "text/plain": rules[indexOf(key)]?.name ?? "" })),
    onReorder: ({ keys, target }) => {
      const from = indexOf([...keys][0]);
      const rule = rules[from];
      if (rule) onMove(rule, findPlace(from, indexOf(target.key), target.dropPosition === "before"));
    },
    isDisabled: !mayWrite,
  });
  return (
    <GridList
      aria-label={t("tickets.setup.part.rules")}
      items={rules.map((rule, at) => ({ id: rule.key, rule, at }))}
      dependencies={[mayWrite, rules.length]}
      dragAndDropHooks={dragAndDropHooks}
      className={styles.rows!}
    >
      {({ rule, at }) => (
        <GridListItem id={rule.key} textValue={showName(rule.name, t)} className={styles.row!}>
          <RuleRow rule={rule} at={at} count={rules.length} mayWrite={mayWrite} onAction={(act) => onAction(act, rule, at)} />
        </GridListItem>
      )}
    </GridList>
  );
}

interface RowProps {
  rule: Rule;
  at: number;
  count: number;
  mayWrite: boolean;
  onAction: (act: string) => void;
}

function RuleRow({ rule, at, count, mayWrite, onAction }: RowProps) {
  const { t } = useTexts();
  const { name, enabled, all, any, team, assignee } = rule;
  const actions: MenuAction[] = [
    { id: "change", icon: "pencil", name: t("tickets.setup.change") },
    ...(at > 0 ? [{ id: "up", icon: "arrow-up", name: t("tickets.setup.moveUp") } as const] : []),
    ...(at < count - 1 ? [{ id: "down", icon: "arrow-down", name: t("tickets.setup.moveDown") } as const] : []),
    { id: "switch", icon: enabled ? "x" : "check", name: t(enabled ? "tickets.setup.switchOff" : "tickets.setup.switchOn") },
    { id: "remove", icon: "trash", name: t("tickets.setup.remove") },
  ];
  return (
    <>
      {mayWrite && (
        <AriaButton slot="drag" className={styles.handle!}>
          <Icon name="menu" size={16} />
        </AriaButton>
      )}
      <div className={styles.facts}>
        <p className={styles.name}>
          {`${at + 1}. `}
          <bdi>{showName(name, t)}</bdi> {!enabled && <span className={styles.badge}>{t("tickets.setup.off")}</span>}
        </p>
        {all.length === 0 && any.length === 0 && <p className={styles.detail}>{t("tickets.setup.everyTicket")}</p>}
        <Conditions label={t("tickets.setup.all")} conditions={all} />
        <Conditions label={t("tickets.setup.any")} conditions={any} />
        <p>{t("tickets.setup.goesTo", { to: [team, assignee].filter((one) => one).join(", ") })}</p>
      </div>
      {mayWrite && (
        <MenuButton isIcon icon="ellipsis" label={t("tickets.setup.more", { name: showName(name, t) })} actions={actions} onAction={onAction} />
      )}
    </>
  );
}

function Conditions({ label, conditions }: { label: string; conditions: readonly Condition[] }) {
  const { t } = useTexts();
  if (conditions.length === 0) return null;
  return (
    <p className={styles.detail}>
      {label}{" "}
      <bdi>{conditions.map((condition) => describeCondition(condition, t)).join("; ")}</bdi>
    </p>
  );
}
