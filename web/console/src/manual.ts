// Which chapter of the manual each screen's "?" leads to.

/** Where the server shows the manual. */
const manual = "/docs/manual/";

// By the address below the company. The first that fits counts. A test follows them.
const ofScreens: readonly (readonly [RegExp, string])[] = [
  [/^\/inbox/, "inbox-screen"],
  [/^\/agents(\/new)?$/, "agents-screen"],
  [/^\/agents\/[^/]+$/, "agents-screen#what-is-on-the-home-of-an-agent"],
  [/^\/agents\/[^/]+\/playground/, "playground"],
  [/^\/agents\/[^/]+\/sources/, "sources-screen"],
  [/^\/agents\/[^/]+\/actions/, "actions#what-is-on-the-screen-actions"],
  [/^(\/agents\/[^/]+)?\/tickets/, "tickets-screen"],
  [/^\/agents\/[^/]+\/helpdesk/, "helpdesk-setup-screen"],
  [/^\/agents\/[^/]+\/insights/, "insights-screen"],
  [/^\/agents\/[^/]+\/people/, "people-screen"],
  [/^\/agents\/[^/]+\/voice/, "people-screen#how-do-i-listen-to-a-voice-session"],
  [/^\/agents\/[^/]+\/looks/, "looks-screen"],
  [/^\/agents\/[^/]+\/embed/, "embed-screen"],
  [/^\/agents\/[^/]+\/settings/, "agent-settings"],
  [/^\/agents\/[^/]+\/manifest/, "agent-as-code#how-do-i-change-an-agents-manifest-in-the-console"],
  [/^\/workspace\/general/, "company-screen"],
  [/^\/workspace\/sign-in/, "sign-in-screen"],
  [/^\/workspace\/server/, "server-screen"],
  [/^\/workspace\/members/, "members-screen"],
  [/^\/workspace\/keys/, "keys-screen"],
  [/^\/pair/, "keys-screen#how-does-a-command-line-get-a-key"],
  [/^\/workspace\/audit/, "audit-screen"],
  [/^\/workspace\/webhooks/, "webhooks-screen"],
  [/^\/workspace\/usage/, "usage-screen"],
  [/^\/workspace\/models/, "model-servers#what-is-on-the-screen-models"],
  [/^\/welcome/, "first-run"],
  [/^\/me$/, "your-page"],
];

// By the whole address, for whoever has not signed in.
const ofCards: readonly (readonly [RegExp, string])[] = [
  [/^\/console\/setup/, "first-run"],
  [/^\/console(\/a\/[^/]+)?\/welcome/, "first-run"],
  [/^\/console\/redeem/, "signing-in#what-do-i-do-with-an-invitation-to-the-console"],
];

const find = (chapters: typeof ofScreens, path: string) => chapters.find(([pattern]) => pattern.test(path))?.[1];

/** The address of the chapter about a screen, which is that of the console as a whole if it has none of its own. */
export const chapterOfScreen = (path: string) => manual + (find(ofScreens, path) ?? "console");

/** The same of a page outside of the frame. */
export const chapterOfCard = (path: string) => manual + (find(ofCards, path) ?? "signing-in");

/** Why the console wants HTTPS, and how it gets it behind a proxy. */
export const chapterOnHTTPS = `${manual}signing-in#why-does-the-console-want-https`;

/** Where the manual says what screens lead to. */
export const guides = {
  model: `${manual}models#how-do-i-connect-a-language-model`,
  team: `${manual}signing-in#how-do-i-invite-somebody`,
  limits: `${manual}limits#table-of-limits`,
} as const;

/** All that they lead to, for the test that follows them. */
export const targets = [...ofScreens, ...ofCards].map(([, chapter]) => manual + chapter).concat(chapterOfScreen(""), chapterOfCard(""), chapterOnHTTPS, ...Object.values(guides));
