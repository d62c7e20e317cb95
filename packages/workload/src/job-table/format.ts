import type { JobSpec } from '@sched/core'
import { inferSize, machineOf, type Size } from '../rigid/machine.js'
import { recordedUse } from '../rigid/recorded-use.js'
import type { RigidResource } from '../rigid/resources.js'
import { heldParser } from '../table/held-jobs.js'
import { separatorIn, splitLine } from '../table/separators.js'
import type { TraceFormat } from '../trace/format.js'
import { JobRows } from './job-rows.js'
import { knownTable, mappingFor } from './known-tables.js'
import { jobTableOptions } from './options.js'

/**
 * Any table of jobs, one job per line: CSV with a header, or JSON Lines (Parquet is converted to such CSV). A mapping says which column means what.
 * Columns named after their meaning (`submit`, `duration`, `tasks`, ...) need no mapping. A table is recognized by the columns `submit` and
 * `duration` (or `start` and `end`), or by the columns of a published trace (see `known-tables.ts`). Rows are sorted by submission; rows without a
 * submit time, a run time or a demand are left out and counted.
 */
export const jobTableFormat: TraceFormat<typeof jobTableOptions> = {
  name: 'job-table',
  summary: 'table of jobs, CSV, JSON Lines or Parquet, with a mapping of its columns',
  options: jobTableOptions,
  isHeld: true,
  detect(head) {
    const names = namesIn(head)
    return isTable(names) || knownTable(names) !== undefined
  },
  facts(options, head) {
    const [line = ''] = new TextDecoder().decode(head.subarray(0, 65_536)).split('\n', 1)
    const { columns, demands, defaults } = mappingFor(options, namesIn(line))
    return { isRigid: columns.tasks === undefined && isRigid([...Object.keys(demands), ...Object.keys(defaults.demand ?? {})]) }
  },
  create: (options, place) => heldParser(new JobRows(options, place), place, 'first'),
  inferred: machineOfJobs,
}

const rigid: readonly string[] = ['procs', 'nodes', 'mem', 'gpus']
const isRigid = (asked: readonly string[]) => asked.every((resource) => rigid.includes(resource)) && (asked.includes('procs') || asked.includes('nodes'))

/**
 * The machine of a table in which every job is one task that asks for processors or whole nodes: a parallel machine whose size is inferred from the
 * jobs.
 */
function machineOfJobs(jobs: readonly JobSpec[]) {
  const asked = [...new Set(jobs.flatMap(({ stages: [stage] }) => (stage!.tasks === 1 ? Object.keys(stage!.demand) : ['tasks'])))]
  if (!isRigid(asked)) return {}
  const resources = rigid.filter((resource) => asked.includes(resource)) as RigidResource[]
  const sizes: Partial<Record<RigidResource, Size>> = {}
  for (const resource of resources) sizes[resource] = inferSize(resource, recordedUse(jobs, resource), 'give a cluster')
  return { machine: machineOf(resources, sizes, 'one')! }
}

const isTable = (names: readonly string[]) => names.includes('submit') && (names.includes('duration') || (names.includes('start') && names.includes('end')))

/** Names of the columns of a table with this beginning; if its first line is JSON, the keys. */
function namesIn(head: string): string[] {
  const line = head.split('\n', 1)[0]!.trim()
  return line.startsWith('{') ? keysOf(line) : splitLine(line, separatorIn(line)).map((name) => name.trim())
}

function keysOf(line: string): string[] {
  try {
    return Object.keys(JSON.parse(line) as object)
  } catch {
    return []
  }
}
