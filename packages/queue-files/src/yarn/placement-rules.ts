import { SchedError, suggest } from '@sched/core'
import { underRoot } from '@sched/policies'
import type { FairFile, FairQueue, PlacementRule } from './fair-model.js'
import type { XmlElement } from '../xml.js'

const ruleNames = ['specified', 'user', 'primaryGroup', 'secondaryGroupExistingQueue', 'nestedUserQueue', 'default', 'reject'] as const

/**
 * Reads the rules of a queuePlacementPolicy. Throws `BAD_INPUT` with the line for an unknown rule, for a last rule that may leave jobs without a queue, and
 * for a rule after one that always decides. After nestedUserQueue rules are allowed, as before Hadoop 3.3 (YARN-8967) and in files that Cloudera Manager
 * wrote: it gives no queue to jobs whose queue would lie in one that holds jobs.
 */
export function readRules(element: XmlElement, file: FairFile): PlacementRule[] {
  const rules = element.children.map((each) => readRule(each, file))
  for (const [i, rule] of rules.entries())
    if (isLast(rule) && rule.name !== 'nestedUserQueue' && i < rules.length - 1)
      throw new SchedError(
        'BAD_INPUT',
        `rule "${rule.name}" in line ${rule.line} always decides, so this one is never reached.`,
        { file: file.file, line: (rules[i + 1] as PlacementRule).line },
        'Move or remove it.',
      )
  const last = rules.at(-1)
  if (last !== undefined) checkTarget(last, file)
  if (last !== undefined && !isLast(last))
    throw new SchedError(
      'BAD_INPUT',
      `the last rule, "${last.name}", may leave a job without a queue.`,
      { file: file.file, line: last.line, field: 'queuePlacementPolicy' },
      'End with default or reject, or let it create queues.',
    )
  return rules
}

function readRule(element: XmlElement, file: FairFile): PlacementRule {
  const at = { file: file.file, line: element.line, field: 'queuePlacementPolicy' }
  if (element.name !== 'rule') throw new SchedError('BAD_INPUT', `found <${element.name}>, expected <rule>.`, at, 'Write for example <rule name="specified"/>.')
  const name = ruleNames.find((each) => each === element.attributes['name'])
  if (name === undefined)
    throw new SchedError(
      'BAD_INPUT',
      `there is no placement rule "${element.attributes['name'] ?? ''}".`,
      at,
      suggest(element.attributes['name'] ?? '', ruleNames),
    )
  const rule = { name, create: /^(true)?$/i.test(element.attributes['create'] ?? ''), line: element.line }
  const inside = element.children.at(-1) // of several, Hadoop takes the last
  if (inside !== undefined) return { ...rule, nested: readNested(inside, rule, file) }
  if (name === 'nestedUserQueue') throw new SchedError('BAD_INPUT', 'rule "nestedUserQueue" has no rule inside it.', at, 'Write <rule name="primaryGroup"/> in it, for example.')
  if (name !== 'default') return rule
  return { ...rule, queue: underRoot(element.attributes['queue'] ?? 'root.default') }
}

/** The kind of a rule for comparisons: `user` and `nestedUserQueue` both give the queue of a user, in the root or in another queue. */
const kindOf = (name: string): string => (name === 'nestedUserQueue' ? 'user' : name)

/** Reads the rule inside another one, which gives the parent of the other's queue. */
function readNested(element: XmlElement, { name, line }: PlacementRule, file: FairFile): PlacementRule {
  const nested = readRule(element, file)
  const at = { file: file.file, line: nested.line, field: 'queuePlacementPolicy' }
  if (nested.name === 'reject' || nested.name === 'nestedUserQueue')
    throw new SchedError('BAD_INPUT', `rule "${nested.name}" gives no queue to make others in.`, at, 'Nest another rule.')
  if (!['user', 'primaryGroup', 'secondaryGroupExistingQueue'].includes(kindOf(name)))
    throw new SchedError('BAD_INPUT', `rule "${name}" has a rule inside it, and its queue lies in no other.`, { ...at, line }, 'Remove that rule.')
  if (kindOf(name) === nested.name)
    throw new SchedError('BAD_INPUT', `rule "${name}" has one of its own kind inside it, "${nested.name}".`, at, 'Nest another rule.')
  const { nested: innermost, ...own } = nested
  if (innermost !== undefined) file.ignored.add('ignored', innermost, `rule ${innermost.name}`, innermost.queue ?? '', 'it lies in a rule that lies in another: YARN passes over it')
  return own
}

/** The queue that a rule names if it neither is declared nor may be created, so that the rule gives no job a queue; otherwise undefined. */
export function missing({ queue, create, nested }: PlacementRule, root: FairQueue): string | undefined {
  if (nested !== undefined) return missing(nested, root)
  return queue !== undefined && !create && find(root, queue) === undefined ? queue : undefined
}

/** The hint for a queue that is not declared: the declared one with the nearest name. */
export const nearestQueue = (path: string, root: FairQueue): string => suggest(path, paths(root))

function checkTarget(last: PlacementRule, { file, root }: FairFile): void {
  const path = missing(last, root)
  if (path === undefined) return
  throw new SchedError('BAD_INPUT', `rule "default" names queue "${path}", which is not declared.`, { file, line: last.line, field: 'queuePlacementPolicy' }, nearestQueue(path, root))
}

/** The declared queue of a full path; undefined if there is none. */
export function find(root: FairQueue, path: string): FairQueue | undefined {
  let queue: FairQueue | undefined = root
  for (const name of path.split('.').slice(1)) queue = queue?.queues.find((each) => each.name === name)
  return queue
}

const paths = (queue: FairQueue): string[] => [queue.path, ...queue.queues.flatMap(paths)]

/** Whether a rule always decides, so that no later rule is tried. As in Hadoop: it does if it may create the queue that it names and that one's parent. */
export const isLast = ({ name, create, nested }: PlacementRule): boolean =>
  name === 'reject' || (create && ['default', 'user', 'primaryGroup', 'nestedUserQueue'].includes(name) && (nested === undefined || isLast(nested)))
