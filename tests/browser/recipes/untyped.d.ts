/** What is imported without types of its own: the text of a file, and components. */

declare module "*?raw" {
  const text: string;
  export default text;
}

/** A component of Vue. */
declare module "*.vue" {
  const component: import("vue").Component;
  export default component;
}
