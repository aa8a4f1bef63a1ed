# Completion of raid5sim for bash: commands, options, scenario files and the keys of --set. The keys come from
# the program itself, so that they are never out of date.

_raid5sim_keys() { # WORD
    local keys
    keys=$(raid5sim keys --names 2>/dev/null | sed 's/$/=/')
    COMPREPLY=($(compgen -W "$keys" -- "$1"))
    [ ${#COMPREPLY[@]} = 0 ] || compopt -o nospace 2>/dev/null
}

_raid5sim() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ]; then
        COMPREPLY=($(compgen -W 'run map keys presets help version --help --version' -- "$word"))
        return
    fi
    case $command in
    help)
        COMPREPLY=($(compgen -W 'run map keys presets' -- "$word"))
        return
        ;;
    keys)
        COMPREPLY=($(compgen -W '--names --man --help' -- "$word"))
        return
        ;;
    run | map) ;;
    *)
        COMPREPLY=($(compgen -W '--help' -- "$word"))
        return
        ;;
    esac
    case $before in
    --set | -s)
        _raid5sim_keys "$word"
        return
        ;;
    --io-log-format)
        COMPREPLY=($(compgen -W 'plain blkparse' -- "$word"))
        return
        ;;
    --json | -j | --io-log)
        COMPREPLY=($(compgen -f -- "$word"))
        return
        ;;
    --seed | -S | --member | -m) return ;;
    esac
    case $word in
    --set=*)
        _raid5sim_keys "${word#--set=}"
        COMPREPLY=("${COMPREPLY[@]/#/--set=}")
        ;;
    -*)
        [ "$command" = run ] || {
            COMPREPLY=($(compgen -W '--set --member --json --help --usage' -- "$word"))
            return
        }
        COMPREPLY=($(compgen -W '--set --seed --json --io-log --io-log-format --quiet --help --usage' -- "$word"))
        ;;
    *)
        compopt -o filenames 2>/dev/null
        COMPREPLY=($(compgen -f -X '!*.cfg' -- "$word") $(compgen -d -- "$word"))
        ;;
    esac
}

complete -F _raid5sim raid5sim
