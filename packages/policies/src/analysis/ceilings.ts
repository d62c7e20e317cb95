/**
 * Locality that no amount of launching in fair order can exceed, as fractions in [0, 1].
 *
 * Source: Zaharia et al., "Delay Scheduling", EuroSys 2010: sticky slots; long tasks and hot spots. Both use `**`: figures
 * for people, not results of a simulation. Both throw `BAD_OPTION` for an argument out of range.
 */
import { requireCount, requireFraction } from './arguments.js'

/** How many slots a block can be read from locally: R replicas on nodes of L slots. */
export interface BlockSlots {
  /** R, an integer of at least 1. */
  readonly replicas: number
  /** L, an integer of at least 1. */
  readonly slotsPerNode: number
}

/**
 * Locality of a job that always gets its own slots back and so never moves: a block is near none of them with
 * probability (1-f)^(R L).
 *
 * @param share f, the job's fraction of all slots; 1/n with n equal jobs
 */
export function stickySlotCeiling(share: number, { replicas, slotsPerNode }: BlockSlots): number {
  requireFraction('share', share)
  return 1 - (1 - share) ** slotsNearBlock(replicas, slotsPerNode)
}

/**
 * Locality that delay scheduling can reach when a fraction phi of the slots is held by long tasks: all R L slots near a
 * block are held with probability phi^(R L).
 */
export function longTaskCeiling(longFraction: number, { replicas, slotsPerNode }: BlockSlots): number {
  requireFraction('longFraction', longFraction)
  return 1 - longFraction ** slotsNearBlock(replicas, slotsPerNode)
}

function slotsNearBlock(replicas: number, slotsPerNode: number): number {
  requireCount('replicas', replicas)
  requireCount('slotsPerNode', slotsPerNode)
  return replicas * slotsPerNode
}
