// Stands in for a channel that there is not. The names of the files and of their globals are our choice: no page that
// uses them is known.
import { createGlobal } from "./global";

/** Sets a global that is up, and does nothing. */
export function standIn(name: string, channel: string): void {
  console.warn(`Parley: there is no ${channel}; ${name} does nothing`);
  createGlobal(name, { getState: () => "initialized" }).install();
}
