// What the server says is wrong with a field, in the languages of the console. The server says it in English, as REST v2
// promises, in a few forms: each has its text here, and a test reads the forms out of the server's source.
import type { Key } from "./i18n";
import { formatSize } from "./sizes";
import type { Params } from "../../shared/i18n";

type Translate = (key: Key, params?: Params) => string;
type Groups = Record<string, string>;

interface Form {
  says: RegExp;
  key: Key;
  /** Reads the parameters of the text out of the named groups. */
  params?: (groups: Groups, locale: string) => Params;
}

const numbers = (groups: Groups): Params =>
  Object.fromEntries(Object.entries(groups).map(([name, digits]) => [name, Number(digits)]));

const units: Record<string, number> = { byte: 1, bytes: 1, kB: 1e3, MB: 1e6 };
const size = ({ n, unit }: Groups, locale: string): Params => ({ size: formatSize(Number(n) * (units[unit!] ?? 1), locale) });
const list = ({ list = "" }: Groups, locale: string): Params => ({
  list: new Intl.ListFormat(locale, { type: "disjunction" }).format(list.split(", ")),
});

const n = "(?<n>\\d+)";
const form = (says: string, key: Key, params?: Form["params"]): Form => ({
  says: new RegExp(`^(?:${says})$`, "s"),
  key,
  ...(params && { params }),
});

const forms: readonly Form[] = [
  form("must have at least 1 (character|item)|must have from 1 character|must not be empty|must say something", "fault.required"),
  form("is required(,.*| as .*| where .*| with .*| unless .*)?|must be named.*", "fault.required"),
  form("must name (the model to ask for|an event)", "fault.required"),
  form("must have at least (?<min>\\d+) characters?", "fault.minCharacters", numbers),
  form("must have at most (?<max>\\d+) characters?", "fault.maxCharacters", numbers),
  form("must have (from )?(?<min>\\d+) to (?<max>\\d+) characters", "fault.characters", numbers),
  form("must be (?<min>\\d+) to (?<max>\\d+) visible ASCII characters", "fault.characters", numbers),
  form("must have at least (?<min>\\d+) (items|members)", "fault.minEntries", numbers),
  form("must have at most (?<max>\\d+) (item|member)s?", "fault.maxEntries", numbers),
  form("must not have more than (?<max>\\d+) entries|must be at most (?<webhooks>\\d+) of an account", "fault.maxEntries", (groups) =>
    numbers({ max: groups.max ?? groups.webhooks! }),
  ),
  form("an account may have at most (?<max>\\d+) servers", "fault.maxEntries", numbers),
  form("must hold at most (?<max>\\d+) patterns|must be given at most (?<times>\\d+) times", "fault.maxEntries", (groups) =>
    numbers({ max: groups.max ?? groups.times! }),
  ),
  form(`must have at least ${n} (?<unit>bytes?|kB|MB)`, "fault.minSize", size),
  form(`must (have|be) at most ${n} (?<unit>bytes?|kB|MB)(, and no line breaks)?`, "fault.maxSize", size),
  form(`must have (from )?1( byte)? to ${n} (?<unit>bytes?|kB|MB)`, "fault.maxSize", size),
  form("must be from (?<min>[\\d.-]+) to (?<max>[\\d.-]+)", "fault.between", numbers),
  form("must be 0, or from (?<min>\\d+) to (?<max>\\d+)", "fault.emptyOrBetween", numbers),
  form("must be an integer", "fault.wholeNumber"),
  form("must be at least (?<min>[\\d.-]+)", "fault.atLeast", numbers),
  form("must be at most (?<max>[\\d.-]+)(, the length .*)?", "fault.atMost", numbers),
  form("must not be negative", "fault.atLeast", () => ({ min: 0 })),
  form("must be an e-mail address.*", "fault.email"),
  form("must be an http or https URL|must be a URL|is not an address that can be read.*", "fault.address"),
  form("must be an http or https address without .*", "fault.serverAddress"),
  form("must not have a key in its path, .*", "fault.keyInPath"),
  form("must not hold a user( name)? or a password.*", "fault.noUser"),
  form("must be an IANA time zone.*|must be a time zone such as .*", "fault.zone"),
  form("must be a color .*", "fault.color"),
  form("(must be|is not) one of:? (?<list>.*)", "fault.choice", list),
  form("must have a character that can be seen", "fault.invisible"),
  form("must not hold control characters", "fault.control"),
  form("is one of those that are guessed first; choose another", "fault.commonPassword"),
  form("must not be the e-mail address", "fault.passwordIsEmail"),
  form("is not a regular expression.*", "fault.pattern"),
  form("is not a model .*|must be a model .*|is the name of the built-in model|.* is not a model that agents can have", "fault.model"),
  form('"(?<name>.*?)" is answered by "(?<other>.*)" already', "fault.answeredBy", ({ name = "", other = "" }) => ({ name, other })),
  form('"(?<name>.*?)" is set by the operator of this server with (?<setting>\\w+)', "fault.setByOperator", ({ name = "", setting = "" }) => ({
    name,
    setting,
  })),
  form("the account has one already: .*|the operator of this server has set one with .*", "fault.oneAlready"),
  form("is the name of another topic", "fault.taken"),
  form("must have no comma, and not be unspecified", "fault.topic"),
  form("must be a PNG, JPEG(, GIF)? or WebP image", "fault.picture"),
  form("must be square: it is (?<width>\\d+) pixels wide and (?<height>\\d+) high", "fault.square", numbers),
  form("must be at most (?<max>\\d+) pixels wide", "fault.width", numbers),
  form("must be a range of addresses.*", "fault.range"),
  form(".* is the account's only owner( who can sign in)?; .*", "fault.onlyOwner"),
  form(".* is the owner who needs no single sign-on; .*", "fault.exemptOwner"),
  form("is needed where others need single sign-on; .*", "fault.exemptPasskey"),
  form("needs single sign-on that was tried, of the account or of the server", "signInRules.needsProvider"),
  form("is needed while members enter the account by single sign-on alone", "provider.faultNeeded"),
  form("is the only way in of the owners: .*", "provider.faultOnlyWay"),
  form("is how the owners get in without passwords: .*", "fault.noPassword"),
  form("has no TXT record.*", "provider.faultNoRecord"),
  form("is that of another company on this server; .*", "provider.faultTaken"),
  form("must be a domain such as .*", "fault.host"),
  form("is one too many: an account may name (?<max>\\d+)", "fault.maxEntries", numbers),
  form("must be an https:// address", "provider.faultIssuer"),
  form("must be admin, agent, viewer or empty", "fault.offered"),
  form("needs you to sign in by single sign-on first, so that you stay in", "fault.ssoFirst"),
  form("needs you to show a passkey first, so that you stay in", "error.passkeyFirst"),
  form("needs a console by HTTPS at an address with a name", "signInRules.noPasskey"),
  form("is asked for by a company of yours; .*", "fault.neededPasskey"),
  form("needs an owner with a passkey or single sign-on", "fault.ownerPasskey"),
  form("is not taken by the company; .*|opens a company of yours that takes no passwords; .*", "fault.noPassword"),
  form("must be an owner of the account", "fault.mustBeOwner"),
  form("must have a password or a passkey", "fault.mustSignInAlone"),
  form("a link for .* can be made by the operator of the server alone", "fault.operatorLink"),
  form("must name at least one scope; .*", "fault.required"),
  form("must be a language of the console.*|must be light, dark or empty", "fault.offered"),
  form("must not be more than twenty; remove one first", "fault.passkeyLimit"),
  form("cannot be set with this link; .*", "fault.passkeyByPassword"),
  form("is the only way in which you sign in; set a password or add a passkey first", "fault.onlyProvider"),
  form("is the only way in which you sign in; .*", "fault.onlyPasskey"),
  form("is asked for after your password; .*", "fault.secondStep"),
  form("needs a password; set one first", "fault.needsPassword"),
  form("needs a passkey; add one first", "fault.needsPasskey"),
  form("is refused: the file is empty", "fault.fileEmpty"),
  form("is refused: the file is damaged.*", "fault.fileDamaged"),
  form("is refused: the file is protected by a password.*", "fault.fileLocked"),
  form("is refused: the file is an archive.*", "fault.fileArchive"),
  form("is refused: the file is .*; save it as (?<format>[A-Z]+).*", "fault.fileOld", ({ format = "" }) => ({ format })),
  form("is refused: the file is .*", "fault.fileKind"),
  form("is refused: .*", "fault.fileRefused"),
  form("must be 1 to 64 of a-z A-Z 0-9 _ -", "fault.toolName"),
  form("must begin with a letter or _ and have .*", "fault.inputName"),
  form("stands twice|is the name of another action or procedure of the agent", "fault.taken"),
  form("must hold email or phone: .*", "fault.leadInputs"),
  form("must hold query", "fault.queryInput"),
  form("must be one line", "fault.control"),
  form("must be a host name such as .*", "fault.host"),
  form("must be an address that begins with .*", "fault.address"),
  form("must have its host written out: .*", "fault.fixedHost"),
  form("has \\{.*\\} in its path, so this input must be required", "fault.requiredInPath"),
  form("must be from (?<min>\\d+) to (?<max>\\d+) seconds", "fault.between", numbers),
  form("names \\{(?<name>.*)\\}, and there is no input of this name", "fault.noInput", ({ name = "" }) => ({ name })),
  form("names \\$\\{(?<name>\\w+)\\}, and the environment of this command has no .*", "fault.noValue", ({ name = "" }) => ({ name })),
  form("must be a path such as .*", "fault.fieldPath"),
  form("must not hold the secret .*", "fault.secretHere"),
  form("is not the key of an action of this agent", "fault.noAction"),
  form("is not the key of a procedure of this agent", "fault.noProcedure"),
  form("leads back to this procedure", "fault.leadsBack"),
  form("is not the key of a later step", "fault.laterStep"),
  form("is neither an input nor in the result of an earlier action", "fault.noField"),
  form("names \\{(?<name>.*)\\}, and no earlier action has this key", "fault.noResult", ({ name = "" }) => ({ name })),
  form("is switched off", "fault.actionOff"),
  form("is a procedure that is switched off", "fault.procedureOff"),
  form("is a step of the procedure (?<name>.*?)(, which would not work any more)?", "fault.usedBy", ({ name = "" }) => ({ name })),
  form("must be sent again.*", "fault.sendAgain"),
  form("must be JSON", "fault.json"),
  form("is for inputs of type string|is not known to this kind of action|is not for GET|is not an input of the (action|procedure)|is not for a step .*|is the key of another .*", "fault.other"),
  form("must be one object|must not be a .*|must have one of say, action, procedure and if|goes with .*", "fault.other"),
  form("has an unknown placeholder (?<name>\\{\\{.*?\\}\\}); .*", "fault.placeholder", ({ name = "" }) => ({ name })),
  form("has \\{\\{ without a placeholder behind it", "fault.placeholder", () => ({ name: "{{" })),
  form("is that of another (saved (reply|view)|target)", "fault.taken"),
  form("is one too many: an? .* has at most (?<max>\\d+) saved .*", "fault.maxEntries", numbers),
  // What no field of the console can be: it has another kind of value, or is sent by other programs only.
  form("must be (an? )?(string|integer|number|array|object|text|UUID|base64|true or false|time|day|multipart)\\b.*", "fault.other"),
  form("must (not be null|match .*|be given once|lie in .*|be before .*|name .*|not be sent .*|be an IANA .*|have no .*)", "fault.other"),
  form("is (out of range|not allowed|not well-formed.*|changed by .*|not valid.*)|cannot (be|change).*|has (too|as) many .*|took too long", "fault.other"),
  form("needs a server .*|is for servers of kind .*|must be true to .*|must be some of.*|must have from \\d+ to \\d+ bytes", "fault.other"),
];

/** The text of what the server says is wrong; nothing where it says it in no form that is known. */
export function findFaultText(said: string, t: Translate, locale: string): string | undefined {
  for (const { says, key, params } of forms) {
    const match = says.exec(said);
    if (match) return t(key, params?.(match.groups ?? {}, locale));
  }
  return undefined;
}

/** What is wrong, in words of the person's language. */
export const explainFault = (said: unknown, t: Translate, locale: string): string =>
  findFaultText(String(said), t, locale) ?? t("fault.other");
