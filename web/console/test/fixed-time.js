// Imported first, it stops the clock of this process, so that recorded answers say the same at all times. Pages have it
// stopped by `stopClock`.

/** What the time is. */
export const time = Date.parse("2026-11-22T12:00:00Z");

Date.now = () => time;

/** The options of a page on which nothing depends on where it runs. */
export const place = { timezoneId: "UTC", deviceScaleFactor: 1, reducedMotion: "reduce" };

export const stopClock = (page) => page.clock.setFixedTime(time);
