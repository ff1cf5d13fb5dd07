// Shows the parts of the chat by themselves, for tests.
import { render, type ComponentChild } from "preact";
import "../../chat/base.css";
import { signal } from "@preact/signals";
import { Dictation } from "../../chat/dictation/dictation";
import { SilenceWatch } from "../../chat/dictation/silence";
import { encodeWav, levelOf, resample } from "../../chat/dictation/wav";
import { Attachments, AttachButton } from "../../chat/files/attach";
import { takeDrops } from "../../chat/files/drop";
import { MessageFiles } from "../../chat/files/message-files";
import { isOwnFile } from "../../chat/files/own-files";
import { Uploads } from "../../chat/files/uploads";
import { Form, SubmitError } from "../../chat/form/form";
import { compilePattern } from "../../chat/form/pattern";
import { readSchema } from "../../chat/form/schema";
import { HandoverPanel, AwayForm } from "../../chat/handover/handover";
import { Language } from "../../chat/i18n";
import { LeadForm } from "../../chat/lead/lead";
import { History } from "../../chat/menu/history";
import { Languages } from "../../chat/menu/languages";
import { MenuButton } from "../../chat/menu/menu";
import { Panel } from "../../chat/menu/panel";
import { PersonLine, PersonTyping } from "../../chat/person/person";
import { limitTyping } from "../../chat/person/typing";
import { limitOutput } from "../../chat/tool-output";
import { PageTools, pageUser } from "../../chat/tools";
import { Call, putSegment } from "../../chat/voice/call";

const texts = new Language();
const { t } = texts;
const root = document.getElementById("root")!;
const log: unknown[] = [];
const show = (child: ComponentChild) => render(child, root);
const note =
  (name: string) =>
  async (...values: unknown[]) =>
    void log.push([name, ...values]);

/** An upload that a test lets go on: `sent` has what was asked for. */
const sent: { name: string; progress(part: number): void; done(): void; fail(): void; isStopped: boolean }[] = [];
const upload = (file: File, onProgress: (part: number) => void, stop: AbortSignal) =>
  new Promise<never>((resolve, reject) => {
    const url = `/api/chat/agent/files/${sent.length}`;
    const taken = { id: `f${sent.length}`, name: file.name, type: file.type, size: file.size, url };
    const one = {
      name: file.name,
      progress: onProgress,
      done: () => resolve(taken as never),
      fail: () => reject(new Error("no")),
      isStopped: false,
    };
    stop.addEventListener("abort", () => {
      one.isStopped = true;
      reject(new DOMException("", "AbortError"));
    });
    sent.push(one);
  });

const kit = {
  t,
  texts,
  log,
  sent,
  signal,
  show,
  limitOutput,
  pageUser,
  PageTools,
  compilePattern,
  readSchema,
  resample,
  encodeWav,
  levelOf,
  SilenceWatch,
  Uploads,
  isOwnFile,
  limitTyping,
  putSegment,
  Call,
  /** What a form does with what is submitted; a test may replace it. */
  submit: note("submit") as (value: unknown) => Promise<void>,
  SubmitError,
  form(schema: unknown, props = {}) {
    const read = readSchema(schema, (message) => log.push(["warn", message]));
    show(
      <Form
        key={log.length}
        schema={read}
        t={t}
        label={t("form.submit")}
        upload={upload}
        onSubmit={(s) => kit.submit(s)}
        {...props}
      />,
    );
  },
  lead: (leads: never, props = {}) => show(<LeadForm leads={leads} t={t} onSubmit={(lead) => kit.submit(lead)} {...props} />),
  handover: (answer: never, hasEmail: boolean, isFirst = false) =>
    show(
      <HandoverPanel
        t={t}
        hasEmail={hasEmail}
        isFirst={isFirst}
        ask={async (wish) => (log.push(["ask", wish]), answer)}
        onClose={note("close")}
      />,
    ),
  away: () => show(<AwayForm t={t} onSubmit={note("email")} />),
  person: (change: never, person: never) => show(<PersonLine change={change} person={person} t={t} />),
  typing: (person: never, until: number) => show(<PersonTyping person={person} until={until} t={t} />),
  menu: (items: { label: string; isChecked?: boolean }[], comment = "") =>
    show(
      <header>
        <MenuButton
          label={t("menu.open")}
          note={comment}
          items={items.map((item) => ({ ...item, id: item.label, act: () => void log.push(["act", item.label]) }))}
        />
      </header>,
    ),
  history: (load: () => Promise<never>, current: string | null = null) =>
    show(
      <Panel title={t("menu.history")} t={t} onClose={note("close")}>
        <History t={t} locale={texts.locale.value} current={current} load={load} onOpen={note("open")} />
      </Panel>,
    ),
  languages: (locales: string[], current: string) =>
    show(
      <Panel title={t("menu.language")} t={t} onClose={note("close")}>
        <Languages locales={locales} current={current} onChoose={note("locale")} />
      </Panel>,
    ),
  files() {
    const uploads = new Uploads(upload);
    const add = (files: File[]) => log.push(["refused", uploads.add(files)]);
    takeDrops(root, add, (isOver) => log.push(["over", isOver]));
    const View = () => <Attachments uploads={uploads} t={t} locale={texts.locale.value} focusComposer={note("focus")} />;
    show(
      <div>
        <AttachButton t={t} onFiles={add} />
        <View />
      </div>,
    );
    return uploads;
  },
  messageFiles: (files: never) => show(<MessageFiles files={files} agentId="agent" t={t} locale={texts.locale.value} />),
  dictation: (props: object = {}) => show(<Dictation t={t} transcribe={transcribe} onText={note("text")} {...props} />),
};

async function transcribe(sound: Blob) {
  const bytes = [...new Uint8Array(await sound.arrayBuffer())];
  log.push(["sound", sound.type, bytes]);
  return "  where is my order  ";
}

Object.assign(window, { kit });
