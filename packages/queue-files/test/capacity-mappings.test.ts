import { describe, expect, it } from 'vitest'
import { queuePolicy, readQueues } from '@sched/queue-files'
import { messageOf } from './message-of.js'

type Pairs = readonly (readonly [string, string])[]
const capacity = (path: string, value: string) => [`root.${path}.capacity`, value] as const
/** Queues of which some have a name in common; each has `of(percentage)`. */
const tree = (of: (percentage: number) => string): Pairs => [
  ['root.queues', 'leaf,made,deep,ambi,holds'], ...['leaf', 'made', 'deep', 'ambi', 'holds'].map((path) => capacity(path, of(20))),
  ['root.holds.queues', 'child'], capacity('holds.child', of(100)),
  ['root.deep.queues', 'queue,ambi'], capacity('deep.queue', of(50)), capacity('deep.ambi', of(50)), ['root.deep.queue.queues', 'path'], capacity('deep.queue.path', of(100)),
  ['root.ambi.queues', 'ambileaf'], capacity('ambi.ambileaf', of(100)),
  ['root.deep.ambi.queues', 'ambileaf,very'], capacity('deep.ambi.ambileaf', of(50)), capacity('deep.ambi.very', of(50)), ['root.deep.ambi.very.queues', 'deeepleaf'], capacity('deep.ambi.very.deeepleaf', of(100)),
]
const leaves: Pairs = [...tree(String), ['root.made.auto-create-child-queue.enabled', 'true']]
const any: Pairs = [...tree(() => '1w'), ['root.made.auto-queue-creation-v2.enabled', 'true'], ['root.made.queues', 'static'], capacity('made.static', '1w'), ['root.made.static.queues', 'static'], capacity('made.static.static', '1w')]
/** Why a mapping of a user to a queue is refused, behind its name. */
const refusal = (pairs: Pairs, queue: string) => {
  const all = [...pairs, ['queue-mappings', `u:bob:${queue}`]]
  const text = `<configuration>${all.map(([name, value]) => `<property><name>yarn.scheduler.capacity.${name}</name><value>${value}</value></property>`).join('\n')}</configuration>`
  return messageOf(() => queuePolicy(readQueues({ file: 'c.xml', text }), { resources: ['memory-mb'], nodes: 1, heartbeat: true })).replace(/^.*maps to queues? /, '')
}

// as TestMappingRuleValidationContextImpl of Hadoop 3.4
describe('mappings of a capacity-scheduler.xml', () => {
  it.each<[string, Pairs, readonly string[]]>([
    ['static, with leaves made at first use', leaves, ['root.leaf', 'leaf', 'root.ambi.ambileaf', 'root.made.a', 'deep.queue.path', 'queue.path', 'path', 'root.deep.queue.path']],
    ['static, with queues made at first use', any, ['root.made.static.static', 'root.made.any.thing']],
    ['with names of jobs, with leaves made at first use', leaves, ['%specified', 'root.%specified', '%user.%specified', 'root.made.%specified', 'made.%specified', 'root.holds.%user', 'holds.%user']],
    ['with names of jobs, with queues made at first use', any, ['%user', 'root.made.%user', 'made.%user', 'made.new', 'made.new.%user', 'made.new.%user.%user', 'root.holds.%user', 'holds.%user']],
  ])('may name queues %s', (_, pairs, queues) => {
    expect(queues.map((queue) => refusal(pairs, queue))).toEqual(queues.map(() => 'no error'))
  })

  it.each<[string, Pairs, readonly string[]]>([
    ['which holds queues and no jobs', leaves, ['root', 'made', 'root.made', 'root.deep', 'deep', 'deep.queue', 'root.deep.queue']],
    ['which holds queues and no jobs', any, ['root.made', 'root.made.static']],
    ['which is not there', leaves, ['none', 'queue.none', 'root.none.%user']],
    ['which is not there', any, ['root.made.static.any', 'root.made.any.thing.deep', 'root.none.%user', 'root.leaf_%user']],
    ['and several queues are called "ambi": root.deep.ambi, root.ambi', leaves, ['ambi', 'ambi.ambileaf', 'ambi.very.deeepleaf']],
    ['and several queues are called "ambileaf": root.deep.ambi.ambileaf, root.ambi.ambileaf', leaves, ['ambileaf']],
    ['which holds jobs and no queues', leaves, ['root.leaf.%user']],
    ['which holds jobs and no queues', any, ['root.leaf.%user']],
  ])('are refused to a queue %s', (fact, pairs, queues) => {
    for (const queue of queues) expect(refusal(pairs, queue)).toContain(`"${queue.replace(/\.%user$/, '')}", ${fact}.`)
  })

  it('are refused with the line and a way out', () => {
    expect(refusal(leaves, 'ambileaf')).toMatch(/\. Write the whole path\.$/)
    expect(refusal(leaves, 'root.leaf.%user')).toMatch(/\. Name a queue that makes queues\.$/)
    expect(refusal(leaves, 'root.mode.%user')).toContain('Did you mean "root.made"?')
  })
})
