# Completions of earlydrop for bash. The candidates come from `earlydrop complete`.
_earlydrop() {
    local line=${COMP_LINE:0:COMP_POINT} words current prefix candidate
    # Not COMP_WORDS: bash splits words at "=" and ":", of which lists of schemes have many.
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    current=${words[${#words[@]} - 1]}
    prefix=${current%"${current##*[=:]}"}
    COMPREPLY=()
    while IFS= read -r candidate; do
        COMPREPLY+=("${candidate#"$prefix"}")
    done < <("${words[0]}" complete -- "${words[@]:1}" 2>/dev/null)
    # A list goes on, and so does a path.
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == */ ]] || [[ $current == *,* ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
complete -o default -o bashdefault -F _earlydrop earlydrop
