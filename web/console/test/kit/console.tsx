// The console in a page that several tests use, one after the other: it goes with all that it keeps, and comes again at
// another address. That takes a part of the time in which a page is loaded.
import { StrictMode } from "react";
import { createRoot, type Root } from "react-dom/client";
import { forgetPerson } from "../../src/api/session";
import { App } from "../../src/app";
import { apply, setLooks } from "../../src/looks";
import { showCount, showTitle } from "../../src/shell/title";
import "../../src/base.css";

let root: Root | null = null;

function show() {
  root = createRoot(document.getElementById("root")!);
  root.render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}

function showConsole(address: string) {
  history.replaceState(null, "", address);
  scrollTo(0, 0);
  show();
}

function leaveConsole() {
  root?.unmount();
  root = null;
  forgetPerson();
  setLooks({ theme: "system", density: "comfortable", hasLetterKeys: true });
  showCount(0);
  showTitle("");
  document.title = "Parley";
  localStorage.clear();
}

Object.assign(window, { showConsole, leaveConsole });
apply();
show(); // what the page's history keeps is read, as where the page is loaded again
