import { ownValue, SchedError, suggest, type WorkView } from '@sched/core'
import type { KueueSettings } from './options.js'
import type { PreemptionRule } from './preemption-rules.js'
import type { ClusterQueue } from './queues.js'
import type { Workload } from './workload.js'

type Tags = Readonly<Record<string, string>>

const NONE: readonly PreemptionRule[] = []
const NO_TAGS: Tags = {}
/** The tag that names the priority class of a job: the label by which jobs name one of Kueue. */
const CLASS = 'kueue.x-k8s.io/priority-class'

/** The rules of preemption of queues, and what these see of workloads: tags of the first stage, of the names that are copied. */
export class RulesSeen {
  readonly #settings: KueueSettings
  readonly #work: WorkView

  /** Throws `BAD_OPTION` for a queue whose rules are not there. */
  constructor(settings: KueueSettings, work: WorkView) {
    this.#settings = settings
    this.#work = work
    const known = Object.keys(settings.preemptionConfigs)
    for (const [field, { preemptionConfig }] of [...Object.entries(settings.queues).map(([name, queue]) => [`queues.${name}`, queue] as const), ['defaults', settings.defaults] as const])
      if (preemptionConfig !== undefined && !known.includes(preemptionConfig))
        throw new SchedError('BAD_OPTION', `no preemptionConfig is called "${preemptionConfig}".`, { field: `${field}.preemptionConfig` }, suggest(preemptionConfig, known))
  }

  of({ settings: { preemptionConfig } }: ClusterQueue): readonly PreemptionRule[] {
    return preemptionConfig === undefined ? NONE : (ownValue(this.#settings.preemptionConfigs, preemptionConfig)?.rules ?? NONE)
  }

  /** The priority class of a workload by name, whichever tags are copied; `undefined`: it has none. */
  readonly classOf = ({ job }: Workload): string | undefined => ownValue(this.#work.tags(job, 0), CLASS)

  readonly tagsOf = ({ job }: Workload): Tags => {
    const all = this.#work.tags(job, 0)
    const { labelKeysToCopy } = this.#settings
    return labelKeysToCopy === undefined ? all : labelKeysToCopy.length === 0 ? NO_TAGS : Object.fromEntries(Object.entries(all).filter(([key]) => labelKeysToCopy.includes(key)))
  }
}
