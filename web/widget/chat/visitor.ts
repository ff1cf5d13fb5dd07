// Who the visitor is: nobody in particular, or whom the page shows with a proof.
import { signal } from "@preact/signals";
import type { Identity } from "../channel";
import { ApiError } from "./api";
import type { FrameChat } from "./chat";
import { publicMetadata } from "./options";
import { pageUser } from "./tools";

const longestWait = 1_500; // milliseconds for a page to say who its visitor is, before what is kept is shown

type ChatOfVisitor = Pick<FrameChat, "api" | "store" | "tabs" | "draft" | "post" | "reset">;

export class Visitor {
  readonly shown = signal<{ userId: string | null }>({ userId: null });
  /** Called once it is known who wrote here before. */
  noteKnown: () => void = () => {};
  readonly isKnown = new Promise<void>((resolve) => (this.noteKnown = resolve));
  /** Called once the page has said all that it says as soon as the chat is there. */
  noteIntroduced: () => void = () => {};
  private readonly isIntroduced = new Promise<void>((resolve) => (this.noteIntroduced = resolve));
  private identity: Identity = {};
  /** Ends when all that the page has said of the visitor is known to the server, or refused. */
  identified: Promise<void> = Promise.resolve();

  constructor(private readonly chat: ChatOfVisitor) {}

  /** Shows the server who the visitor is. What the page says without a proof is only told to the agent. */
  identify(identity: Identity): Promise<void> {
    this.identified = this.identified.then(() => this.prove(identity));
    this.noteIntroduced();
    return this.identified;
  }

  /** Ends when it is clear whether the user who was known here before is still the one. */
  async whenNamed(): Promise<void> {
    const isLate = new Promise<void>((resolve) => setTimeout(resolve, longestWait));
    await Promise.race([this.isIntroduced, isLate]);
    await this.identified;
    if (!this.isNobody) return;
    await isLate; // the page may still learn who it is
    await this.identified;
    if (this.isNobody) this.forget();
  }

  /** The page says that nobody is signed in. */
  private get isNobody(): boolean {
    return this.identity.token === null && this.shown.value.userId === null;
  }

  private async prove(identity: Identity): Promise<void> {
    await this.isKnown;
    this.identity = identity;
    const { token, user_id, user_hash } = identity;
    const proof = token ? { token } : user_id && user_hash ? { user_id: String(user_id), user_hash } : null;
    if (!proof) {
      if (token === null && this.shown.value.userId !== null) this.forget(); // who was signed in has left
      return;
    }
    const { api, draft, store, tabs } = this.chat;
    const before = this.shown.value.userId ?? store.get().userId;
    try {
      const userId = await api.identify(proof);
      if (before && before !== userId) {
        this.chat.reset();
        draft.leave("");
      }
      this.shown.value = { userId };
      store.set({ userId: userId ?? "" });
      tabs.tell();
    } catch (error) {
      if (before && before !== namedBy(proof)) this.forget(); // the page means somebody else
      const { code, message, details } = error instanceof ApiError ? error : new ApiError(0, "NO_ANSWER", "", 0);
      const { reason } = details;
      this.chat.post({ type: "error", data: { code, message, ...(reason && { reason }) } });
    }
  }

  /** Forgets who the visitor is; the next message is a stranger's. */
  logout() {
    this.identity = {};
    this.forget();
  }

  private forget() {
    this.shown.value = { userId: null };
    this.chat.reset();
    this.chat.store.clear();
    this.chat.draft.text.value = "";
    this.chat.tabs.tell();
  }

  get metadata(): unknown {
    return publicMetadata(this.identity);
  }

  /** Who asks, as the functions of the page are told. */
  describe() {
    const { userId } = this.shown.value;
    const known = userId === null ? null : { user_id: userId, ...this.identity };
    return pageUser(known, this.chat.store.get().anonymousId);
  }
}

/** Whom a proof names, true or not; empty for nobody. */
function namedBy({ token, user_id }: { token?: string; user_id?: string }): string {
  if (!token) return user_id ?? "";
  try {
    const text = atob(token.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/"));
    // The name of a user may be a number that JSON.parse would round.
    const claims = JSON.parse(text.replace(/"(user_id|sub)"\s*:\s*(\d+)/g, '"$1":"$2"'));
    return String(claims.user_id || claims.sub || "");
  } catch {
    return "";
  }
}
