/** True in builds for the tests, which have the languages en-XA and ar-XB. */
declare const __PSEUDO_LOCALES__: boolean;

/** The answer to who is signed in, asked by early.ts; undefined once it is read. */
declare var earlySession: Promise<Response | undefined> | undefined;
