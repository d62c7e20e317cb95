/** Number of size classes. */
export const classes = 31

/** Size classes by powers of two: 0 for amounts below 2, 1 for 2 and 3, ..., 30 for 2^30 and all above. */
export const classOf = (amount: number): number => Math.min(30, 31 - Math.clz32(Math.min(amount, 0x7fffffff) | 1))
