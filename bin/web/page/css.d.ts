/** What the page looks like: vite takes it in. */
declare module "*.css";
