/** The text and the address of a file. */

declare module "*?raw" {
  const text: string;
  export default text;
}
declare module "*?url" {
  const address: string;
  export default address;
}
