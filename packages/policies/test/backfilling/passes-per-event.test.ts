import type { Plug } from '@sched/core'
import { conservative, easy, fattened, fifo, score, sjf, strict } from '@sched/policies'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { simulated } from './machine.js'
import { scheduleByEvent } from './reference/by-event.js'
import { conservative as referenceConservative } from './reference/conservative.js'
import { easy as referenceEasy, fattened as referenceFattened, fcfs } from './reference/disciplines.js'
import type { Follows, Pass, RigidJob } from './reference/machine.js'
import { passing } from './reference/passing.js'

/** Few distinct values, so that most instants have several events: jobs of no length, jobs that outlive their estimates, jobs that follow others. */
const worlds = fc.integer({ min: 1, max: 6 }).chain((slots) => {
  const job = fc.record({
    submit: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 12 })),
    runtime: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 8 })),
    more: fc.oneof(fc.constant(0), fc.integer({ min: -5, max: 5 })),
    size: fc.oneof(fc.constant(slots), fc.integer({ min: 1, max: slots })),
    follows: fc.option(fc.record({ job: fc.nat({ max: 9 }), on: fc.constantFrom('start', 'end', 'end'), think: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 5 })) })),
  })
  return fc.record({ slots: fc.constant(slots), jobs: fc.array(job, { minLength: 2, maxLength: 10 }).map(listed) })
})

interface Draft {
  readonly submit: number
  readonly runtime: number
  readonly more: number
  readonly size: number
  readonly follows: Follows | null
}

/** By submission; who follows another one, follows one before it. */
const listed = (drafts: readonly Draft[]): RigidJob[] =>
  [...drafts]
    .sort((a, b) => a.submit - b.submit)
    .map(({ submit, runtime, more, size, follows }, index) => ({
      submit,
      runtime,
      estimate: Math.max(0, runtime + more),
      size: [size],
      ...(follows !== null && index > 0 && { follows: { ...follows, job: follows.job % index } }),
    }))

const shortestFirst = (jobs: RigidJob[]) => [...jobs].sort((a, b) => a.estimate - b.estimate)
const smallestFirst = (jobs: RigidJob[]) => [...jobs].sort((a, b) => (a.size[0] ?? 0) - (b.size[0] ?? 0))

/** The reference under an order other than that of submission. */
const by =
  (order: (jobs: RigidJob[]) => RigidJob[], pass: Pass): Pass =>
  (machine) => {
    const came = machine.waiting
    machine.waiting = order(came)
    const next = pass(machine)
    machine.waiting = came.filter((job) => machine.waiting.includes(job))
    return next
  }

/** Its processors as tasks that start together: they end as one event. */
const asGang = (job: RigidJob): RigidJob => ({ ...job, parts: [{ runtime: job.runtime, tasks: job.size[0] ?? 0, size: [1] }] })

const atLeastASecond = (job: RigidJob): RigidJob => ({ ...job, estimate: Math.max(1, job.estimate) })
const kept = { extra: false, endBefore: true, keepHead: true }
const [fat, likeAuthors] = [{ delayReference: 'firstShadow', delayingBackfillsPerHead: Infinity }, { delayReference: 'currentShadow', delayingBackfillsPerHead: 1 }] as const

const pairs: Record<string, () => { policy: Plug<'policy'>; reference: Pass; seen?: (job: RigidJob) => RigidJob }> = {
  FCFS: () => ({ policy: strict(), reference: fcfs }),
  'FCFS over sjf': () => ({ policy: strict(sjf()), reference: by(shortestFirst, fcfs) }),
  EASY: () => ({ policy: easy(), reference: referenceEasy() }),
  'EASY over sjf': () => ({ policy: easy(sjf()), reference: by(shortestFirst, referenceEasy()) }),
  'EASY-SJBF': () => ({ policy: easy(fifo(), { backfillOrder: sjf() }), reference: referenceEasy(undefined, shortestFirst) }),
  'EASY that keeps its head': () => ({ policy: easy(sjf(), kept), reference: passing(kept, shortestFirst) }),
  fattened: () => ({ policy: fattened(), reference: referenceFattened(fat) }),
  'fattened as its authors': () => ({ policy: fattened(undefined, likeAuthors), reference: referenceFattened(likeAuthors) }),
  conservative: () => ({ policy: conservative(), reference: referenceConservative(), seen: atLeastASecond }),
  'conservative that compresses at all ends': () => ({ policy: conservative(fifo(), { compress: 'all-ends' }), reference: referenceConservative(undefined, undefined, true), seen: atLeastASecond }),
  'conservative that compresses by start': () => ({ policy: conservative(fifo(), { compressOrder: 'start' }), reference: referenceConservative(undefined, undefined, false, true), seen: atLeastASecond }),
  'conservative, smallest first': () => ({ policy: conservative(score({ formula: 'sqf' })), reference: by(smallestFirst, referenceConservative()), seen: atLeastASecond }),
}

describe.each([undefined, 'ends-first', 'submits-first'] as const)('with a pass per event: %s', { tags: 'long' }, (passPerEvent) => {
  it.each(Object.entries(pairs))('%s starts every job as the plain simulator does', (_, make) => {
    fc.assert(
      fc.property(worlds, fc.boolean(), ({ slots, jobs }, areGangs) => {
        const { policy, reference, seen = (job) => job } = make()
        const options = passPerEvent === undefined ? {} : { passPerEvent }
        const starts = areGangs ? simulated(jobs.map(asGang), [1], policy, { ...options, nodes: slots }) : simulated(jobs, [slots], policy, options)
        expect(starts).toEqual(scheduleByEvent(jobs.map(seen), [slots], reference, passPerEvent))
      }),
      { seed: 20_261_128, numRuns: 300 },
    )
  })
})
