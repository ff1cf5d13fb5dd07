/** How many characters the server wants of a password, at least. */
export const shortestPassword = 12;
