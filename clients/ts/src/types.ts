import type { components, operations } from "./schema.js";

/** Every shape of the interface, by the name it has in the OpenAPI document. */
export type Schemas = components["schemas"];

/** The name of an operation: its operationId. */
export type OperationId = keyof operations;

type Parameters<Id extends OperationId> = operations[Id]["parameters"];

/** The parameters in the path of an operation. */
export type PathOf<Id extends OperationId> = Parameters<Id> extends { path: infer P } ? P : undefined;

/** The query of an operation. */
export type QueryOf<Id extends OperationId> = Parameters<Id> extends { query?: infer Q } ? NonNullable<Q> : never;

/** The JSON body of an operation. */
export type BodyOf<Id extends OperationId> = operations[Id] extends { requestBody: { content: { "application/json": infer B } } } ? B : undefined;

type Successes<R> = { [Status in keyof R & (200 | 201)]: R[Status] }[keyof R & (200 | 201)];

/** The JSON reply of an operation's success. */
export type ReplyOf<Id extends OperationId> =
  Successes<operations[Id]["responses"]> extends { content: { "application/json": infer R } } ? R : never;

/** What a call may say beside its parameters. */
export interface CallOptions {
  /** Ends the call; it then fails with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** How often a call is tried again after 429 or 503; 0 for never. By default the client's. */
  maxRetries?: number | undefined;
  /** Sent as Idempotency-Key: a POST that is sent again with the same key takes effect once. */
  idempotencyKey?: string | undefined;
  /** More headers. */
  headers?: Record<string, string> | undefined;
}

/** Everything a call of an operation takes: what it has no use for may be left out. */
export type Call<Id extends OperationId> = CallOptions & { query?: QueryOf<Id> | undefined } & (PathOf<Id> extends undefined
    ? { path?: undefined }
    : { path: PathOf<Id> }) &
  (BodyOf<Id> extends undefined ? { body?: undefined } : { body: BodyOf<Id> });
