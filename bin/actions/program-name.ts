/** Checks names of programs for printed commands. */

/** Names that a shell doesn't look up on the `PATH`: keywords, builtins and functions. */
const RESERVED = new Set(
  [
    // bash, dash, ksh and zsh
    "alias autoload bg bind bindkey break builtin bye caller case cd chdir command compadd comparguments compcall compctl",
    "compdescribe compfiles compgen compgroups complete compopt compquote compset comptags comptry compvalues continue coproc",
    "declare dirs disable disown do done echo echoti echotc elif else emulate enable esac eval exec exit export false fc fg fi",
    "float for foreach function functions getln getopts hash help hist history if in integer jobs kill let limit local log",
    "logout mapfile nameref nocorrect noglob popd print printf private pushd pushln pwd r read readarray readonly rehash",
    "repeat return sched select set setopt shift shopt sleep source stat suspend syslog test then time times trap true ttyctl",
    "type typeset ulimit umask unalias unfunction unhash unlimit unset unsetopt until vared wait whence where which while",
    "zcompile zformat zle zmodload zparseopts zprof zpty zregexparse zsocket zstyle ztcp zf_rm",
    // fish
    "abbr and argparse begin block breakpoint cdh commandline contains contains_seq count dirh diff emit end funced funcsave",
    "grep isatty la ll ls man math nextd not open or path prevd prompt_hostname prompt_login prompt_pwd psub random realpath",
    "seq setenv set_color status string switch",
    // PowerShell and its aliases
    "assembly base catch class clear cls compare configuration copy data define del dir dynamicparam enum erase filter finally",
    "foreach-object from ft fl gc gci gcm gi gp hidden icm iex ihy ii import-module inlinescript interface invoke-command",
    "invoke-expression invoke-item invoke-webrequest ipmo irm iwr md measure mi module mount move mv namespace ni nal ndr",
    "new-item oh param parallel process ps public rd ren remove-item ri rm rmdir rni rnp rp rvpa sajb sal saps sbp sc sequence",
    "set-alias set-content si sl sort sp spjb spps sps start start-job start-process static sv tee throw trycatch try type",
    "using var where-object workflow write cp cat cpi",
  ].flatMap((names) => names.split(" ")),
);

/** Whether a name is a plain program name: not an option, a path or a shell's reserved word, and without characters to quote. */
export function isProgramName(name: string): boolean {
  return /^\w(?:[\w.-]*[\w-])?$/.test(name) && !isShellReserved(name);
}

/** Whether a shell interprets a name, quoted or not, as something other than a program. */
export function isShellReserved(name: string): boolean {
  return /^(?:\d+|fish_.*|_)$/.test(name) || RESERVED.has(name.toLowerCase());
}
