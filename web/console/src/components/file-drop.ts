// Files that are dropped beside every place that takes them. A browser would open them in place of the console.
import { useEffect, useRef, useState } from "react";

type Take = (files: File[]) => void;

let take: Take | null = null; // of the screen that takes files wherever they are dropped

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes("Files") ?? false;

function hold(event: DragEvent): void {
  if (event.defaultPrevented || !hasFiles(event)) return;
  event.preventDefault();
  event.dataTransfer!.dropEffect = take ? "copy" : "none";
}

function drop(event: DragEvent): void {
  if (event.defaultPrevented || !hasFiles(event)) return;
  event.preventDefault();
  const items = [...event.dataTransfer!.items].filter((item) => !item.webkitGetAsEntry()?.isDirectory);
  const files = items.map((item) => item.getAsFile()).filter((file) => file !== null);
  if (files.length > 0) take?.(files);
}

/** Has the browser open no file that is dropped, until what is returned is called. */
export function guardDrops(): () => void {
  addEventListener("dragover", hold);
  addEventListener("drop", drop);
  return () => {
    removeEventListener("dragover", hold);
    removeEventListener("drop", drop);
  };
}

/** Takes files that are dropped anywhere in the window, unless null. Returns whether some are held over it. */
export function useFileDrop(onFiles: Take | null): boolean {
  const [isOver, setOver] = useState(false);
  const latest = useRef(onFiles);
  latest.current = onFiles;
  const isTaking = onFiles !== null;
  useEffect(() => {
    if (!isTaking) return;
    const own: Take = (files) => latest.current?.(files);
    const enter = (event: DragEvent) => hasFiles(event) && setOver(true);
    const end = () => setOver(false);
    const leave = (event: DragEvent) => event.relatedTarget === null && setOver(false);
    take = own;
    addEventListener("dragover", enter);
    addEventListener("dragleave", leave);
    addEventListener("drop", end, true); // also where something else takes them
    return () => {
      if (take === own) take = null;
      removeEventListener("dragover", enter);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", end, true);
      setOver(false);
    };
  }, [isTaking]);
  return isOver;
}
