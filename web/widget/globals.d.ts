/// <reference types="vite/client" />

/** True in builds for the tests, which have the languages en-XA and ar-XB. */
declare const __PSEUDO_LOCALES__: boolean;

/** The names of the built modules of the loaders. */
declare const __WINDOW_MODULE__: string;
declare const __CENTER_MODULE__: string;
