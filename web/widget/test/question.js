// Asks as visitors do.

/**
 * Writes a question and sends it as soon as the chat takes one: it takes none while an answer is on its way. `place` is
 * the page or the frame of the chat.
 */
export async function sendQuestion(place, text) {
  const field = place.locator("form > textarea");
  await field.fill(text);
  await place.locator("form:has(> textarea) button[type=submit][aria-disabled=false]").waitFor();
  await field.press("Enter");
}
