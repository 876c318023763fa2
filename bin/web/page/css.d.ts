/** Stylesheets, bundled by Vite. */
declare module "*.css";

/** The address of a worker script, which Vite bundles separately. */
declare module "*?worker&url" {
  const address: string;
  export default address;
}
