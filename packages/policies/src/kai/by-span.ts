import type { WorkView } from '@sched/core'
import { compareInJob, type Victim } from './victim.js'

/**
 * The victims of a job with the places that what goes with them gives them among those of equally important jobs: fewer nodes first, then fewer tasks. Of what
 * a job can do without each piece counts for itself; what it cannot do without goes whole. A piece that comes behind a wider one of its job goes with that:
 * when the wider one has gone nobody is before it.
 *
 * Source: KAI Scheduler, plug-in gangcascadeorder (what survives goes first there by the order of jobs already).
 */
export function placedBySpan(victims: readonly Victim[], work: WorkView): readonly Victim[] {
  let before: Victim | undefined
  return [...victims].sort((a, b) => compareInJob(b, a)).map((victim) => {
    const nodes = new Set(victim.tasks.map((task) => work.nodeOf(task)))
    const own: Victim = { ...victim, places: [-nodes.size, -victim.tasks.length, ...(victim.places ?? [])] }
    const isNarrower = before !== undefined && before.isCore === victim.isCore && spanOf(own) > spanOf(before)
    before = isNarrower ? { ...own, places: before?.places ?? [] } : own
    return before
  })
}

/** A number that is larger for fewer nodes, then for fewer tasks. */
const spanOf = ({ places = [] }: Victim): number => (places[0] as number) * MORE_THAN_TASKS + (places[1] as number)

/** More than any job has tasks that run, and small enough that nodes times this is still an exact whole number. */
const MORE_THAN_TASKS = 2 ** 28
