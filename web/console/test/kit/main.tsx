import { StrictMode, Suspense } from "react";
import { createRoot } from "react-dom/client";
import { I18nProvider } from "react-aria-components";
import "../../src/base.css";
import { lazyPage } from "../../src/components/lazy-page";
import "./kit.css";
import { Collections, Dates, Fields, Overlays, Structure } from "./aria";

const States = lazyPage(() => import("./states"));

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <I18nProvider locale="en">
      <main>
        <h1>Every component</h1>
        <Overlays />
        <Fields />
        <Dates />
        <Collections />
        <Structure />
        <Suspense>
          <States />
        </Suspense>
      </main>
    </I18nProvider>
  </StrictMode>,
);
