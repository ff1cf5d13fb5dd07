/// <reference types="vite/client" />

/** The texts of the first page: texts.js makes it. */
declare module "texts:core" {
  export const english: import("../../shared/i18n").Catalog;
  const loaders: import("./texts").Loaders;
  export default loaders;
}

/** What loads the texts of a page, by language: texts.js makes it. */
declare module "texts:*" {
  const loaders: import("./texts").Loaders;
  export default loaders;
}
