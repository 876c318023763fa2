/**
 * Questions that nothing is tuned on. They show whether weights tuned on `QUESTIONS` also work for others, and must be replaced
 * once a weight is chosen by them, so only their scores are reported, never their ranks. They use other words than `QUESTIONS`,
 * and were written before any search was run on them: don't adapt them to one.
 */
import type { Kind, Question } from "./questions.ts";
import type { RealQuestion } from "./real-questions.ts";

const heldOut = (kind: Kind, query: string, ...expect: string[]): Question => ({ kind, query, expect });

export const HELD_OUT_QUESTIONS: readonly Question[] = [
  heldOut("identifier", "recordAudit payouts", "audit"),
  heldOut("identifier", "keep alive timeout", "keep-alive"),
  heldOut("identifier", "fetchpriority hero", "hero-image"),
  heldOut("identifier", "idempotency key payout", "refunds"),
  heldOut("identifier", "date_trunc booked_at", "invoices"),
  heldOut("identifier", "timingSafe* hmac", "webhooks", "webhooks-fork"),

  heldOut("error message", "WebSocket is closed before the connection is established", "reconnects"),
  heldOut("error message", "P3018 unsafe use of new value", "vat-enum"),
  heldOut("error message", "Cannot read properties of undefined (reading 'advanceWidth')", "glyphs"),
  heldOut("error message", "Invalid hook call. Hooks can only be called inside", "monorepo"),
  heldOut("error message", "FATAL EXCEPTION java.lang.OutOfMemoryError", "zh-crash"),

  heldOut("half-remembered", "api image nine minutes lockfile", "docker-cache"),
  heldOut("half-remembered", "tablet battery drafts indexeddb", "flush"),
  heldOut("half-remembered", "logged out two tabs theft", "refresh"),
  heldOut("half-remembered", "carrier 429 limit doubling", "backoff"),
  heldOut("half-remembered", "confirmations spam footer", "dkim"),
  heldOut("half-remembered", "search pods night heap container", "oom-killed"),

  heldOut("exact phrase", '"nobody waits for more than ten minutes"', "export-queue"),
  heldOut("exact phrase", '"a spike of 800 requests"', "stampede"),
  heldOut("exact phrase", '"keeps writers out"', "order-index"),

  heldOut("Chinese", "Excel 导出", "zh-bom"),
  heldOut("Chinese", "台湾 英文界面", "zh-fallback"),
  heldOut("Chinese", "加字段 整张表", "zh-lock"),

  heldOut("Japanese", "月末 日付", "ja-closing"),
  heldOut("Japanese", "バックアップ 毎晩", "ja-permission"),

  heldOut("other scripts, emoji", "съедает память", "voron"),
  heldOut("other scripts, emoji", "κανονικοποίηση NFD", "tonos"),

  heldOut("file", "allowed-origins.ts", "credentials"),
  heldOut("file", "src/ui/layout.css", "grid"),
  heldOut("file", "PayButton.tsx", "flake"),

  heldOut("tool output", "Seq Scan on sales", "slow-dashboard"),
  heldOut("tool output", "checks 91.20%", "pool"),

  heldOut("session name", "drill 23:59:60", "leap-second"),

  heldOut("signs", "HEAD@{6}", "lost-commits"),

  // Written after the fork, so the parent is not right.
  heldOut("fork", "captions wrap two lines", "photos-fork"),

  heldOut("query language", "role:user uploads until:2026-08", "multipart"),
];

const inSession =
  (session: string) =>
  (kind: Kind, query: string, ...lines: number[]): RealQuestion => ({ kind, query, session, lines });
const themes = inSession("d703a1a9-1b7b-4fb1-b512-c9738b1fe617");
const refactoring = inSession("ffae836b-9420-4060-ac13-7745215f90ff");

/** About other lines of the same two sessions as `REAL_QUESTIONS`. */
export const HELD_OUT_REAL_QUESTIONS: readonly RealQuestion[] = [
  themes("remembered words", "queued messages wider invariant", 275, 280, 282, 286, 308),
  themes("identifier", "userMessageText not used", 888, 889, 893, 897),
  themes("remembered words", "watcher reload custom themes", 707, 708, 712, 732),
  refactoring("remembered words", "only want e2e tests", 21),
  refactoring("remembered words", "slash commands loaded once", 430, 431, 433, 435),
  refactoring("exact phrase", '"brand spanking new"', 460),
  refactoring("error message", "The replacement produced identical content", 827),
  refactoring("file", "DEVELOPMENT.md", 791, 830, 831, 844),
];
