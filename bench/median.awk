# The median of a list of numbers separated by spaces; sets `low` and `high` to its extremes.
function median(list,    n, v, i, j, t) {
    n = split(list, v, " ")
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && v[j] + 0 < v[j - 1] + 0; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
    low = v[1]; high = v[n]
    return (v[int((n + 1) / 2)] + v[int((n + 2) / 2)]) / 2
}
