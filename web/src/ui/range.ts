// Sliders with equal steps or equal ratios.

export interface RangeScale {
  steps: number;
  whole: boolean;
  toStep(value: number): number;
  toValue(step: number): number;
}

export interface Range {
  min: number;
  max: number;
  scale: "linear" | "log";
  whole?: boolean;
}

export function rangeScale({ min, max, scale, whole = false }: Range): RangeScale {
  const steps = whole && scale === "linear" ? max - min : 400;
  if (scale === "linear") {
    return {
      steps,
      whole,
      toStep: (value) => Math.round(((value - min) / (max - min)) * steps),
      toValue: (step) => min + (step / steps) * (max - min),
    };
  }
  const ratio = Math.log(max / min);
  return {
    steps,
    whole,
    toStep: (value) => Math.round((Math.log(Math.max(value, min) / min) / ratio) * steps),
    toValue: (step) => min * Math.exp((step / steps) * ratio),
  };
}
