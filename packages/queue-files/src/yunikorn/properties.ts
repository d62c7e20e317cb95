import type { YunikornOptions } from '@sched/policies'
import { secondsAbove0 } from '../durations.js'
import { didYouMean, type Findings } from '../finding.js'
import type { Located } from './located.js'

type Options = NonNullable<YunikornOptions['root']>
/** The options that properties of a queue give. */
export type PropertyOptions = Pick<Options, 'sort' | 'sortPriority' | 'priorityPolicy' | 'priorityOffset' | 'preemptionPolicy' | 'preemptionDelay'>

/** The options that a value gives, perhaps with a note, or the note on why it gives none. */
type Reading = { readonly options: PropertyOptions; readonly note?: string } | { readonly note: string; readonly options?: undefined }

const oneOf = (text: string, known: Readonly<Record<string, PropertyOptions>>): Reading => {
  const options = known[text.toLowerCase()]
  return options === undefined ? { note: `not one of ${Object.keys(known).join(', ')}; YuniKorn takes the default then` } : { options }
}

/** How the value of each property is read. */
const readings: Readonly<Record<string, (text: string, isLeaf: boolean) => Reading>> = {
  'application.sort.policy': (text, isLeaf) => {
    if (text.toLowerCase() === 'stateaware') return { options: isLeaf ? { sort: 'fifo' } : {}, note: 'is fifo since YuniKorn 1.5' }
    return oneOf(text, { fifo: isLeaf ? { sort: 'fifo' } : {}, fair: isLeaf ? { sort: 'fair' } : {} })
  },
  'application.sort.priority': (text) => oneOf(text, { enabled: { sortPriority: true }, disabled: { sortPriority: false } }),
  'priority.policy': (text) => oneOf(text, { default: { priorityPolicy: 'default' }, fence: { priorityPolicy: 'fence' } }),
  'priority.offset': (text) => {
    const offset = Number(text)
    return /^[+-]?\d+$/.test(text) && Math.abs(offset) < 2 ** 31 ? { options: { priorityOffset: offset } } : { note: 'no whole number of 32 bits; YuniKorn takes 0 then' }
  },
  'preemption.policy': (text) => oneOf(text, { default: { preemptionPolicy: 'default' }, fence: { preemptionPolicy: 'fence' }, disabled: { preemptionPolicy: 'disabled' } }),
  'preemption.delay': (text) => {
    const preemptionDelay = secondsAbove0(text)
    return preemptionDelay === undefined ? { note: 'no duration above 0; YuniKorn takes 30s then' } : { options: { preemptionDelay } }
  },
  'quota.preemption.delay': () => ({ note: 'maximums do not change during a run' }),
}

/**
 * The options that the properties of a queue give. `around`: the options of its parent, which it inherits, except for those of priorities; of
 * `preemption.policy` it inherits only `disabled`. Adds a finding for each property.
 *
 * Source: YuniKorn, queue.go (mergeProperties, filterParentProperty, UpdateQueueProperties).
 */
export function propertiesOf(path: string, properties: ReadonlyMap<string, Located>, isLeaf: boolean, around: PropertyOptions, findings: Findings): PropertyOptions {
  const { sort, sortPriority, preemptionPolicy, preemptionDelay } = around
  let options: PropertyOptions = {
    ...(sort !== undefined && { sort }),
    ...(sortPriority !== undefined && { sortPriority }),
    ...(preemptionPolicy === 'disabled' && { preemptionPolicy }),
    ...(preemptionDelay !== undefined && { preemptionDelay }),
  }
  for (const [name, given] of properties) {
    const text = given.string() ?? ''
    const reading = Object.hasOwn(readings, name) ? readings[name]?.(text, isLeaf) : undefined
    const unknown = `YuniKorn does not know it${didYouMean(name, Object.keys(readings))}`
    findings.add(reading?.options === undefined ? 'ignored' : 'honoured', given, `${path} ${name}`, text, reading === undefined ? unknown : (reading.note ?? ''))
    options = { ...options, ...reading?.options }
  }
  return options
}

/** How jobs are sorted in the children of a queue that do not say it themselves: as the queue says, or else as its own parent does. */
export function inheritedSort(properties: ReadonlyMap<string, Located>, around: PropertyOptions): PropertyOptions['sort'] {
  const own = properties.get('application.sort.policy')?.text.toLowerCase()
  return own === undefined ? around.sort : own === 'fair' ? 'fair' : 'fifo'
}
