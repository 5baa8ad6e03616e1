// Numbers and words as text. Estimates come as text.

const MINUS = "\u2212";
const PLUS_MINUS = "\u00b1";
const THIN = "\u202f";

/** Whether `value` is a finite number; JSON has null for others. */
function isNumber(value) {
  return typeof value === "number" && Number.isFinite(value);
}

/** `value` with a number of decimals; negative ones round to tens, hundreds, ... */
function fixed(value, decimals) {
  const step = decimals < 0 ? 10 ** -decimals : 1;
  const text = (Math.round(Math.abs(value) / step) * step).toString();
  const digits = decimals > 0 ? Math.abs(value).toFixed(decimals) : text;
  const [whole, part] = digits.split(".");
  const grouped = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, THIN) : whole;
  const sign = value < 0 && Number(digits) !== 0 ? MINUS : "";
  return sign + grouped + (part ? `.${part}` : "");
}

/** The number of decimals that show `digits` significant digits of `value`. */
function decimalsOf(value, digits) {
  if (!isNumber(value) || value === 0) return 0;
  const exponent = Number(Math.abs(value).toExponential(digits - 1).split("e")[1]);
  return Math.min(9, digits - 1 - exponent);
}

/** A number with at most `digits` significant digits and no trailing zeros. */
function plain(value, digits = 4) {
  if (!isNumber(value)) return "\u2013";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-4 || size >= 1e7) {
    const [front, power] = value.toExponential(digits - 1).split("e");
    const raised = [...String(Number(power))]
      .map((sign) => (sign === "-" ? "\u207b" : "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"[sign]))
      .join("");
    const kept = String(Number(front)).replace("-", MINUS);
    return kept === "1" ? `10${raised}` : `${kept}${THIN}\u00d7${THIN}10${raised}`;
  }
  const decimals = Math.max(0, decimalsOf(value, digits));
  const text = fixed(value, decimals);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** The mean and half its interval of a text such as "12.3 \u00b1 0.4". */
function estimateParts(text) {
  const [mean, half = ""] = text.split(` ${PLUS_MINUS} `);
  return { mean, half };
}

/** "queueing delay, 99% (ms)". */
function withUnit(title, unit) {
  return unit ? `${title} (${unit})` : title;
}

/** "1 seed", "10 seeds". */
function count(number, one, many = `${one}s`) {
  return `${number} ${number === 1 ? one : many}`;
}

/** "a", "a and b", "a, b and c". */
function listed(words) {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;
}

/** The text with its first letter in upper case. */
function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The text with punctuation at its end. */
function sentence(text) {
  const trimmed = text.trim();
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
