import { useState } from "react";
import { hooks } from "../../api/client";
import { useInboxMembers } from "../../api/saved";
import { MenuButton, type MenuAction } from "../../components/menu-button";
import { useTexts } from "../../i18n";
import { showName } from "../../names";
import { useKeys } from "../../shell/keys";
import { useScreenActions } from "../../shell/screen-actions";

export const nobody = "nobody";
export const again = "again";

/** Whom a conversation may be given to: the colleagues of the person, but whoever has it. */
export function useAssignees(former: string): { actions: readonly MenuAction[]; retry: () => void } {
  const { t } = useTexts();
  const query = useInboxMembers(true);
  const retry = () => void query.refetch();
  if (query.isError && !query.data) return { actions: [{ id: again, icon: "refresh-cw", name: t("state.retry") }], retry };
  const colleagues = (query.data ?? []).filter(({ userId }) => userId !== hooks.person?.id && userId !== former);
  return { actions: colleagues.map(({ userId, name }): MenuAction => ({ id: userId, icon: "user", name: showName(name, t) })), retry };
}

interface Props {
  /** Whoever has the conversation, by id; empty for nobody. */
  former: string;
  /** Is called with the id of the member who is to have it; empty for nobody. */
  onAssign: (id: string) => void;
}

/** Has a colleague answer in the open conversation, or nobody where somebody does. */
export function AssignMenu({ former, onAssign }: Props) {
  const { t } = useTexts();
  const [isOpen, setOpen] = useState(false);
  const { actions: colleagues, retry } = useAssignees(former);
  const actions = former ? [{ id: nobody, icon: "x" as const, name: t("tickets.nobody") }, ...colleagues] : colleagues;
  const isOffered = actions.length > 0;
  const open = () => setOpen(true);
  useKeys(isOffered ? { i: open } : {});
  useScreenActions(isOffered ? [{ id: "inbox assign", icon: "users", name: t("inbox.assign"), keys: "i", run: open }] : []);
  if (!isOffered) return null;
  const act = (id: string) => (id === again ? retry() : onAssign(id === nobody ? "" : id));
  return <MenuButton isIcon icon="users" label={t("inbox.assign")} actions={actions} onAction={act} control={{ isOpen, onOpenChange: setOpen }} />;
}
