import { describe, expect, it } from 'vitest'
import { worldOf, type World } from './world.js'

// Cases of YuniKorn's own test of what is left of guarantees (preemption_queue_test.go, TestGetRemainingGuaranteedResource), one queue deeper, of the queues that hold jobs.

type Left = Readonly<Record<string, number>>
const queuesOf = (parent: Left): World['queues'] => ({
  top: { guaranteed: { first: 10 } }, 'top.other': {}, 'top.parent': { guaranteed: parent }, 'top.parent.other': {},
  'top.parent.child1': { guaranteed: { second: 5 } }, 'top.parent.child2': { guaranteed: { first: 5 } }, 'top.elsewhere.child3': {},
})
const each = queuesOf({ first: 5 })
const [nothing, exact, double] = [{}, { child1: { second: 5 }, child2: { first: 5 }, outside: { first: 5 } }, { child1: { second: 10 }, child2: { first: 5 }, outside: { first: 5 } }]

/** What is left to both children where they and others have so much: `beside` lies in the same queue as they do, `outside` beside that. */
function left(queues: World['queues'], has: { readonly child1?: Left; readonly child2?: Left; readonly beside?: Left; readonly outside?: Left }, asking: string) {
  const paths = { child1: 'top.parent.child1', child2: 'top.parent.child2', beside: 'top.parent.other', outside: 'top.other' }
  const running = Object.fromEntries(Object.entries(has).map(([name, amounts]) => [name, { queue: paths[name as keyof typeof paths], node: 'n1', has: amounts, age: 0 }]))
  const world = worldOf({ nodes: { n1: { first: 100, second: 100 } }, queues, running })
  return [world.remaining('top.parent.child1', asking), world.remaining('top.parent.child2', asking)]
}

describe('what is left of guarantees', () => {
  const child1Alone: World['queues'] = { ...each, 'top.parent': {}, 'top.parent.child2': {} }
  const used = { child1: { second: 10 }, child2: { first: 2 }, beside: { first: 3 }, outside: { first: 5 } }
  it.each<[string, World['queues'], Parameters<typeof left>[1], readonly [elsewhere: readonly [Left, Left], own: readonly [Left, Left]]]>([
    ['the guarantee of a queue around, for what is not guaranteed', child1Alone, nothing, [[{ first: 10, second: 5 }, { first: 10 }], [{ first: 10, second: 5 }, { first: 10 }]]],
    ['all of it where nothing runs', each, nothing, [[{ first: 5, second: 5 }, { first: 5 }], [{ second: 5 }, { first: 5 }]]],
    ['less than nothing where the queue around has more', each, { child2: { first: 5 }, beside: { first: 5 } }, [[{ first: -5, second: 5 }, { first: -5 }], [{ second: 5 }, { first: 0 }]]],
    ['nothing where all is used', each, exact, [[{ first: 0, second: 0 }, { first: 0 }], [{ second: 0 }, { first: 0 }]]],
    ['less than nothing of one', each, double, [[{ first: 0, second: -5 }, { first: 0 }], [{ second: -5 }, { first: 0 }]]],
    ['less than nothing of what the queue around guarantees', queuesOf({ first: 5, second: 5 }), used, [[{ first: 0, second: -5 }, { first: 0, second: -5 }], [{ second: -5 }, { first: 3 }]]],
  ])('is %s', (_, queues, has, [elsewhere, own]) => {
    expect(left(queues, has, 'top.elsewhere.child3')).toEqual(elsewhere)
    expect(left(queues, has, 'top.parent.child2')).toEqual(own)
  })
})
