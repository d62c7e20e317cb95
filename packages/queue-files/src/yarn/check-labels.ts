import { SchedError } from '@sched/core'
import type { CapacityQueue } from './capacity-model.js'
import { listed, type Setting } from '../setting.js'

/** Labels of a queue, which the queues inside it inherit. */
interface Labels {
  /** Labels that its jobs may use; undefined: all. */
  readonly accessible: ReadonlySet<string> | undefined
  /** The setting that says so. */
  readonly from: Setting | undefined
  /** The setting of the label of jobs that name none. */
  readonly byDefault: Setting | undefined
}

const names = ({ value }: Setting) => new Set(listed(value))
const inWords = (labels: ReadonlySet<string> | undefined) => (labels === undefined ? 'all' : labels.size === 0 ? 'none' : [...labels].join(', '))

/**
 * Throws `BAD_INPUT` with the line for a queue that may use a label which its parent may not, and for a leaf whose default label it may not use itself.
 *
 * Source: Hadoop 3, QueueNodeLabelsSettings and SchedulerUtils.checkQueueLabelExpression.
 */
export function checkLabels(queue: CapacityQueue, around?: Labels): void {
  const { path, parent, properties, queues } = queue
  const from = parent === undefined ? undefined : properties.get('accessible-node-labels') // the root may use all, whatever it says
  const own = from === undefined || names(from).has('*') ? undefined : names(from)
  const accessible = from === undefined ? around?.accessible : own
  const odd = around?.accessible === undefined || from === undefined ? [] : own === undefined ? ['*'] : [...own].filter((name) => around.accessible?.has(name) === false)
  if (from !== undefined && odd.length > 0)
    throw new SchedError(
      'BAD_INPUT',
      `queue "${path}" may use the labels ${odd.join(', ')}, and "${parent?.path ?? ''}" around it ${inWords(around?.accessible)} (line ${around?.from?.line ?? 0}).`,
      { file: from.file, line: from.line, field: from.name },
      'Give them to both, or to neither.',
    )
  const isNarrower = accessible !== undefined && (around?.accessible === undefined || accessible.size < around.accessible.size)
  const byDefault = properties.get('default-node-label-expression') ?? (isNarrower ? undefined : around?.byDefault)
  const label = byDefault?.value.trim() ?? ''
  if (queues.length === 0 && byDefault !== undefined && label !== '' && accessible?.has(label) === false)
    throw new SchedError(
      'BAD_INPUT',
      `jobs of queue "${path}" that require no label have ${label}, and it may use ${inWords(accessible)}.`,
      { file: byDefault.file, line: byDefault.line, field: byDefault.name },
      'Change one of them.',
    )
  for (const each of queues) checkLabels(each, { accessible, from: from ?? around?.from, byDefault })
}
