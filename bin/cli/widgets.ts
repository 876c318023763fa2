/**
 * `pidex completions --widget`: scripts that bind the picker to a key of a shell. Ctrl+X S opens it with the command line
 * as the query, and replaces the line with the command that resumes the selected session, without running it.
 */

// Functions bound to a key may have a stdin other than the terminal, hence `</dev/tty` below.
const PICK = "pidex pick --print command";

// bash before 4 can't change the command line from a function.
const bash = `# pidex on Ctrl+X S in bash: eval "$(pidex completions --widget bash)"
_pidex_widget() {
  local chosen
  chosen=$(${PICK} --query="$READLINE_LINE" </dev/tty) || return 0
  if [ -n "$chosen" ]; then
    READLINE_LINE=$chosen
    READLINE_POINT=2147483647 # at its end, whether characters or bytes are counted
  fi
}
if [ "\${BASH_VERSINFO[0]}" -ge 4 ] && [[ $- == *i* ]]; then
  for _pidex_keymap in emacs vi-insert vi-command; do
    bind -m "$_pidex_keymap" -x '"\\C-xs": _pidex_widget'
    bind -m "$_pidex_keymap" -x '"\\C-x\\C-s": _pidex_widget'
  done
  unset _pidex_keymap
fi
`;

const zsh = `# pidex on Ctrl+X S in zsh: eval "$(pidex completions --widget zsh)"
_pidex_widget() {
  emulate -L zsh
  local chosen
  if chosen=$(${PICK} --query="$BUFFER" </dev/tty) && [[ -n $chosen ]]; then
    BUFFER=$chosen
    CURSOR=$#BUFFER
  fi
  zle reset-prompt
}
if [[ -o interactive ]]; then
  zle -N pidex-widget _pidex_widget
  for _pidex_keymap in emacs viins vicmd; do
    bindkey -M $_pidex_keymap '^Xs' pidex-widget
    bindkey -M $_pidex_keymap '^X^S' pidex-widget
  done
  unset _pidex_keymap
fi
`;

// fish 4 has other key names.
const fish = `# pidex on Ctrl+X S in fish: pidex completions --widget fish | source
function __pidex_widget
  set -l line (commandline | string collect)
  set -l chosen (${PICK} --query="$line" </dev/tty | string collect)
  if test -n "$chosen"
    commandline -r -- "$chosen"
  end
  commandline -f repaint
end
if status is-interactive
  for mode in default insert
    if string match -qr '^[0-3]\\.' -- $version
      bind -M $mode \\cxs __pidex_widget
      bind -M $mode \\cx\\cs __pidex_widget
    else
      bind -M $mode ctrl-x,s __pidex_widget
      bind -M $mode ctrl-x,ctrl-s __pidex_widget
    end
  end
end
`;

export const WIDGETS = { bash, zsh, fish };
