import { separatorIn, splitLine } from '../table/separators.js'
import { isTimesTime, nearNames } from './near-names.js'

/** Names that columns of job tables often have, in lower case and without punctuation, by meaning. */
const columns: Readonly<Record<string, readonly string[]>> = {
  submit: [
    'submit', 'submittime', 'submissiontime', 'submitted', 'submittedtime', 'arrivaltime', 'arrival', 'queuedtime', 'creationtime',
    'createtime', 'timesubmit', 'submission', 'queued', 'vmcreated', 'created', 'createdat', 'creationtimestamp', 'startedtime',
  ], // YARN uses `startedTime` for the submission, beside `launchTime`
  duration: ['duration', 'runtime', 'runningtime', 'elapsed', 'elapsedtime', 'executiontime', 'exectime', 'servicetime'],
  start: ['start', 'starttime', 'started', 'timestart', 'startedat', 'dispatchtime', 'scheduledtime', 'scheduled', 'begintime', 'launchtime'],
  end: ['end', 'endtime', 'finishtime', 'completiontime', 'finished', 'timeend', 'finishedat', 'finishedtime', 'completedat', 'deletiontime', 'deleted', 'vmdeleted', 'stoptime'],
  id: ['id', 'jobid', 'idjob', 'jid', 'job', 'vmid', 'podname', 'instancesn', 'jobname', 'applicationid', 'appid'],
  tasks: ['tasks', 'numtasks', 'taskcount', 'instancenum', 'instnum', 'numinstances', 'workers', 'numworkers', 'workernum', 'instancesnum'],
  user: ['user', 'userid', 'iduser', 'username', 'subscriptionid'],
  queue: ['vc', 'virtualcluster', 'queuename', 'queue', 'partition'], // Helios has queueing times under `queue`
  estimate: ['estimate', 'walltime', 'timelimit', 'wallclocklimit', 'wallclockreq', 'requestedtime', 'reqtime', 'requestedwalltime'],
  priority: ['priority'],
  status: ['status', 'state', 'finalstatus'],
}
const demands: Readonly<Record<string, readonly string[]>> = {
  cpu: [
    'cpu', 'cpus', 'cpunum', 'numcpu', 'numcpus', 'ncpus', 'cores', 'numcores', 'ncores', 'reqnprocs', 'procs', 'nprocs', 'nproc',
    'processors', 'numprocs', 'cpusreq', 'reqcpus', 'alloccpus', 'cpurequest', 'numcoresreq', 'vcpus', 'vmcorecount',
  ],
  gpu: ['gpu', 'gpus', 'gpunum', 'numgpu', 'numgpus', 'ngpus', 'gpusreq', 'gpurequest', 'numgpusreq'],
  mem: ['mem', 'memory', 'memorymb', 'memmb', 'reqmem', 'memreq', 'memoryrequest', 'vmmemory'],
}

/**
 * Names of columns with the number of nodes of a job. If the table also has amounts, the job has one task per node, and the amounts are of the whole
 * job.
 */
const nodes = [
  'nodenum', 'numnodes', 'nnodes', 'nodes', 'nodecount', 'nodesreq', 'reqnodes', 'nodesrequested', 'numnodesreq', 'numnodesalloc',
  'nodesalloc', 'nodesused', 'numhosts',
]

/** Names of columns that say which jobs a job waits for. A table of jobs cannot express that. */
const dependencies = ['dependencies', 'dependency', 'dependson', 'dependsupon', 'depends', 'predecessors', 'parents', 'parentjobs', 'precedingjobnumber']

/** The column of a table that says which jobs a job waits for, by its name. */
export function dependencyColumn(head: string): string | undefined {
  const [line = ''] = head.split('\n', 1)
  return splitLine(line.trim(), separatorIn(line.trim())).map((name) => name.trim()).find((name) => dependencies.includes(lettersOf(name)))
}

/** What a table may mean, guessed from its header. */
interface Guess {
  /** A mapping as YAML in one line, if the columns tell submissions and run times. */
  readonly mapping?: string
  /** Otherwise the mapping of the columns that are recognized, as YAML in one line, and what is missing in it. */
  readonly known?: string
  readonly lacks?: string
}

/** A mapping that the header of a table suggests, as YAML in one line; `undefined` if its names do not tell submissions and run times. */
export const guessMapping = (head: string): string | undefined => guess(head).mapping

/** Whether columns are those of the jobs that a run wrote (`jobs-POLICY.csv`): what they held in all, not what they asked for. */
export const areResults = (names: readonly string[]): boolean => ['seed', 'label', 'response'].every((each) => names.includes(each)) && names.some(isTimesTime)

/** The demands that columns with these names suggest, as YAML in one line; `undefined` if there are none. */
export function guessDemands(names: readonly string[]): string | undefined {
  const near = nearNames(names, new Map())
  const asks = Object.entries(demands).flatMap(([resource, known]) => {
    const name = known.flatMap((each) => names.find((one) => lettersOf(one) === each) ?? [])[0] ?? near.get(resource)
    return name === undefined ? [] : [`${resource}: ${quoted(name)}`]
  })
  return asks.length === 0 ? undefined : `demands: { ${asks.join(', ')} }`
}

/** Guesses the mapping of a table from its header and first rows. */
export function guess(head: string): Guess {
  const { names, rows, isTable } = tableOf(head)
  const found = finderIn(names)
  const [known, amounts, hosts] = [foundOf(columns, found), foundOf(demands, finderIn(names.filter((name) => !isTimesTime(name)))), found(nodes)]
  const taken = new Map([...known, ...amounts, ...(hosts === undefined ? [] : [['nodes', hosts] as const])])
  const near = isTable ? nearNames(names, taken) : new Map<string, string>()
  const means = meaningsOf(known, near)
  const submit = means.get('submit')
  if (submit === undefined || !hasRun(means)) return isTable && names.length > 2 ? partial(means) : {}
  if (!means.has('start')) means.set('start', submit) // for example virtual machines, which do not wait
  if (means.has('duration')) ['start', 'end'].forEach((meaning) => means.delete(meaning))
  if (found(['taskid', 'taskname']) !== undefined) means.delete('id') // a job has several rows
  const asked = Object.keys(demands).flatMap((resource) => [amounts.get(resource) ?? near.get(resource) ?? []].flat().map((name) => ({ resource, name })))
  const isPerNode = hosts !== undefined && !means.has('tasks') && asked.length > 0
  if (isPerNode) means.set('tasks', hosts)
  const values = (name: string) => rows.map((row) => row[names.indexOf(name)] ?? '')
  const asks = asked.map(({ resource, name }) => `${resource}: ${amountOf(resource, name, values(name), isPerNode)}`)
  if (asks.length === 0 && hosts !== undefined) asks.push(`nodes: ${quoted(hosts)}`) // a parallel machine
  const parts = [
    columnsOf(means),
    asks.length > 0 ? `demands: { ${asks.join(', ')} }` : 'defaults: { demand: { cpu: 1 } }',
    ...(isPerNode ? ['defaults: { gang: true }'] : []),
    ...unitOf(values(submit)),
  ]
  return { mapping: `{ ${parts.join(', ')} }` }
}

/** Letters of a name in lower case, by which names are compared. */
const lettersOf = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, '')

/** Finds the first of some known names among the names of columns. A nested field goes by its own name, and a name need not tell that it is a time. */
function finderIn(names: readonly string[]): (known: readonly string[]) => string | undefined {
  const plain = names.map((name) => lettersOf(name.slice(name.lastIndexOf('.') + 1)))
  const short = plain.map((name) => name.replace(/(timestamp|datetime|date|inseconds|seconds|secs?)$/, ''))
  return (known) => known.flatMap((each) => names[plain.indexOf(each)] ?? names[short.indexOf(each)] ?? [])[0]
}

/** Columns that are found, by meaning. */
const foundOf = (meanings: Readonly<Record<string, readonly string[]>>, found: (known: readonly string[]) => string | undefined): Map<string, string> =>
  new Map(Object.entries(meanings).flatMap(([meaning, known]) => [found(known) ?? []].flat().map((name) => [meaning, name] as const)))

/** Columns by meaning. Similar names count only if recognized names do not tell submissions and run times. */
function meaningsOf(known: ReadonlyMap<string, string>, near: ReadonlyMap<string, string>): Map<string, string> {
  if (known.has('submit') && hasRun(known)) return new Map(known)
  return new Map(Object.keys(columns).flatMap((meaning) => [known.get(meaning) ?? near.get(meaning) ?? []].flat().map((name) => [meaning, name] as const)))
}

const hasRun = (means: ReadonlyMap<string, string>): boolean => means.has('duration') || means.has('end')

/**
 * The amount of a resource as YAML. Amounts must be whole numbers: fractions are scaled to thousandths, and fractions of a machine's memory to
 * millionths. With `isPerNode`, amounts other than memory are of the whole job.
 */
function amountOf(resource: string, name: string, values: readonly string[], isPerNode: boolean): string {
  const isPart = values.some((value) => /^\d*\.0*[1-9]/.test(value))
  const more = [...(isPart ? [`scale: ${resource === 'mem' ? 1_000_000 : 1000}`] : []), ...(isPerNode && resource !== 'mem' ? ['total: true'] : [])]
  return more.length > 0 ? `{ ${[`column: ${quoted(name)}`, ...more].join(', ')} }` : quoted(name)
}

/** A mapping of columns as YAML. */
const columnsOf = (means: ReadonlyMap<string, string>): string => `columns: { ${[...means].map(([meaning, name]) => `${meaning}: ${quoted(name)}`).join(', ')} }`

/**
 * Names of the columns and some rows, of a table with a header line, or of JSON Lines by the keys of the first line. The last row may be cut off and
 * is left out.
 */
function tableOf(head: string): { readonly names: readonly string[]; readonly rows: readonly (readonly string[])[]; readonly isTable: boolean } {
  const [line = '', ...rest] = head.split('\n', 100).map((each) => each.trim())
  const first = flat(line)
  if (first !== undefined) {
    const names = Object.keys(first)
    return { names, rows: [line, ...rest].map(flat).flatMap((row) => (row === undefined ? [] : [names.map((name) => row[name] ?? '')])), isTable: false }
  }
  const separator = separatorIn(line)
  const names = splitLine(line, separator).map((name) => name.trim())
  const isJson = /^[[{]/.test(line)
  return {
    names: isJson ? [] : names,
    rows: rest.slice(0, -1).map((row) => splitLine(row, separator).map((field) => field.trim())),
    isTable: !isJson && names.length > 1 && names.every((name) => name.length <= 40),
  }
}

/** The values of a JSON object by name, with dots in the names of nested values; `undefined` if the line is not an object. */
function flat(line: string): Record<string, string> | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    return inside(JSON.parse(line) as object, '')
  } catch {
    return undefined
  }
}

const inside = (value: object, before: string): Record<string, string> =>
  Object.assign({}, ...Object.entries(value).map(([key, each]: [string, unknown]) =>
    typeof each === 'object' && each !== null ? (Array.isArray(each) ? {} : inside(each, `${before}${key}.`)) : { [`${before}${key}`]: String(each) })) as Record<string, string>

/** The guess for a table whose submissions or run times are not recognized. It needs two recognized columns, one of which is a time. */
function partial(means: ReadonlyMap<string, string>): Guess {
  if (means.size < 2 || !['submit', 'start', 'end', 'duration'].some((meaning) => means.has(meaning))) return {}
  const lacks = [...(means.has('submit') ? [] : ['submit (when a job was submitted)']), ...(hasRun(means) ? [] : ['duration (or start and end)'])]
  return { known: `{ ${columnsOf(means)} }`, lacks: lacks.join(' and ') }
}

/**
 * The unit of times since 1970 as a part of a mapping, by their size: seconds have 10 digits from 2001 to 2286. Empty for seconds and other numbers.
 */
export function unitOf(times: readonly string[]): string[] {
  const digits = new Set(times.map((time) => /^(\d+)(\.\d*)?$/.exec(time)?.[1]?.length))
  const unit = digits.size === 1 ? new Map([[13, 'ms'], [16, 'us'], [19, 'ns']]).get([...digits][0] ?? 0) : undefined
  return unit === undefined ? [] : [`time: { submit: ${unit} }`]
}

const quoted = (name: string): string => (/^[A-Za-z_][\w.-]*$/.test(name) ? name : JSON.stringify(name))
