import { LABEL, type ServicePlan } from "./plan.ts";

/** A launchd agent that keeps `pidex watch` running, as a property list. `marker` stands in its first comment. */
export function launchdAgent({ argv, environment, log }: ServicePlan, marker: string): string {
  const variables = Object.entries(environment).map(
    ([name, value]) => `    <key>${xml(name)}</key>\n    ${string(value)}\n`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<!-- ${marker} -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  ${string(LABEL)}
  <key>ProgramArguments</key>
  <array>
${argv.map((word) => `    ${string(word)}\n`).join("")}  </array>
  <key>EnvironmentVariables</key>
  <dict>
${variables.join("")}  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>30</integer>
  <key>ProcessType</key>
  <string>Background</string>
  <key>Nice</key>
  <integer>10</integer>
  <key>LowPriorityIO</key>
  <true/>
  <key>Umask</key>
  <integer>63</integer>
  <key>StandardErrorPath</key>
  ${string(log)}
</dict>
</plist>
`;
}

function string(text: string): string {
  return `<string>${xml(text)}</string>`;
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

function xml(text: string): string {
  return text.replace(/[&<>]/g, (sign) => ENTITIES[sign] as string);
}
