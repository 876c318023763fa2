/** What the page looks like: vite takes it in. */
declare module "*.css";

/** The address of a thread's code, which vite builds by itself. */
declare module "*?worker&url" {
  const address: string;
  export default address;
}
