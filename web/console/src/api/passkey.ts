// Asks the browser for passkeys, with what the server sends and takes as JSON.
import { APIError, request } from "./client";

export interface Challenge {
  id: string;
  /** Null where a passkey cannot answer. */
  options: { publicKey: JSONOptions } | null;
}

type JSONOptions = Record<string, unknown> & {
  challenge: string;
  user?: { id: string };
  excludeCredentials?: { id: string }[];
  allowCredentials?: { id: string }[];
};

export interface PasskeyAnswer {
  id: string;
  response: unknown;
}

/** Whether this browser can use passkeys at this address: it needs HTTPS, or this machine. */
export const canUsePasskeys = () => isSecureContext && typeof PublicKeyCredential === "function";

/** Makes a passkey for what POST `path` asks. */
export async function createPasskey(path: string, body?: unknown): Promise<PasskeyAnswer> {
  const { id, options } = await request<Challenge>("POST", path, body);
  const publicKey = parseOptions<PublicKeyCredentialCreationOptions>(options!.publicKey, "parseCreationOptionsFromJSON");
  return { id, response: toJSON(await ask(() => navigator.credentials.create({ publicKey }))) };
}

/** Signs with a passkey what POST `path` asks. */
export const usePasskey = async (path: string, body?: unknown): Promise<PasskeyAnswer> =>
  answerChallenge(await request<Challenge>("POST", path, body));

/** Signs a challenge with a passkey. */
export async function answerChallenge({ id, options }: Challenge): Promise<PasskeyAnswer> {
  const publicKey = parseOptions<PublicKeyCredentialRequestOptions>(options!.publicKey, "parseRequestOptionsFromJSON");
  return { id, response: toJSON(await ask(() => navigator.credentials.get({ publicKey }))) };
}

async function ask(start: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  const credential = await start().catch((error: unknown) => {
    const isKnown = error instanceof DOMException && error.name === "InvalidStateError";
    throw new APIError(400, isKnown ? "PASSKEY_EXISTS" : "PASSKEY_CANCELLED", "", null);
  });
  if (!credential) throw new APIError(400, "PASSKEY_CANCELLED", "", null);
  return credential as PublicKeyCredential;
}

function parseOptions<Options>(options: JSONOptions, parse: string): Options {
  const known = (PublicKeyCredential as unknown as Record<string, ((json: unknown) => Options) | undefined>)[parse];
  if (known) return known.call(PublicKeyCredential, options);
  const withBytes = <T extends { id: string }>(one: T) => ({ ...one, id: decode(one.id) });
  return {
    ...options,
    challenge: decode(options.challenge),
    ...(options.user && { user: withBytes(options.user) }),
    ...(options.excludeCredentials && { excludeCredentials: options.excludeCredentials.map(withBytes) }),
    ...(options.allowCredentials && { allowCredentials: options.allowCredentials.map(withBytes) }),
  } as Options;
}

function toJSON(credential: PublicKeyCredential): unknown {
  if (typeof credential.toJSON === "function") return credential.toJSON();
  const { response } = credential as { response: AuthenticatorResponse & Partial<AuthenticatorAttestationResponse> };
  const parts = ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"];
  const found = parts.map((name) => [name, (response as unknown as Record<string, ArrayBuffer | null>)[name]] as const);
  return {
    id: credential.id,
    rawId: encode(credential.rawId),
    type: credential.type,
    authenticatorAttachment: credential.authenticatorAttachment ?? undefined,
    clientExtensionResults: credential.getClientExtensionResults(),
    response: {
      ...Object.fromEntries(found.flatMap(([name, bytes]) => (bytes ? [[name, encode(bytes)]] : []))),
      ...(response.getTransports && { transports: response.getTransports() }),
    },
  };
}

function decode(text: string): Uint8Array {
  const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(bytes, (char) => char.charCodeAt(0));
}

function encode(bytes: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
