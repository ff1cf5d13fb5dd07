// What a page may say without anything being wrong.

/** Whether a message only says that the server has refused a request, or that there is no network: states ask for both. */
export const isWanted = (problem) =>
  /Failed to load resource: (the server responded with a status of [45]\d\d|net::ERR_INTERNET_DISCONNECTED)/.test(problem);
