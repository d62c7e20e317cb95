// @ts-expect-error jstat has no types
import untyped from 'jstat'

/** What confidence intervals need of jstat: the quantile of Student's t distribution with the given degrees of freedom, for p in (0, 1). */
export const { studentt } = untyped as { readonly studentt: { inv(p: number, degreesOfFreedom: number): number } }
