/** Modules without types. */

declare module "react";
declare module "react-dom/client";
declare module "*?raw" {
  const text: string;
  export default text;
}
