import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app";
import { apply } from "./looks";
import "./base.css";

apply();
createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
