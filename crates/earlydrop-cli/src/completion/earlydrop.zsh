#compdef earlydrop
# Completions of earlydrop for zsh. The candidates come from `earlydrop complete`.
_earlydrop() {
    local -a candidates
    candidates=("${(@f)$("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    if [[ -n ${candidates[1]} ]]; then
        compadd -Q -- "${candidates[@]}"
    else
        _files
    fi
}
if [[ ${funcstack[1]} == _earlydrop ]]; then
    _earlydrop "$@"
else
    compdef _earlydrop earlydrop
fi
