import { SchedError } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Axis } from '../experiment/matrix.js'
import { readText } from '../read-text.js'
import type { RunResult } from '../run-once.js'
import { version } from '../version.js'
import type { Ran } from './headline.js'
import type { PointResult } from './sweep-lines.js'

/** What `summary.json` of a directory holds, as it was when it was written. */
export type Written = { readonly writer: string | undefined } & (
  | { readonly kind: 'compare'; readonly ran: Ran; readonly runs: readonly RunResult[] }
  | { readonly kind: 'sweep'; readonly axes: readonly Axis[]; readonly results: readonly PointResult[] })

const runs = z.array(z.looseObject({ policy: z.string(), seed: z.number(), summary: z.looseObject({}) }))
const compared = z.looseObject({
  name: z.string(),
  workload: z.looseObject({ jobs: z.number().nullable() }),
  cluster: z.looseObject({ description: z.string() }),
  seeds: z.array(z.number()),
  policies: z.array(z.string()),
  runs,
})
const swept = z.looseObject({
  axes: z.array(z.looseObject({ name: z.string(), values: z.array(z.unknown()) })),
  points: z.array(z.looseObject({ at: z.record(z.string(), z.unknown()), policies: z.array(z.looseObject({ policy: z.string() })), runs })),
})

/** Reads what `--out` has written. `file` is what messages call `path`. Throws `IO`, and `BAD_INPUT` for a file that is something else. */
export function readSummary(path: string, file: string): Written {
  if (statSync(dirname(path), { throwIfNoEntry: false })?.isFile() === true)
    throw new SchedError('IO', 'is a file.', { file: dirname(file) }, 'Name the directory that `--out DIR` has written.')
  if (!existsSync(path)) throw new SchedError('IO', 'cannot read: there is no such file.', { file }, 'Name a directory that `--out DIR` has written.')
  const data = parsed(readText(path), file)
  const writer = writerOf(data)
  const sweep = swept.safeParse(data)
  if (sweep.success) {
    const { axes, points } = sweep.data
    return {
      writer,
      kind: 'sweep',
      axes: axes.map(({ name, values }) => ({ name, steps: values.map((value) => ({ value, settings: {} })) })),
      results: points.map((point) => ({ at: point.at, policies: point.policies.map(({ policy }) => policy), runs: results(point.runs) })),
    }
  }
  const one = compared.safeParse(data)
  if (!one.success) throw notWritten(file, writer)
  const { name, workload, cluster, seeds, policies } = one.data
  return { writer, kind: 'compare', ran: { title: name, jobs: workload.jobs ?? undefined, cluster: cluster.description, policies, seeds }, runs: results(one.data.runs) }
}

/** `writer` is the version that the file names, where it names one. */
export const notWritten = (file: string, writer?: string) => {
  const versions = writer === undefined || writer === version ? '' : `: sched ${writer} has written it, and this is ${version}`
  return new SchedError('BAD_INPUT', `is not what this version of sched writes with --out${versions}.`, { file }, 'Name the directory of a run, a comparison or a sweep, or run it again.')
}

/** The version that has written a summary, where it says so. */
const writerOf = (data: unknown): string | undefined => z.looseObject({ sched: z.string() }).safeParse(data).data?.sched

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw notWritten(file)
  }
}

/** What is null because there is none. */
const absent = new Set(['decisions', 'prefilled'])

const results = (read: z.output<typeof runs>): RunResult[] => read.map((run) => withoutNull(run) as RunResult)

/** JSON has no word for a figure that does not exist but null. */
function withoutNull(value: unknown, key = ''): unknown {
  if (value === null) return absent.has(key) ? null : NaN
  if (Array.isArray(value)) return value.map((each) => withoutNull(each))
  return typeof value === 'object' ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutNull(each, name)])) : value
}
