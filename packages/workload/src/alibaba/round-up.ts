/** Rounds up to a whole number. A product that is whole except for its last bits is that number: `0.39 * 10_000` gives 3900, not 3901. */
export const roundUp = (value: number): number => Math.ceil(Number(value.toPrecision(12)))
