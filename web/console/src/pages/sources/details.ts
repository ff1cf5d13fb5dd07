/** What of the address is about a version. */
export const ofVersion = ["version", "compare"];

/** What of the address is about the details of a source. */
export const ofDetails = ["tab", "page", ...ofVersion];
