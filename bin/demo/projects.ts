/** The projects of the demo: what a small company keeps in its home folder. */
export const PROJECTS = {
  shop: "# shop\n\nThe web shop: baskets, checkout, tax, orders. TypeScript, Hono, PostgreSQL.\n",
  blog: "# blog\n\nA static blog engine: Markdown in, HTML, feeds and a sitemap out. Go.\n",
  tally: "# tally\n\nTime and invoices on the command line. Rust.\n",
  infra: "# infra\n\nServers, DNS, backups and alerts as Terraform and Ansible.\n",
  notebooks: "# notebooks\n\nSales and traffic, looked at with pandas and DuckDB.\n",
  lanterns: "# lanterns\n\nA puzzle game for the browser. TypeScript, Canvas, no engine.\n",
  书店: "# 书店\n\n网上书店:书目、检索、订单。Node.js 与 PostgreSQL。\n",
  buchhaltung: "# buchhaltung\n\nBelege, Umsatzsteuer und DATEV-Export. Python, SQLite.\n",
} as const;

export type ProjectName = keyof typeof PROJECTS;
