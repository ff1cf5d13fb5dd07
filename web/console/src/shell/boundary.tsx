import { Component, useCallback, useEffect, useRef, type ReactNode } from "react";
import { APIError } from "../api/client";
import { useCurrentLive, useLiveState } from "../api/events";
import { Button } from "../components/button";
import { CardPage } from "../components/card";
import { compareBuild, forgetFailedLoads, LoadError, prepareRetry } from "../components/lazy-page";
import { Page } from "../components/page";
import { Failed } from "../components/states";
import { leaveScreen } from "../components/unsaved";
import { useTexts } from "../i18n";

interface Props {
  /** What is shown; another one is tried even though this one failed. */
  place: string;
  fallback: (error: unknown, onRetry: () => void) => ReactNode;
  children: ReactNode;
}

interface State {
  place: string;
  failure: { error: unknown } | null;
}

/** Shows something else in place of children that threw. */
class Boundary extends Component<Props, State> {
  override state: State = { place: this.props.place, failure: null };
  static getDerivedStateFromError = (error: unknown): Partial<State> => ({ failure: { error } });
  static getDerivedStateFromProps = ({ place }: Props, before: State): Partial<State> | null =>
    place === before.place ? null : { place, failure: null };
  private readonly retry = () => this.setState({ failure: null });
  override render = () =>
    this.state.failure ? this.props.fallback(this.state.failure.error, this.retry) : this.props.children;
}

interface PlaceProps {
  place: string;
  children: ReactNode;
}

/** Keeps the frame where a screen cannot be shown. */
export const ScreenBoundary = ({ place, children }: PlaceProps) => (
  <Boundary place={place} fallback={(error, onRetry) => <FailedScreen error={error} onRetry={onRetry} />}>
    {children}
  </Boundary>
);

/** Is around everything. */
export const RootBoundary = ({ place, children }: PlaceProps) => (
  <Boundary place={place} fallback={(error, onRetry) => <FailedCard error={error} onRetry={onRetry} />}>
    {children}
  </Boundary>
);

interface FailedProps {
  error: unknown;
  onRetry: () => void;
}

function FailedScreen({ error, onRetry }: FailedProps) {
  const { t } = useTexts();
  const retry = useRetry(error, onRetry);
  return (
    <Page title={t("broken.title")}>
      <Failed error={explain(error)} onRetry={retry} />
    </Page>
  );
}

function FailedCard({ error, onRetry }: FailedProps) {
  const { t } = useTexts();
  const retry = useRetry(error, onRetry);
  // The whole page is loaded anew, but only where there is one: a browser has nothing to show without the server.
  const reload = async () => {
    if (error instanceof LoadError) retry();
    else if ((await compareBuild()) !== "none") location.reload();
  };
  const leave = async () => void ((await compareBuild()) !== "none" && location.assign("/console/"));
  return (
    <CardPage title={t("broken.title")}>
      <Failed error={explain(error)} onRetry={() => void reload()} />
      <Button onPress={() => void leave()}>{t("notFound.agents")}</Button>
    </CardPage>
  );
}

const explain = (error: unknown) => (error instanceof LoadError ? new APIError(0, "NO_ANSWER", "", null) : error);

/** Returns what tries again. A screen that was not loaded tries by itself, once there is a server again. */
function useRetry(error: unknown, onRetry: () => void): () => void {
  const isLoad = error instanceof LoadError;
  const { name } = useLiveState(useCurrentLive());
  const before = useRef(name);
  const retry = useCallback(() => {
    if (!isLoad) return onRetry();
    void prepareRetry(() => leaveScreen(() => location.reload())).then(onRetry);
  }, [isLoad, onRetry]);
  useEffect(() => {
    if (!isLoad) return;
    void reloadOtherBuild();
    addEventListener("online", retry);
    return () => {
      removeEventListener("online", retry);
      forgetFailedLoads(); // whoever comes here again tries again
    };
  }, [isLoad, retry]);
  useEffect(() => {
    const isBack = name === "live" && before.current !== "live";
    before.current = name;
    if (isLoad && isBack) retry();
  }, [isLoad, name, retry]);
  return retry;
}

const storageKey = "parley.reloaded";
const patience = 60_000; // milliseconds in which the page is not loaded anew by itself for a second time

// reloadOtherBuild loads the page anew where the server has other files than those that this one is made of.
async function reloadOtherBuild(): Promise<void> {
  const isRecent = Date.now() - Number(sessionStorage.getItem(storageKey)) < patience;
  if (isRecent || (await compareBuild()) !== "other") return;
  sessionStorage.setItem(storageKey, String(Date.now()));
  leaveScreen(() => location.reload());
}
