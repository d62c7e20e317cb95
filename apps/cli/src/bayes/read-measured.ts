import { describeIssues, fieldOf, SchedError } from '@sched/core'
import type { ClusterShape, MeasuredJob } from '@sched/placement'
import { isDirectory } from '@sched/workload/node'
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import * as z from '@sched/bundled/zod'
import { shuffleFormat } from '../output/shuffle-file.js'
import { readText } from '../read-text.js'

const whole = z.int().min(0)
const at = z.tuple([whole, whole])
const bytes = z.number().min(0)
const headSchema = z.strictObject({
  format: z.literal(shuffleFormat.format),
  version: z.literal(shuffleFormat.version),
  policy: z.string(),
  cluster: z.strictObject({ racks: z.int().min(1), nodes: z.int().min(1) }),
})
const jobSchema = z.strictObject({
  seed: z.int(),
  job: z.string(),
  plan: z.array(z.array(whole.nullable())),
  pairs: z.array(z.tuple([at, at, bytes])),
  local: bytes,
  rack: bytes,
  cross: bytes,
})

/** Jobs that runs of one policy on one cluster have measured. */
export interface Measured {
  readonly policy: string
  readonly cluster: ClusterShape
  readonly jobs: readonly (MeasuredJob & { readonly seed: number })[]
  /** The files, as they were named. */
  readonly files: readonly string[]
}

/**
 * Reads what runs have measured: directories that `--out` wrote, or their files `shuffle-POLICY.jsonl`. Throws `BAD_INPUT`
 * with file and line, and for files of several policies or clusters: a model is of one scheduler.
 */
export function readMeasured(paths: readonly string[], cwd: string): Measured {
  const files = paths.flatMap((path) => measuredFiles(path, cwd))
  const read = files.map((file) => readFile(file, cwd))
  const [first, ...others] = read as [Measured, ...Measured[]]
  for (const { policy, cluster, files: [file] } of others) {
    if (policy !== first.policy)
      throw new SchedError(
        'BAD_INPUT',
        `is of policy "${policy}", "${first.files[0]}" of "${first.policy}".`,
        { file },
        'Learn from runs of one policy, the one that the model is for.',
      )
    if (cluster.racks !== first.cluster.racks || cluster.nodes !== first.cluster.nodes)
      throw new SchedError(
        'BAD_INPUT',
        `is of a cluster of ${cluster.racks} x ${cluster.nodes} nodes, "${first.files[0]}" of ${first.cluster.racks} x ${first.cluster.nodes}.`,
        { file },
        'Learn from runs of one cluster.',
      )
  }
  return { policy: first.policy, cluster: first.cluster, jobs: read.flatMap(({ jobs }) => jobs), files }
}

/** The file that a run has measured into, of which the directory may be named. Throws `BAD_INPUT` where there is none, or one for each of several policies. */
export function measuredFiles(path: string, cwd: string): string[] {
  if (!isDirectory(resolve(cwd, path))) return [path]
  const names = readdirSync(resolve(cwd, path)).filter((name) => /^shuffle-.*\.jsonl$/.test(name)).sort()
  if (names.length === 0)
    throw new SchedError(
      'BAD_INPUT',
      'has no measured shuffles.',
      { file: path },
      'Run with `--out` on a cluster with racks and with a network (`runtime: { network: {} }`), jobs whose stages have a `shuffle`.',
    )
  if (names.length > 1)
    throw new SchedError(
      'BAD_INPUT',
      `has runs of ${names.length} policies: ${names.join(', ')}.`,
      { file: path },
      'Name the file of the policy that the model is for.',
    )
  return names.map((name) => join(path, name))
}

function readFile(file: string, cwd: string): Measured {
  const lines = readText(resolve(cwd, file)).split('\n')
  const head = checked(headSchema, lines[0] ?? '', file, 1)
  const jobs = lines.flatMap((line, i) => (i === 0 || line.trim() === '' ? [] : [checked(jobSchema, line, file, i + 1)]))
  return { policy: head.policy, cluster: head.cluster, jobs, files: [file] }
}

function checked<T>(schema: z.ZodType<T>, line: string, file: string, number: number): T {
  const value = parsed(line, file, number)
  const { format, version } = (typeof value === 'object' && value !== null ? value : {}) as { format?: unknown; version?: unknown }
  if (number === 1 && format !== shuffleFormat.format)
    throw new SchedError(
      'BAD_INPUT',
      'is no file of measured shuffles.',
      { file },
      'Name a directory that `sched run --out` wrote, or its shuffle-POLICY.jsonl.',
    )
  if (number === 1 && version !== shuffleFormat.version)
    throw new SchedError('BAD_INPUT', `version is ${JSON.stringify(version) ?? 'missing'}, and this program reads version ${shuffleFormat.version}.`, { file }, 'Run again.')
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const { at: path, fact, wayOut } = describeIssues(schema, value, result.error.issues)
  throw new SchedError('BAD_INPUT', fact, { file, line: number, field: fieldOf(path) }, wayOut)
}

function parsed(line: string, file: string, number: number): unknown {
  try {
    return JSON.parse(line)
  } catch {
    if (number === 1) return undefined
    throw new SchedError('BAD_INPUT', 'is not JSON.', { file, line: number }, 'Is the file cut off?')
  }
}
