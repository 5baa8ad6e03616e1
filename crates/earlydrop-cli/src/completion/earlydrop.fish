# Completions of earlydrop for fish. The candidates come from `earlydrop complete`.
function __earlydrop_complete
    set -l words (commandline --current-process --tokenize --cut-at-cursor)
    set -l current (commandline --current-token --cut-at-cursor)
    $words[1] complete -- $words[2..-1] "$current" 2>/dev/null
end
complete --command earlydrop --arguments '(__earlydrop_complete)'
