import { useState } from "react";
import { Link } from "react-aria-components";
import { useLocation } from "wouter";
import { addSavedView, changeSavedView, removeSavedView, useSavedChange, type SavedView } from "../../api/saved";
import { useMay } from "../../api/session";
import { Button } from "../../components/button";
import { Choice } from "../../components/choice";
import { Actions, Dialog } from "../../components/dialog";
import { Field } from "../../components/field";
import { Form } from "../../components/form";
import { MenuButton, type MenuAction } from "../../components/menu-button";
import { Failed } from "../../components/states";
import { useTexts } from "../../i18n";
import { showName } from "../../names";
import { filterOf, isNarrowed, type Place } from "./place";
import styles from "./inbox.module.css";

export const savedHref = (id: string) => `/inbox?saved=${encodeURIComponent(id)}`;

type Asked = { act: "rename" | "remove"; view: SavedView } | null;

/** The views that the person has saved, and those that colleagues share. */
export function SavedViews({ views, place }: { views: readonly SavedView[]; place: Place }) {
  const { t } = useTexts();
  const refresh = useSavedChange("savedViews");
  const [asked, setAsked] = useState<Asked>(null);
  const [error, setError] = useState<unknown>(null);
  if (views.length === 0) return null;
  const run = (act: string, view: SavedView) => {
    if (act !== "share") return setAsked({ act: act as "rename" | "remove", view });
    setError(null);
    changeSavedView(view.savedViewId, { shared: !view.shared }).catch(setError).finally(() => void refresh());
  };
  const close = () => setAsked(null);
  return (
    <>
      <nav aria-label={t("saved.views")}>
        <p className={styles.savedHead} aria-hidden="true">
          {t("saved.views")}
        </p>
        {views.map((view) => (
          <Row key={view.savedViewId} view={view} place={place} onAction={(act) => run(act, view)} />
        ))}
      </nav>
      {error !== null && <Failed error={error} />}
      <Dialog title={t("saved.renameView")} isOpen={asked?.act === "rename"} onClose={close}>
        {asked && <RenameForm view={asked.view} onClose={close} />}
      </Dialog>
      <Dialog role="alertdialog" title={t("saved.removeView")} isOpen={asked?.act === "remove"} onClose={close}>
        {asked && <RemoveQuestion view={asked.view} isOpen={asked.view.savedViewId === place.saved} onClose={close} />}
      </Dialog>
    </>
  );
}

interface RowProps {
  view: SavedView;
  place: Place;
  onAction: (act: string) => void;
}

function Row({ view: { savedViewId, name, shared, canChange, gone }, place, onAction }: RowProps) {
  const { t } = useTexts();
  const shown = showName(name, t);
  const isOpen = place.saved === savedViewId;
  const actions: MenuAction[] = [
    { id: "rename", icon: "pencil", name: t("saved.renameView") },
    { id: "share", icon: shared ? "lock" : "users", name: t(shared ? "saved.unshare" : "saved.share") },
    { id: "remove", icon: "trash", name: t("tickets.setup.remove") },
  ];
  return (
    <div className={styles.saved}>
      <Link href={savedHref(savedViewId)} className={styles.view!} aria-current={isOpen ? "true" : undefined}>
        <span className={styles.savedName}>
          <bdi>{shown}</bdi>
          {shared && <span className={styles.detail}>{t("saved.isShared")}</span>}
          {gone.length > 0 && <span className={styles.detail}>{t("saved.isStale")}</span>}
          {isOpen && place.isChanged && <span className={styles.detail}>{t("saved.isChanged")}</span>}
        </span>
      </Link>
      {canChange && (
        <MenuButton isIcon icon="ellipsis" label={t("tickets.setup.more", { name: shown })} actions={actions} onAction={onAction} />
      )}
    </div>
  );
}

function RenameForm({ view, onClose }: { view: SavedView; onClose: () => void }) {
  const { t } = useTexts();
  const refresh = useSavedChange("savedViews");
  const send = async ({ name = "" }: Record<string, string>) => {
    await changeSavedView(view.savedViewId, { name });
    onClose();
    await refresh();
  };
  return (
    <Form onSubmit={send}>
      {(isPending) => (
        <>
          <Field name="name" label={t("saved.name")} defaultValue={view.name} maxLength={100} isRequired autoFocus />
          <Actions>
            <Button onPress={onClose}>{t("dialog.cancel")}</Button>
            <Button kind="primary" type="submit" isPending={isPending}>
              {t("tickets.setup.save")}
            </Button>
          </Actions>
        </>
      )}
    </Form>
  );
}

function RemoveQuestion({ view, isOpen, onClose }: { view: SavedView; isOpen: boolean; onClose: () => void }) {
  const { t } = useTexts();
  const refresh = useSavedChange("savedViews");
  const [, navigate] = useLocation();
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const remove = async () => {
    setPending(true);
    setError(null);
    try {
      await removeSavedView(view.savedViewId);
      if (isOpen) navigate("/inbox", { replace: true });
      onClose();
      await refresh();
    } catch (thrown) {
      setError(thrown);
      setPending(false);
    }
  };
  return (
    <>
      <p>{t(view.shared ? "saved.removeShared" : "saved.removeText", { name: showName(view.name, t) })}</p>
      {error !== null && <Failed error={error} />}
      <Actions>
        <Button autoFocus onPress={onClose}>
          {t("dialog.cancel")}
        </Button>
        <Button kind="primary" isPending={isPending} onPress={() => void remove()}>
          {t("tickets.setup.remove")}
        </Button>
      </Actions>
    </>
  );
}

/** Keeps what the list is narrowed by: under a new name, or in the saved view that it differs from. */
export function SaveView({ view, place }: { view: SavedView | undefined; place: Place }) {
  const { t } = useTexts();
  const mayWrite = useMay("conversations:write");
  const refresh = useSavedChange("savedViews");
  const [, navigate] = useLocation();
  const [isAsking, setAsking] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const isOwn = place.isChanged && view?.canChange === true;
  if (!mayWrite || (!isNarrowed(place) && !isOwn) || (place.saved && !place.isChanged)) return null;
  const save = async () => {
    setError(null);
    try {
      await changeSavedView(place.saved, { filter: filterOf(place) });
      await refresh();
      navigate(savedHref(place.saved), { replace: true });
    } catch (thrown) {
      setError(thrown);
    }
  };
  return (
    <div className={styles.buttons}>
      {isOwn && (
        <Button kind="quiet" icon="check" onPress={() => void save()}>
          {t("saved.saveChanges")}
        </Button>
      )}
      {isNarrowed(place) && (
        <Button kind="quiet" icon="plus" onPress={() => setAsking(true)}>
          {t("saved.saveView")}
        </Button>
      )}
      {error !== null && <Failed error={error} />}
      <Dialog title={t("saved.saveView")} isOpen={isAsking} onClose={() => setAsking(false)}>
        <SaveForm place={place} onClose={() => setAsking(false)} />
      </Dialog>
    </div>
  );
}

const audiences = ["own", "all"] as const;

function SaveForm({ place, onClose }: { place: Place; onClose: () => void }) {
  const { t } = useTexts();
  const refresh = useSavedChange("savedViews");
  const [, navigate] = useLocation();
  const [audience, setAudience] = useState<(typeof audiences)[number]>("own");
  const send = async ({ name = "" }: Record<string, string>) => {
    const { savedViewId } = await addSavedView({ name, shared: audience === "all", filter: filterOf(place) });
    await refresh();
    onClose();
    navigate(savedHref(savedViewId), { replace: true });
  };
  return (
    <Form onSubmit={send}>
      {(isPending) => (
        <>
          <Field name="name" label={t("saved.name")} maxLength={100} isRequired autoFocus />
          <Choice
            label={t("saved.audience")}
            value={audience}
            options={audiences.map((id) => ({ id, name: t(`saved.audience.${id}`) }))}
            onChange={setAudience}
          />
          <Actions>
            <Button onPress={onClose}>{t("dialog.cancel")}</Button>
            <Button kind="primary" type="submit" isPending={isPending}>
              {t("tickets.setup.save")}
            </Button>
          </Actions>
        </>
      )}
    </Form>
  );
}
