import { QueryClient, QueryClientProvider, useQueryClient } from "@tanstack/react-query";
import { Suspense, useCallback, useEffect, useState, type ReactNode } from "react";
import { RouterProvider } from "react-aria-components";
import { Redirect, Route, Router, Switch, useLocation, useRouter, type BaseLocationHook } from "wouter";
import { useBrowserLocation } from "wouter/use-browser-location";
import { APIError, hooks } from "./api/client";
import { forgetPerson, isOpen, startAnew, useOtherTabs, useSession, type Membership, type Session, type User } from "./api/session";
import { CardPage } from "./components/card";
import { guardDrops } from "./components/file-drop";
import { lazyPage } from "./components/lazy-page";
import { Failed, Opening } from "./components/states";
import { leaveScreen } from "./components/unsaved";
import { Language, useTexts } from "./i18n";
import { setLooks, themes } from "./looks";
import { AnotherPersonPage } from "./pages/another-person";
import { ExpiredDialog } from "./pages/expired";
import { NeedsSignInPage } from "./pages/needs-sign-in";
import SignInPage from "./pages/sign-in";
import { ConfirmedPage, StepUpDialog } from "./pages/step-up";
import { InAccount } from "./shell/account";
import { RootBoundary } from "./shell/boundary";
import { Shell } from "./shell/shell";

const NeedsPasskeyPage = lazyPage(() => import("./pages/needs-passkey"));
const RedeemPage = lazyPage(() => import("./pages/redeem"));
const AgentsPage = lazyPage(() => import("./pages/agents"));
const AgentHomePage = lazyPage(() => import("./pages/agent-home"));
const InboxPage = lazyPage(() => import("./pages/inbox"));
const PlaygroundPage = lazyPage(() => import("./pages/playground"));
const SourcesPage = lazyPage(() => import("./pages/sources"));
const FirstRunPage = lazyPage(() => import("./pages/first-run"));
const ActionsPage = lazyPage(() => import("./pages/actions"));
const NewToolPage = lazyPage(() => import("./pages/actions/new"));
const ToolPage = lazyPage(() => import("./pages/actions/editor"));
const TicketsPage = lazyPage(() => import("./pages/tickets"));
const TicketPage = lazyPage(() => import("./pages/tickets/ticket"));
const HelpdeskSetupPage = lazyPage(() => import("./pages/helpdesk-setup"));
const InsightsPage = lazyPage(() => import("./pages/insights"));
const PeoplePage = lazyPage(() => import("./pages/people"));
const VoicePage = lazyPage(() => import("./pages/voice"));
const LooksPage = lazyPage(() => import("./pages/looks"));
const EmbedPage = lazyPage(() => import("./pages/embed"));
const TrialPage = lazyPage(() => import("./pages/embed/trial"));
const AgentSettingsPage = lazyPage(() => import("./pages/agent-settings"));
const AgentManifestPage = lazyPage(() => import("./pages/agent-manifest"));
const ModelsPage = lazyPage(() => import("./pages/models"));
const NewModelServerPage = lazyPage(() => import("./pages/models/new"));
const ModelServerPage = lazyPage(() => import("./pages/models/server"));
const MembersPage = lazyPage(() => import("./pages/workspace/members"));
const KeysPage = lazyPage(() => import("./pages/workspace/keys"));
const PairPage = lazyPage(() => import("./pages/workspace/pair"));
const UsagePage = lazyPage(() => import("./pages/usage"));
const WebhooksPage = lazyPage(() => import("./pages/webhooks"));
const DeliveriesPage = lazyPage(() => import("./pages/webhooks/deliveries"));
const AuditPage = lazyPage(() => import("./pages/workspace/audit"));
const GeneralPage = lazyPage(() => import("./pages/workspace/general"));
const SignInRulesPage = lazyPage(() => import("./pages/workspace/sign-in-rules"));
const ServerPage = lazyPage(() => import("./pages/workspace/server"));
const MePage = lazyPage(() => import("./pages/me"));
const NotFoundPage = lazyPage(() => import("./pages/not-found"));

// What the server refuses is not asked again; what it did not answer is, once.
const isWorthAnother = (error: unknown) => !(error instanceof APIError) || error.status === 0 || error.status >= 500;
const newClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: { retry: (count, error) => count < 1 && isWorthAnother(error), networkMode: "always", staleTime: 5_000 },
      mutations: { networkMode: "always" },
    },
  });

export function App() {
  const [client] = useState(newClient);
  useEffect(guardDrops, []);
  return (
    <QueryClientProvider client={client}>
      <Root />
    </QueryClientProvider>
  );
}

function Root() {
  const session = useSession();
  const { refetch } = session;
  const look = useCallback(() => void refetch(), [refetch]);
  useOtherTabs(look);
  useEffect(() => void (hooks.userChanged = look), [look]);
  const theme = session.data?.user?.theme;
  useEffect(() => {
    const found = themes.find((known) => known === theme);
    if (found) setLooks({ theme: found });
  }, [theme]);
  const [path] = useLocation();
  return (
    <Language chosen={session.data?.user?.locale || undefined}>
      <RootBoundary place={path}>
        {session.data ? (
          <Entrance session={session.data} />
        ) : (
          <Unreachable error={session.error} onRetry={() => void session.refetch()} />
        )}
      </RootBoundary>
    </Language>
  );
}

function Unreachable({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { t } = useTexts();
  if (!error) return <Opening />;
  return (
    <CardPage title={t("unreachable.title")}>
      <Failed error={error} onRetry={onRetry} />
    </CardPage>
  );
}

/** Leads to the pages for whoever has a link, to those of a person, or to signing in. */
function Entrance({ session }: { session: Session }) {
  const [path] = useLocation();
  const client = useQueryClient();
  const [isLeaving, setLeaving] = useState(false);
  const leave = useCallback(() => setLeaving(true), []);
  const { user } = session;
  useEffect(() => {
    if (!user && hooks.person) forgetPerson(client); // signed out, in another tab
  }, [user, client]);
  if (isLeaving) return <Leave />;
  const { person } = hooks;
  if (person && user && person.id !== user.id) return <AnotherPersonPage now={user.email} former={person.email} />;
  if (path === "/console/setup" || path === "/console/redeem") {
    return (
      <Suspense fallback={<Opening />}>
        <RedeemPage key={path} session={session} isSetup={path === "/console/setup"} />
      </Suspense>
    );
  }
  if (path === "/console/confirmed") return <ConfirmedPage />;
  if (!user) return <SignInPage session={session} />;
  return <Console session={session} user={user} onLeave={leave} />;
}

/** Begins anew once nothing of the page is there, which may ask whether it may be left. */
function Leave() {
  useEffect(startAnew, []);
  return null;
}

/** The address. While something is not saved, going to another one asks first. */
const useGuardedLocation: BaseLocationHook = () => {
  const [path, navigate] = useBrowserLocation();
  const guarded: typeof navigate = (to, options) => leaveScreen(() => navigate(to, options), String(to));
  return [path, guarded];
};

interface ConsoleProps {
  session: Session;
  user: User;
  /** Is called when somebody else has signed in in place of the person. */
  onLeave: () => void;
}

function Console({ session, user, onLeave }: ConsoleProps) {
  hooks.person ??= user;
  return (
    <InAccount user={user} memberships={session.memberships}>
      {(account, base) => !isOpen(account) ? <Shut account={account} session={session} /> : (
        <Router base={base} hook={useGuardedLocation}>
          <Links>
            <Switch>
              <Route path="/welcome/:agent?">
                {({ agent }) => (
                  <Suspense fallback={<Opening />}>
                    <FirstRunPage agentId={agent} />
                  </Suspense>
                )}
              </Route>
              <Route>
                <Shell user={user} account={account} memberships={session.memberships}>
                  <Pages />
                </Shell>
              </Route>
            </Switch>
            <StepUpDialog session={session} />
            <ExpiredDialog session={session} onLeave={onLeave} />
          </Links>
        </Router>
      )}
    </InAccount>
  );
}

/** What is in the place of a company that the person cannot enter as they have signed in. */
function Shut({ account, session }: { account: Membership; session: Session }) {
  if (account.needsSingleSignOn || account.needsOtherSignIn) return <NeedsSignInPage account={account} session={session} />;
  return (
    <Suspense fallback={<Opening />}>
      <NeedsPasskeyPage account={account} session={session} />
    </Suspense>
  );
}

function Pages() {
  const [path] = useLocation();
  // An id is one word of signs that need no escape: what has others in it was mistyped, and is asked of nobody.
  if (!/^[\w/.-]*$/.test(path)) return <NotFoundPage />;
  return (
    <Switch>
      <Route path="/">
        <Redirect to="/agents" replace />
      </Route>
      <Route path="/inbox/:id?">{({ id }) => <InboxPage id={id} />}</Route>
      <Route path="/agents">
        <AgentsPage />
      </Route>
      <Route path="/agents/:id">{({ id }) => <AgentHomePage key={id} id={id} />}</Route>
      <Route path="/agents/:id/playground">{({ id }) => <PlaygroundPage key={id} id={id} />}</Route>
      <Route path="/agents/:id/sources/:source?">
        {({ id, source }) => <SourcesPage key={id} agentId={id} sourceId={source} />}
      </Route>
      <Route path="/agents/:id/actions">{({ id }) => <ActionsPage key={id} id={id} />}</Route>
      <Route path="/agents/:id/actions/new/:kind">{({ id, kind }) => <NewToolPage key={`${id} ${kind}`} id={id} kind={kind} />}</Route>
      <Route path="/agents/:id/actions/edit/:key">
        {({ id, key }) => <ToolPage key={`${id} ${key}`} id={id} kind="action" toolKey={key} />}
      </Route>
      <Route path="/agents/:id/actions/procedure/:key">
        {({ id, key }) => <ToolPage key={`${id} ${key}`} id={id} kind="procedure" toolKey={key} />}
      </Route>
      <Route path="/tickets">{() => <TicketsPage />}</Route>
      <Route path="/agents/:id/tickets">{({ id }) => <TicketsPage key={id} id={id} />}</Route>
      <Route path="/agents/:id/tickets/:number">
        {({ id, number }) => (/^\d{1,15}$/.test(number) ? <TicketPage key={`${id} ${number}`} id={id} number={number} /> : <NotFoundPage />)}
      </Route>
      <Route path="/agents/:id/helpdesk/:part?">
        {({ id, part }) => <HelpdeskSetupPage key={id} id={id} part={part} />}
      </Route>
      <Route path="/agents/:id/insights/conversations/:conversation">
        {({ id, conversation }) => <InsightsPage key={id} id={id} part="conversations" conversation={conversation} />}
      </Route>
      <Route path="/agents/:id/insights/:part?">{({ id, part }) => <InsightsPage key={id} id={id} part={part} />}</Route>
      <Route path="/agents/:id/people/:item?">{({ id, item }) => <PeoplePage key={id} id={id} item={item} />}</Route>
      <Route path="/agents/:id/voice/:session?">{({ id, session }) => <VoicePage key={id} id={id} session={session} />}</Route>
      <Route path="/agents/:id/looks">{({ id }) => <LooksPage key={id} id={id} />}</Route>
      <Route path="/agents/:id/embed">{({ id }) => <EmbedPage key={id} id={id} />}</Route>
      <Route path="/agents/:id/embed/test">{({ id }) => <TrialPage key={id} id={id} />}</Route>
      <Route path="/agents/:id/manifest">{({ id }) => <AgentManifestPage key={id} id={id} />}</Route>
      <Route path="/agents/:id/settings/:section?">
        {({ id, section }) => <AgentSettingsPage key={id} id={id} section={section} />}
      </Route>
      <Route path="/workspace/general">
        <GeneralPage />
      </Route>
      <Route path="/workspace/sign-in">
        <SignInRulesPage />
      </Route>
      <Route path="/workspace/server">
        <ServerPage />
      </Route>
      <Route path="/workspace/members">
        <MembersPage />
      </Route>
      <Route path="/workspace/keys">
        <KeysPage />
      </Route>
      <Route path="/pair">
        <PairPage />
      </Route>
      <Route path="/workspace/usage">
        <UsagePage />
      </Route>
      <Route path="/workspace/webhooks">
        <WebhooksPage />
      </Route>
      <Route path="/workspace/webhooks/:id">{({ id }) => <DeliveriesPage key={id} id={id} />}</Route>
      <Route path="/workspace/audit">
        <AuditPage />
      </Route>
      <Route path="/workspace/models">
        <ModelsPage />
      </Route>
      <Route path="/workspace/models/new/:kind">{({ kind }) => <NewModelServerPage key={kind} kind={kind} />}</Route>
      <Route path="/workspace/models/:id">{({ id }) => <ModelServerPage key={id} id={id} />}</Route>
      <Route path="/me">
        <MePage />
      </Route>
      <Route>
        <NotFoundPage />
      </Route>
    </Switch>
  );
}

/** Has the links of all components stay in this page. */
function Links({ children }: { children: ReactNode }) {
  const [, navigate] = useLocation();
  const { base } = useRouter();
  return (
    <RouterProvider navigate={navigate} useHref={(href) => (href.startsWith("/") ? base + href : href)}>
      {children}
    </RouterProvider>
  );
}
