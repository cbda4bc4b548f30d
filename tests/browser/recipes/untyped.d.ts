/** Modules without types. */

declare module "react";
declare module "react-dom/client";
declare module "*?url" {
  const address: string;
  export default address;
}
declare module "*?raw" {
  const text: string;
  export default text;
}
