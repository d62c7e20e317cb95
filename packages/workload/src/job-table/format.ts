import type { JobSpec } from '@sched/core'
import { inferSize, machineOf, type Size } from '../rigid/machine.js'
import { recordedUse } from '../rigid/recorded-use.js'
import type { RigidResource } from '../rigid/resources.js'
import { heldParser } from '../table/held-jobs.js'
import { separatorIn, splitLine } from '../table/separators.js'
import type { TraceFormat } from '../trace/format.js'
import { JobRows } from './job-rows.js'
import { knownTable } from './known-tables.js'
import { jobTableOptions } from './options.js'

/**
 * Any table of jobs, one per line: CSV with a header, or JSON Lines. A mapping says which column means what; columns that
 * are called by their meaning (`submit`, `duration`, `tasks`, ...) need none, and with `submit` and `duration` among them, or the columns
 * of a published trace (see `known-tables.ts`), the table is known without being named. Rows are sorted by submission; those without a time, a run time or a
 * demand are left out, and counted.
 */
export const jobTableFormat: TraceFormat<typeof jobTableOptions> = {
  name: 'job-table',
  title: 'table of jobs, CSV or JSON Lines, with a mapping of its columns',
  options: jobTableOptions,
  isHeld: true,
  detect(head) {
    const names = head.trimStart().startsWith('{') ? keysOf(head.split('\n', 1)[0]!) : namesOf(head.split('\n', 1)[0]!.trim())
    return isTable(names) || knownTable(names) !== undefined
  },
  parser: (options, place) => heldParser(new JobRows(options, place), place, options.time?.origin ?? 'first'),
  inferred: machineOfJobs,
}

const rigid: readonly RigidResource[] = ['procs', 'nodes', 'mem', 'gpus']

/** Jobs of one task each that ask for processors or whole nodes are of a parallel machine, which is as large as they say. */
function machineOfJobs(jobs: readonly JobSpec[]) {
  const asked = new Set(jobs.flatMap(({ stages: [stage] }) => (stage!.tasks === 1 ? Object.keys(stage!.demand) : ['tasks'])))
  const resources = rigid.filter((resource) => asked.delete(resource))
  if (asked.size > 0 || !(resources.includes('procs') || resources.includes('nodes'))) return {}
  const sizes: Partial<Record<RigidResource, Size>> = {}
  for (const resource of resources) sizes[resource] = inferSize(resource, recordedUse(jobs, resource), 'give a cluster')
  return { machine: machineOf(resources, sizes, 'one')! }
}

const isTable = (names: readonly string[]) => names.includes('submit') && (names.includes('duration') || (names.includes('start') && names.includes('end')))

const namesOf = (line: string) => splitLine(line, separatorIn(line)).map((name) => name.trim())

function keysOf(line: string): string[] {
  try {
    return Object.keys(JSON.parse(line) as object)
  } catch {
    return []
  }
}
