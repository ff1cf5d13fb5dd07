import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app";
import { guardDrops } from "./components/file-drop";
import { apply } from "./looks";
import "./base.css";

apply();
guardDrops();
createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
