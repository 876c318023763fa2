import { spawn } from "node:child_process";

/** A notification that is not shown by then counts as failed. */
const TIMEOUT_MS = 10_000;

export interface Notification {
  title: string;
  text: string;
}

interface Program {
  file: string;
  args: string[];
  env?: Record<string, string>;
}

/**
 * Shows a desktop notification: by `notify-send` on Linux and BSD, `osascript` on macOS, PowerShell on Windows, or a command of the user, for
 * a shell, which gets title and text as arguments (on Windows in the variables PIDEX_TITLE and PIDEX_TEXT).
 *
 * @throws Error that names the program and what went wrong
 */
export async function showNotification(
  notification: Notification,
  { command, platform = process.platform }: { command?: string | undefined; platform?: NodeJS.Platform } = {},
): Promise<void> {
  const { file, args, env = {} } = toProgram(notification, command, platform);
  const child = spawn(file, args, {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, ...env },
    timeout: TIMEOUT_MS,
    windowsHide: true,
  });
  let complaint = "";
  child.stderr.setEncoding("utf8");
  child.stderr.on("data", (text: string) => {
    complaint = (complaint + text).slice(0, 500);
  });
  await new Promise<void>((resolve, reject) => {
    child.on("error", (error) => reject(new Error(`${command ?? file}: ${error.message}`)));
    child.on("close", (code, signal) => {
      if (code === 0) return resolve();
      const why = complaint.trim().split("\n")[0] || (signal ? `ended by ${signal}` : `exit code ${code}`);
      reject(new Error(`${command ?? file}: ${why}`));
    });
  });
}

/** Title and text are never part of code: a project may have any name. */
function toProgram(
  { title, text }: Notification,
  command: string | undefined,
  platform: NodeJS.Platform,
): Program {
  const env = { PIDEX_TITLE: title, PIDEX_TEXT: text };
  if (command !== undefined && platform === "win32") {
    return { file: process.env.ComSpec ?? "cmd.exe", args: ["/d", "/s", "/c", command], env };
  }
  if (command !== undefined)
    return { file: "/bin/sh", args: ["-c", `${command} "$@"`, "sh", title, text], env };
  if (platform === "darwin") {
    const script = [
      "on run argv",
      "display notification (item 2 of argv) with title (item 1 of argv)",
      "end run",
    ];
    return { file: "osascript", args: [...script.flatMap((line) => ["-e", line]), title, text] };
  }
  if (platform === "win32") {
    return { file: "powershell.exe", args: ["-NoProfile", "-NonInteractive", "-Command", BALLOON], env };
  }
  return { file: "notify-send", args: ["--app-name=pidex", "--", title, text] };
}

const BALLOON = `Add-Type -AssemblyName System.Windows.Forms, System.Drawing
$icon = New-Object System.Windows.Forms.NotifyIcon
$icon.Icon = [System.Drawing.SystemIcons]::Information
$icon.Visible = $true
$icon.ShowBalloonTip(5000, $env:PIDEX_TITLE, $env:PIDEX_TEXT, 'Info')
Start-Sleep -Seconds 6
$icon.Dispose()`;
