/** The position, 0 to 31, of the lowest bit that is set in a word of 32 bits; -1 for 0. */
export const lowestBit = (word: number): number => 31 - Math.clz32(word & -word)
