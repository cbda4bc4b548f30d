/** The URLs of files, which Vite returns for an import with `?url`. */

declare module "*?url" {
  const address: string;
  export default address;
}
