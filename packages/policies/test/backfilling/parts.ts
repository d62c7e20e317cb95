import fc from 'fast-check'
import { sum, type Part, type RigidJob } from './reference/machine.js'

/** What is drawn of a part, of which as much is taken as the machine has left. */
const partDraft = (slots: number, resources: number) =>
  fc.record({
    runtime: fc.integer({ min: 0, max: 9 }),
    tasks: fc.integer({ min: 1, max: 2 }),
    size: fc.array(fc.oneof(fc.constant(slots), fc.integer({ min: 0, max: slots })), { minLength: resources, maxLength: resources }),
  })

/** Parts that ask no more together than there is. */
function cut(drafts: readonly Part[], slots: number): Part[] {
  const left = drafts[0]?.size.map(() => slots) ?? []
  return drafts.flatMap(({ runtime, tasks, size }) => {
    const own = size.map((amount, r) => Math.min(amount, Math.floor((left[r] ?? 0) / tasks)))
    for (const [r, amount] of own.entries()) left[r] = (left[r] ?? 0) - tasks * amount
    return own.some((amount) => amount > 0) ? [{ runtime, tasks, size: own }] : []
  })
}

function jobOf(submit: number, more: number, parts: readonly Part[]): RigidJob {
  const runtime = Math.max(...parts.map((part) => part.runtime))
  const size = (parts[0]?.size ?? []).map((_, r) => sum(parts.map((part) => part.tasks * (part.size[r] ?? 0))))
  return { submit, runtime, estimate: Math.max(0, runtime + more), size, ...(parts.length > 1 && { parts }) }
}

/** Small worlds in which most jobs have several parts, which start together and end one by one, and the others one. */
export const worldOfParts = ({ overrun, resources }: { overrun: boolean; resources: number }) =>
  fc.integer({ min: 2, max: 8 }).chain((slots) => {
    const job = fc.record({
      submit: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 12 })),
      more: fc.oneof(fc.constant(0), fc.integer({ min: overrun ? -4 : 0, max: 6 })),
      parts: fc.array(partDraft(slots, resources), { minLength: 1, maxLength: 3 }).map((drafts) => cut(drafts, slots)).filter((parts) => parts.length > 0),
    })
    return fc.record({
      capacity: fc.constant(Array.from({ length: resources }, () => slots)),
      jobs: fc.array(job.map(({ submit, more, parts }) => jobOf(submit, more, parts.length === 1 ? parts.map((part) => ({ ...part, tasks: 1 })) : parts)), { minLength: 1, maxLength: 10 }),
    })
  })

/** Worlds of nodes with so many slots each, in which most jobs have parts of tasks of one or several slots, which fit on nodes of their own each; minutes as limits. */
export const worldOfNodes = fc.record({ count: fc.integer({ min: 2, max: 6 }), slots: fc.integer({ min: 1, max: 4 }) }).chain(({ count, slots }) => {
  const part = fc.record({ runtime: fc.integer({ min: 1, max: 9 }), tasks: fc.integer({ min: 1, max: count * slots }), size: fc.integer({ min: 1, max: slots }).map((size) => [size]) })
  const job = fc.record({ submit: fc.integer({ min: 0, max: 600 }), less: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 200 })), drafts: fc.array(part, { minLength: 1, maxLength: 3 }) })
  return fc.record({
    count: fc.constant(count),
    slots: fc.constant(slots),
    queue: fc.array(job.map(({ submit, less, drafts }) => minutesOf(submit, less, onNodes(drafts, count, slots))), { minLength: 1, maxLength: 14 }).map((all) => all.sort((a, b) => a.submit - b.submit)),
  })
})

/** Parts that have room beside each other, each on nodes of its own. */
function onNodes(drafts: readonly Part[], count: number, slots: number): Part[] {
  let left = count
  return drafts.flatMap((draft) => {
    const perNode = Math.floor(slots / (draft.size[0] ?? 1))
    const tasks = Math.min(draft.tasks, left * perNode)
    left -= Math.ceil(tasks / perNode)
    return tasks === 0 ? [] : [{ ...draft, tasks }]
  })
}

/** Its longest part ends `less` seconds before its limit. */
function minutesOf(submit: number, less: number, drafts: readonly Part[]): RigidJob {
  const parts = drafts.map((part) => ({ ...part, runtime: Math.max(1, part.runtime * 60 - less) }))
  return { ...jobOf(submit, 0, parts), estimate: 60 * Math.max(...drafts.map(({ runtime }) => runtime)), parts }
}
