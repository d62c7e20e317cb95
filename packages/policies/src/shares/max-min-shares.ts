import { fairShares } from './fair-shares.js'

/** Somebody who shares one resource; amounts in its unit. */
export interface MaxMinSharer {
  /** Above 0; default 1. */
  readonly weight?: number
  /** Given before anything is divided, as far as it is asked for; default 0. */
  readonly min?: number
  /** Never exceeded; default no limit. */
  readonly max?: number
  /** What it can use; default no end. */
  readonly demand?: number
}

/**
 * Weighted max-min fair shares of one resource with minimum and maximum, in the order given: all grow alike, over their
 * weights, until they have what they ask for. The flat case of `fairShares`. Throws `BAD_OPTION` for a number out of range.
 */
export function maxMinShares(sharers: readonly MaxMinSharer[], total: number): number[] {
  const column = (of: (sharer: MaxMinSharer) => number | undefined, otherwise: number) => sharers.map((each) => of(each) ?? otherwise)
  return fairShares(
    {
      weights: column(({ weight }) => weight, 1),
      minShares: column(({ min }) => min, 0),
      maxShares: column(({ max }) => max, Infinity),
      demands: column(({ demand }) => demand, Infinity),
    },
    total,
  )
}
