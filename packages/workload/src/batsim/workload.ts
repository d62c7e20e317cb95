import type { JobSpec } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { limitsOf, machineOf, optionSize, type Size } from '../rigid/machine.js'
import { machineOptions, ruleOptions } from '../rigid/options.js'
import { RigidJob } from '../rigid/resources.js'
import { Rules } from '../rigid/rules.js'
import { RigidStages } from '../rigid/stages.js'
import { HeldJobs } from '../table/held-jobs.js'
import { ruleLine } from '../trace/facts.js'
import type { LineParser, LinePlace, TraceFormat } from '../trace/format.js'
import { Documents } from '../json/documents.js'
import { Fields } from '../json/fields.js'
import { Profiles } from './profiles.js'

const prefixes: Readonly<Record<string, number>> = { '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15 }
const flops = z.string().regex(/^\d+(\.\d+)?[kMGTP]?f$/).transform((text) => Number.parseFloat(text) * prefixes[text.replace(/[\d.f]/g, '')]!)
const batsimOptions = z.strictObject({
  procs: machineOptions.procs.describe('Number of hosts. Default: nb_res of the workload.'),
  tasks: machineOptions.tasks,
  speed: z
    .union([z.number().positive(), flops.refine((speed) => speed > 0)])
    .optional()
    .describe('Speed of a host in flop/s, or in the notation of platform files (1Gf). Needed for profiles that compute.'),
  ...ruleOptions,
})
type BatsimOptions = z.output<typeof batsimOptions>

/**
 * Workloads of the simulator Batsim: one JSON object with jobs, their profiles and the number of hosts (`nb_res`). A job is rigid, as in logs of
 * parallel machines; its `walltime` is the estimate, at which it is killed. Its run time is that of its profile: a delay, computations at the speed
 * of a host, or a sequence of these.
 *
 * Deviations: data that a profile sends or stores take no time here, and the run time of other profiles (SMPI, traces) is unknown; both are counted.
 *
 * Source: Batsim, docs/input-workload.rst.
 */
export const batsimFormat: TraceFormat<typeof batsimOptions> = {
  name: 'batsim',
  summary: 'workload of the simulator Batsim (JSON)',
  source: 'Batsim, docs/input-workload.rst',
  options: batsimOptions,
  isHeld: true,
  detect: (head) => /^\s*\{/.test(head) && (/"nb_res"\s*:/.test(head) ? /"(jobs|profiles)"\s*:/ : /"jobs"\s*:[^]*"subtime"\s*:/).test(head),
  facts(options, head) {
    const said = /"nb_res"\s*:\s*(\d+)/.exec(new TextDecoder().decode(head))?.[1]
    const size = sizeOf(options, said === undefined ? undefined : Number(said))
    const machine = size === undefined ? undefined : machineOf(['procs'], { procs: size }, options.tasks)
    return machine === undefined ? {} : { machine }
  },
  create: (options, place) => new BatsimWorkload(options, place),
}

const sizeOf = ({ procs }: BatsimOptions, said: number | undefined): Size | undefined =>
  optionSize(procs, 'procs') ?? (said === undefined || said < 1 ? undefined : { amount: said, origin: 'nb_res of the workload' })

class BatsimWorkload implements LineParser {
  readonly #documents: Documents
  readonly #held = new HeldJobs('trace')
  readonly #job = new RigidJob(1)
  readonly #rules: Rules
  readonly #stages: RigidStages
  readonly #counts = { data: 0, dependencies: 0 }

  constructor(
    private readonly options: BatsimOptions,
    private readonly place: LinePlace,
  ) {
    this.#documents = new Documents(place)
    this.#rules = new Rules(options, ['procs'], limitsOf(['procs'], {}))
    this.#stages = new RigidStages(['procs'], options.tasks)
  }

  line(bytes: Uint8Array, from: number, to: number): undefined {
    this.#documents.line(bytes, from, to, ({ value }) => this.#workload(new Fields(value)))
  }

  end(): void {
    this.#held.end()
    this.#documents.end()
  }

  more(): JobSpec | undefined {
    return this.#held.more()
  }

  report() {
    const rules = [
      { rule: 'data', jobs: this.#counts.data, text: 'with data to send or store: takes no time, since there is no network here' },
      { rule: 'dependencies', jobs: this.#counts.dependencies, text: 'with dependencies on others: submitted when the workload says, all the same' },
      ...this.#rules.counts(),
      ...this.#held.rules(),
    ].filter(({ jobs }) => jobs > 0)
    return { rules, notes: rules.map(ruleLine) }
  }

  #workload(workload: Fields): void {
    const size = sizeOf(this.options, workload.whole('nb_res', 1))
    if (size === undefined) throw workload.bad('nb_res', 'is missing.', 'Give the number of hosts with procs')
    this.#rules.limits = limitsOf(['procs'], { procs: size })
    const profiles = workload.object('profiles')
    const jobs = workload.list('jobs')
    if (profiles === undefined || jobs.length === 0) throw workload.bad(profiles === undefined ? 'profiles' : 'jobs', 'is missing or empty.')
    const works = new Profiles(profiles, this.options.speed)
    for (const job of jobs) this.#add(job, works)
  }

  #add(fields: Fields, profiles: Profiles): void {
    const needed = (key: string) => fields.text(key) ?? missing(fields, key)
    const [id, profile] = [needed('id'), needed('profile')]
    const submit = fields.number('subtime') ?? missing(fields, 'subtime')
    const res = fields.whole('res') ?? missing(fields, 'res')
    const { time, sends } = profiles.work(profile, Math.max(res, 1))
    const job = this.#job
    job.amounts[0] = res
    job.runtime = time
    job.estimate = fields.number('walltime', -Infinity) ?? -1
    if (!this.#rules.apply(job)) return
    if (sends) this.#counts.data++
    if (fields.size('dependencies') > 0) this.#counts.dependencies++
    const user = fields.text('user_id') ?? fields.text('user')
    const cut = job.runtime < time ? { recorded: { runtime: time } } : {}
    this.#held.add(
      {
        id,
        submit,
        ...(user !== undefined && { user }),
        ...(job.estimate >= 0 && { estimate: job.estimate }),
        ...cut,
        stages: this.#stages.of(job.amounts, 0, job.runtime),
      },
      this.place.line,
    )
  }
}

function missing(fields: Fields, key: string): never {
  throw fields.bad(key, 'is missing.')
}
