import { separatorIn, splitLine } from '../table/separators.js'

/** Names that columns of job tables often have, without regard to case and punctuation. */
const columns: Readonly<Record<string, readonly string[]>> = {
  submit: ['submit', 'submittime', 'submissiontime', 'submitted', 'submittedtime', 'arrivaltime', 'arrival', 'queuedtime', 'creationtime', 'createtime', 'timesubmit', 'submission', 'queued', 'vmcreated', 'created', 'createdat', 'creationtimestamp', 'startedtime'], // YARN has the last for the submission, beside `launchTime`
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
  cpu: ['cpu', 'cpus', 'cpunum', 'numcpu', 'numcpus', 'ncpus', 'cores', 'numcores', 'ncores', 'reqnprocs', 'procs', 'nprocs', 'nproc', 'processors', 'numprocs', 'cpusreq', 'reqcpus', 'alloccpus', 'cpurequest', 'numcoresreq', 'vcpus', 'vmcorecount'],
  gpu: ['gpu', 'gpus', 'gpunum', 'numgpu', 'numgpus', 'ngpus', 'gpusreq', 'gpurequest', 'numgpusreq'],
  mem: ['mem', 'memory', 'memorymb', 'memmb', 'reqmem', 'memreq', 'memoryrequest', 'vmmemory'],
}

/** Of whole jobs, which have a task on each where the table has amounts besides; those are then of the job. */
const nodes = ['nodenum', 'numnodes', 'nnodes', 'nodes', 'nodecount', 'nodesreq', 'reqnodes', 'nodesrequested', 'numnodesreq', 'numnodesalloc', 'nodesalloc', 'nodesused', 'numhosts']

/** Names of columns that tell which jobs one waits for; a table of jobs has no place for them. */
const dependencies = ['dependencies', 'dependency', 'dependson', 'dependsupon', 'depends', 'predecessors', 'parents', 'parentjobs', 'precedingjobnumber']

/** The column of a table that tells which jobs one waits for, by its name. */
export function dependencyColumn(head: string): string | undefined {
  const [line = ''] = head.split('\n', 1)
  return splitLine(line.trim(), separatorIn(line.trim())).map((name) => name.trim()).find((name) => dependencies.includes(name.toLowerCase().replace(/[^a-z]/g, '')))
}

/** A mapping that the header of a table suggests, as YAML in one line; `undefined` where its names do not tell submissions and run times. */
export function guessMapping(head: string): string | undefined {
  const [line = '', ...rows] = head.split('\n', 100).map((each) => each.trim())
  const separator = separatorIn(line)
  const names = splitLine(line, separator).map((name) => name.trim())
  const plain = names.map((name) => name.toLowerCase().replace(/[^a-z]/g, ''))
  const short = plain.map((name) => name.replace(/(timestamp|datetime|date|inseconds|seconds|secs?)$/, ''))
  const found = (known: readonly string[]) => known.flatMap((each) => names[plain.indexOf(each)] ?? names[short.indexOf(each)] ?? [])[0]
  const means = new Map(Object.entries(columns).flatMap(([meaning, known]) => (found(known) === undefined ? [] : [[meaning, found(known)!] as const])))
  const submit = means.get('submit')
  if (submit === undefined || !(means.has('duration') || means.has('end'))) return undefined
  if (!means.has('start')) means.set('start', submit) // of virtual machines, say, which do not wait
  if (means.has('duration')) ['start', 'end'].forEach((meaning) => means.delete(meaning))
  if (found(['taskid', 'taskname']) !== undefined) means.delete('id') // a job has several rows
  const hosts = found(nodes)
  const isPerNode = hosts !== undefined && !means.has('tasks') && Object.values(demands).some((known) => found(known) !== undefined)
  if (isPerNode) means.set('tasks', hosts)
  /** Amounts are whole numbers: of fractions the thousandths, or of parts of a machine's memory the millionths. */
  const amount = (resource: string, name: string) => {
    const isPart = rows.slice(0, -1).some((row) => /^\d*\.0*[1-9]/.test(splitLine(row, separator)[names.indexOf(name)]?.trim() ?? ''))
    const more = [...(isPart ? [`scale: ${resource === 'mem' ? 1_000_000 : 1000}`] : []), ...(isPerNode && resource !== 'mem' ? ['total: true'] : [])]
    return more.length > 0 ? `{ ${[`column: ${quoted(name)}`, ...more].join(', ')} }` : quoted(name)
  }
  const asks = Object.entries(demands).flatMap(([resource, known]) => (found(known) === undefined ? [] : [`${resource}: ${amount(resource, found(known)!)}`]))
  if (asks.length === 0 && hosts !== undefined) asks.push(`nodes: ${quoted(hosts)}`) // a parallel machine
  const parts = [
    `columns: { ${[...means].map(([meaning, name]) => `${meaning}: ${quoted(name)}`).join(', ')} }`,
    asks.length > 0 ? `demands: { ${asks.join(', ')} }` : 'defaults: { demand: { cpu: 1 } }',
    ...(isPerNode ? ['defaults: { gang: true }'] : []),
    ...unitOf(rows.slice(0, -1).map((row) => splitLine(row, separator)[names.indexOf(submit)]?.trim() ?? '')),
  ]
  return `{ ${parts.join(', ')} }`
}

/** The unit of times since 1970, by their size: seconds have 10 digits from 2001 to 2286. */
function unitOf(times: readonly string[]): string[] {
  const digits = new Set(times.map((time) => /^(\d+)(\.\d*)?$/.exec(time)?.[1]?.length))
  const unit = digits.size === 1 ? new Map([[13, 'ms'], [16, 'us'], [19, 'ns']]).get([...digits][0] ?? 0) : undefined
  return unit === undefined ? [] : [`time: { submit: ${unit} }`]
}

const quoted = (name: string): string => (/^[A-Za-z_][\w.-]*$/.test(name) ? name : JSON.stringify(name))
