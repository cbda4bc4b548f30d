/** The addresses of files, which Vite gives for an import with `?url`. */

declare module "*?url" {
  const address: string;
  export default address;
}
