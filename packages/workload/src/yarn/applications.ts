import type { Demand, JobSpec, StageSpec } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { Documents } from '../json/documents.js'
import type { Fields } from '../json/fields.js'
import type { RuleCount } from '../trace/facts.js'
import type { TraceFormat } from '../trace/format.js'
import { documentParser, type DocumentJobs } from './document-format.js'

/** How applications of YARN become jobs. */
export const applicationOptions = z.strictObject({
  vcores: z.int().min(1).optional().describe('vcores of a container. Default: 1 or, with `memory`, what the application held beside that.'),
  memory: z.int().min(1).optional().describe('memory-mb of a container. Default: what the application held per `vcores`.'),
  masterMemory: z
    .int()
    .min(0)
    .default(0)
    .describe('memory-mb of application masters (yarn.app.mapreduce.am.resource.mb, spark.yarn.am.memory). With it, or with masterVcores, jobs have a master, and their other containers hold the rest.'),
  masterVcores: z.int().min(0).default(0).describe('vcores of application masters; 1 if only masterMemory is given.'),
})
type ApplicationOptions = z.output<typeof applicationOptions>

/** What an application held in total: amount times seconds, by resource. */
type Held = ReadonlyMap<string, number>

/**
 * Applications as YARN's resource manager lists them: `ws/v1/cluster/apps` in JSON, from one request or several one after another, or only the
 * applications. A list tells what an application held in total (`memorySeconds`, `vcoreSeconds`, `resourceSecondsMap`), but neither how many
 * containers it had nor how long each ran. So a job has equal containers of `vcores`, each with the corresponding memory: the average number that it
 * held from launch to finish, such that together they hold what it held. Applications that have not ended, and applications that never held anything,
 * are left out.
 *
 * Source: Apache Hadoop, "ResourceManager REST API's" (`AppInfo`).
 */
export const yarnAppsFormat: TraceFormat<typeof applicationOptions> = {
  name: 'yarn-apps',
  summary: 'applications of YARN\'s resource manager (ws/v1/cluster/apps, JSON)',
  source: 'Apache Hadoop, ResourceManager REST API',
  options: applicationOptions,
  isHeld: true,
  detect: (head) => nobody.test(head) || isList(head),
  create: (options, place) => documentParser(new Applications(options), place, { perSecond: 1000 }, 'first', new Documents(place, 'app', 2)),
}

const isList = (head: string): boolean =>
  /^[\s[]*\{/.test(head)
  && /"(memorySeconds|finalStatus|startedTime)"\s*:/.test(head)
  && /"id"\s*:\s*"application_\d+_\d+"/.test(head)
  && !/"attempts"\s*:/.test(head)

/** Answer of the resource manager if it knows no applications, or none that match the request. */
const nobody = /^\s*\{\s*"apps"\s*:\s*(null|\{\s*\})\s*\}\s*$/

class Applications implements DocumentJobs {
  readonly #seen = new Set<string>()
  readonly #counts = { twice: 0, going: 0, nothing: 0, launch: 0, rounded: 0 }

  constructor(private readonly options: ApplicationOptions) {}

  jobs(document: Fields): JobSpec[] {
    const app = document.object('app') ?? document // an answer of ws/v1/cluster/apps/ID
    const id = app.text('id')
    if (id === undefined && document.keys().includes('apps')) return [] // an answer without applications
    if (id === undefined) throw app.bad('id', 'is missing.', 'Print whole lists: curl RESOURCEMANAGER:8088/ws/v1/cluster/apps')
    if (this.#seen.has(id)) return this.#none('twice')
    this.#seen.add(id)
    if (!/^(FINISHED|FAILED|KILLED)$/.test(app.text('state') ?? '')) return this.#none('going')
    const [submit, finish, launch] = [timeOf(app, 'startedTime'), timeOf(app, 'finishedTime'), timeOf(app, 'launchTime')]
    if (submit === undefined) throw app.bad('startedTime', 'is missing.')
    if (finish === undefined) throw app.bad('finishedTime', 'is missing.')
    const start = Math.max(submit, launch ?? submit)
    if (finish < start) throw app.bad('finishedTime', `it ends ${start - finish} ms before it ${launch === undefined ? 'was submitted' : 'was launched'}.`)
    const held = heldBy(app)
    if ((held.get('memory-mb') ?? 0) === 0 || (held.get('vcores') ?? 0) === 0) return this.#none('nothing')
    if (launch === undefined) this.#counts.launch++
    const [user, queue, type, priority] = [app.text('user'), app.text('queue'), app.text('applicationType'), app.number('priority', -1) ?? 0]
    const status = (app.text('finalStatus') ?? '').toLowerCase()
    return [{
      id, submit,
      ...(user !== undefined && { user }), ...(queue !== undefined && { queue }), ...(app.has('name') && {
        application: app.text('name') ?? '',
      }), ...(type !== undefined && { class: type }),
      ...(priority > 0 && { priority }),
      recorded: {
        ...(launch !== undefined && { wait: (start - submit) / 1000 }),
        runtime: (finish - start) / 1000,
        ...(status !== '' && { status: status === 'succeeded' ? 'completed' : status }),
      },
      stages: this.#stages(held, Math.max(1, (finish - start) / 1000), app),
    }]
  }

  rules(): RuleCount[] {
    const { twice, going, nothing, launch, rounded } = this.#counts
    return [
      { rule: 'twice', jobs: twice, text: 'listed before: left out' },
      { rule: 'going', jobs: going, text: 'still running or pending: left out' },
      { rule: 'nothing', jobs: nothing, text: 'that held no memory or no vcores: left out' },
      { rule: 'launchTime', jobs: launch, text: 'without a launch time (Hadoop before 3.3): taken as running since their submission' },
      { rule: 'rounded', jobs: rounded, text: 'whose containers held fractions of other resources on average: each asks for whole ones' },
    ]
  }

  #none(why: 'twice' | 'going' | 'nothing'): [] {
    this.#counts[why]++
    return []
  }

  #stages(all: Held, seconds: number, app: Fields): StageSpec[] {
    const { masterMemory, masterVcores, memory, vcores = memory === undefined ? 1 : undefined } = this.options
    const label = app.text('appNodeLabelExpression')
    const constraints = label === undefined || label.startsWith('<') ? {} : { constraints: { require: { partition: label } } }
    const isMastered = masterMemory + masterVcores > 0
    const master: Demand = { 'memory-mb': Math.max(1, masterMemory), vcores: Math.max(1, masterVcores) }
    const masters: StageSpec[] = isMastered ? [{ name: 'master', tasks: 1, demand: master, duration: 0, master: true, ...constraints }] : []
    const rest = new Map([...all].map(([name, amount]) => [name, isMastered ? amount - (master[name] ?? 0) * seconds : amount] as const))
    const [memorySeconds, vcoreSeconds] = [rest.get('memory-mb') as number, rest.get('vcores') as number]
    if (memorySeconds <= 0 || vcoreSeconds <= 0) return [{ name: 'containers', tasks: 1, demand: master, duration: seconds, ...constraints }] // only the master
    const containerSeconds = memory === undefined ? vcoreSeconds / (vcores as number) : memorySeconds / memory
    const each = (name: string) => Math.max(1, Math.ceil((rest.get(name) as number) / containerSeconds - 1e-9))
    const others = [...rest.keys()].filter((name) => name !== 'memory-mb' && name !== 'vcores' && rest.get(name) as number > 0)
    if (others.some((name) => each(name) * containerSeconds > (rest.get(name) as number) * 1.01)) this.#counts.rounded++
    const tasks = Math.max(1, Math.ceil(containerSeconds / seconds - 1e-9))
    const demand = { 'memory-mb': memory ?? each('memory-mb'), vcores: vcores ?? each('vcores'), ...Object.fromEntries(others.map((name) => [name, each(name)])) }
    return [...masters, { name: 'containers', tasks, demand, duration: containerSeconds / tasks, ...constraints }]
  }
}

/** Milliseconds since 1970; `undefined` if absent or 0, which YARN writes for a time that has not come. */
function timeOf(app: Fields, key: string): number | undefined {
  const time = app.number(key)
  return time === 0 ? undefined : time
}

/** Resource-seconds by resource. GPUs are included if Hadoop lists them; some versions keep only one of several entries with the same key. */
function heldBy(app: Fields): Held {
  const held = new Map<string, number>()
  const map = app.object('resourceSecondsMap')
  const entries = map === undefined ? [] : Array.isArray(map.value('entry')) ? map.list('entry') : [map.object('entry')]
  for (const entry of entries) {
    const [name, amount] = [entry?.text('key'), entry?.number('value')]
    if (name !== undefined && amount !== undefined && amount > 0) held.set(name === 'yarn.io/gpu' ? 'gpu' : name, amount)
  }
  for (const [name, key] of [['memory-mb', 'memorySeconds'], ['vcores', 'vcoreSeconds']] as const) held.set(name, Math.max(0, app.number(key, -1) ?? held.get(name) ?? 0))
  return held
}
