import { BadLine } from '../trace/format.js'
import type { RuleCount } from '../trace/facts.js'
import type { Limits } from './machine.js'
import type { RuleOptions } from './options.js'
import type { RigidJob, RigidResource } from './resources.js'

/** What rules may find about a job, in the order in which they are checked. */
const Found = { noProcs: 0, unknownRuntime: 1, zeroRuntime: 2, missingEstimate: 3, overrun: 4, wide: 5, wideNeverRan: 6 } as const
const foundNames = Object.keys(Found) as (keyof typeof Found)[]

/**
 * The rules about gaps and contradictions, which occur in every log of a parallel machine. They are checked in this order: no processors, run time
 * unknown or 0, no estimate, run time above the estimate, wider than the machine. How often each applied is counted.
 */
export class Rules {
  readonly #counts = new Float64Array(foundNames.length)

  constructor(
    private readonly options: RuleOptions,
    private readonly resources: readonly RigidResource[],
    public limits: Limits,
  ) {}

  /** Changes the job by the rules; false if it is left out. Throws `BadLine` for a job that is too wide if that is an error. */
  apply(job: RigidJob): boolean {
    if (!(job.amounts[0]! > 0)) return this.#leave(Found.noProcs)
    if (!(job.runtime > 0) && !this.#odd(job)) return false
    if (!(job.estimate > 0)) this.#estimate(job)
    else if (job.runtime > job.estimate) this.#overrun(job)
    for (let r = 0; r < job.amounts.length; r++) if (job.amounts[r]! > this.limits.amounts[r]!) return this.#wide(job)
    return true
  }

  counts(): RuleCount[] {
    return foundNames.flatMap((rule, i) => (this.#counts[i]! > 0 ? [{ rule, jobs: this.#counts[i]!, text: ruleText(rule, this.options) }] : []))
  }

  #leave(found: number): false {
    this.#counts[found]!++
    return false
  }

  /** Handles a run time that is unknown or 0; false if the job is left out. */
  #odd(job: RigidJob): boolean {
    const { zeroRuntime, unknownRuntime } = this.options
    if (job.runtime === 0) {
      if (zeroRuntime === 'skip') return this.#leave(Found.zeroRuntime)
      this.#counts[Found.zeroRuntime]!++
      if (zeroRuntime !== 'keep') job.runtime = zeroRuntime
      return true
    }
    const runtime = unknownRuntime === 'zero' ? 0 : unknownRuntime === 'skip' ? -1 : job.estimate
    this.#counts[Found.unknownRuntime]!++
    if (!(runtime >= 0)) return false
    job.runtime = runtime
    return true
  }

  #estimate(job: RigidJob): void {
    const { missingEstimate } = this.options
    this.#counts[Found.missingEstimate]!++
    job.estimate = missingEstimate === 'unknown' ? -1 : missingEstimate === 'runtime' ? job.runtime : missingEstimate * job.runtime
  }

  #overrun(job: RigidJob): void {
    this.#counts[Found.overrun]!++
    if (this.options.overrun === 'kill') job.runtime = job.estimate
    else if (this.options.overrun === 'extend') job.estimate = job.runtime
  }

  #wide({ amounts, runtime }: RigidJob): boolean {
    const { amounts: most, origins } = this.limits
    // the job was cancelled, for example, so it does not contradict the size of the machine
    if (this.options.wide === 'fail' && runtime === 0) return this.#leave(Found.wideNeverRan)
    if (this.options.wide === 'fail') {
      const r = amounts.findIndex((amount, i) => amount > most[i]!)
      throw new BadLine(undefined, `the job asks for ${amounts[r]} ${this.resources[r]}, the machine has ${most[r]} (${origins[r]}).`,
        'Leave such jobs out with the option wide=skip, cut them with wide=clip, or give the machine\'s true size with procs or nodes')
    }
    if (this.options.wide === 'skip') return this.#leave(Found.wide)
    this.#counts[Found.wide]!++
    for (let r = 0; r < amounts.length; r++) amounts[r] = Math.min(amounts[r]!, most[r]!)
    return true
  }
}

function ruleText(rule: keyof typeof Found, options: RuleOptions): string {
  const { missingEstimate, zeroRuntime } = options
  switch (rule) {
    case 'noProcs':
      return 'without processors: left out'
    case 'unknownRuntime':
      return `of unknown run time: ${{ skip: 'left out', zero: 'run 0 s', estimate: 'run as long as estimated, left out without estimate' }[options.unknownRuntime]}`
    case 'zeroRuntime':
      return `of run time 0: ${zeroRuntime === 'keep' ? 'kept' : zeroRuntime === 'skip' ? 'left out' : `run ${zeroRuntime} s`}`
    case 'missingEstimate':
      return `without estimate: ${missingEstimate === 'runtime' ? 'estimated at their run time' : missingEstimate === 'unknown' ? 'left so' : `estimated at ${missingEstimate} times their run time`}`
    case 'overrun':
      return `longer than estimated: ${{ kill: 'cut at the estimate', extend: 'estimate raised to the run time', keep: 'kept' }[options.overrun]}`
    case 'wideNeverRan':
      return 'wider than the machine that did not run: left out'
    case 'wide':
      return `wider than the machine: ${{ fail: 'refused', skip: 'left out', clip: 'cut to the machine' }[options.wide]}`
  }
}
